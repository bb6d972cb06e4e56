# terminal.sh USTAP: names with control characters in symbol tables, debug information and paths
# reach no terminal.
ustap=$1
export LC_ALL=C.UTF-8
cat > t.c << 'END'
struct parts { int qqqqqqqq; } s; int wwwwwwww(int eeeeeeee) { return s.qqqqqqqq + eeeeeeee; }
int main(void) { return wwwwwwww(0); }
END
gcc -g -o plain t.c
# the terminal's title, a screen of its own, and CSI as one character
LC_ALL=C sed 's/qqqqqqqq/q\x1b]2;X\x07q/g; s/wwwwwwww/w\x1b[?1049/g; s/eeeeeeee/\xc2\x9b2Jeeee/g' \
	plain > "$(printf 'named\033[2J')"
chmod +x named*
program=$(echo "$PWD"/named*)
{
	"$ustap" -L "process(\"$program\").function(\"w*\")"
	"$ustap" -e "probe process(\"$program\").function(\"w*\") { println(\$nosuch) }" -p2
	"$ustap" \
		-e "probe process(\"$program\").function(\"w*\") { println(@var(\"s\")->nosuch) }" \
		-p2
	"$ustap" -l "process(\"$program\").function(\"nosuch\")"
	"$ustap" --runtime=user --explain -e "probe process(\"$program\").function(\"w*\") { }" \
		-c "$program"
	"$ustap" -vvvv -p4 --runtime=user -e "probe process(\"$program\").function(\"w*\") { }"
	"$ustap" "$program"
} > shown 2>&1
grep -c 'x1b\[?1049' shown > count
[ "$(cat count)" -gt 2 ] && echo "names are shown"
LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' shown || echo "no control character"
