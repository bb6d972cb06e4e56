# STAPRUN BLOB: at every 7th call of PyDict_SetItem() in one run of Python the backtrace is that of
# gdb.
. "${0%/*}/common.sh"
cat > work.py <<'END'
import re, textwrap, collections
d = {str(i): [i, "x" * i] for i in range(300)}
re.findall(r"x+", str(d))
sorted(d, key=lambda k: -int(k))
textwrap.wrap(" ".join(d), 30)
collections.Counter(str(d))
END
cat > stops.py <<'END'
import gdb
gdb.execute("set pagination off")
gdb.execute("break *PyDict_SetItem")         # the function itself, before its prologue
gdb.execute("run")
with open("gdb.all", "w") as out:
    for stop in range(600):
        frame, pcs = gdb.newest_frame(), []
        while frame is not None and len(pcs) < 20:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):     # not on the stack
                pcs.append("%#x" % frame.pc())
            frame = frame.older()
        out.write(" ".join(pcs) + "\n")
        gdb.execute("ignore 1 6")
        gdb.execute("continue")
END
export PYTHONHASHSEED=0
# libraries lie elsewhere where trampolines occupy the space; an entry's probe may be behind its
# endbr64, where gdb stops at it
own() { sed -E 's/^0x[0-9a-f]+ //; s/0x7f[0-9a-f]*/lib/g' "$1"; }
gdb -batch -ex 'set args work.py' -x stops.py /usr/bin/python3 > gdb.log 2>&1
"$staprun" -o ustap.all -c "setarch -R /usr/bin/python3 work.py" "$blob" 2> err
grep -v 'cannot be armed' err
own gdb.all > gdb.own
own ustap.all > ustap.own
[ "$(wc -l < gdb.own)" -ge 500 ] || {
	echo "gdb stopped $(wc -l < gdb.own) times"; tail -n 5 gdb.log
}
diff gdb.own ustap.own | head -n 4
[ "$(wc -l < gdb.own)" -ge 500 ] && cmp -s gdb.own ustap.own && echo "500 stops and more: as gdb"
