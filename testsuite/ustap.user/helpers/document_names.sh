# BUILD SOURCE: files, functions, types and constants that the pages for engineers name are there;
# the table of passes is in their order.
cd "$2" || exit 1
pages="doc/internals.md doc/adding.md"
folders="translator runtime recorder sdt testsuite tapsets scripts"
cat $pages | grep -oE '`[a-zA-Z_0-9/.-]+\.(c|h|l|y|S|mk|sh|py|stp|stpm|exp|def)`' | tr -d '`' |
	sort -u | while read -r file; do
	find $folders bench -path "*/$file" 2> /dev/null |
		grep -q . || [ -e "$file" ] ||
		# a header of the system, a name to be filled in
		case $file in sys/* | [A-Z]*) ;; *) echo "no file $file" ;; esac
done
cat $pages | grep -oE '`(struct |enum )?[a-zA-Z_][a-zA-Z_0-9]+(\(\))?`' |
	grep -E '\(\)|struct |enum |`(ust|UST|USTAP|RT|BF)_' | sed 's/struct \|enum \|[`()]//g' |
	sort -u | while read -r name; do
	grep -rqw -- "$name" $folders /usr/include/signal.h ||
		echo "no name $name"
done
# every document is read by a test; first-ten-minutes.md is what testsuite/newcomer printed
for page in README.md doc/*.md doc/*.[178] doc/*.in; do
	page=${page%.in}
	[ "$page" = doc/first-ten-minutes.md ] ||
		grep -qw -- "${page##*/}" testsuite/ustap.user/documents*.stp \
		testsuite/ustap.user/*ci*.stp 2> /dev/null || echo "no test reads $page"
done
# --dump= in the table, and in the order of the driver
sed -n 's/^| [a-z]* | `\([a-z]*\)` | .*/\1/p' doc/internals.md > "$OLDPWD/described"
sed -n 's/^\t{"\([a-z]*\)", [1-3], pass_.*/\1/p' translator/main.c > "$OLDPWD/passes"
cd "$OLDPWD" && [ -s passes ] && diff described passes && echo "passes in order"
