# merge_damage.py STAPRUN ARTIFACT GOOD: files of --globals with one wrong line each, then files
# damaged at random. Each must be refused by name, or be valid; the run and the merge of GOOD go on.
import random
import subprocess
import sys

staprun, artifact, good = sys.argv[1:]
HEAD, *LINES = open(good).read().split("\n")[:-2]


def write(name, lines, head=HEAD, end=None):
    with open(name, "w") as f:
        f.write("\n".join([head, *lines, end or f"end {len(lines)}", ""]))


def merge(*names):
    """Exit status, output and messages of a merge."""
    run = subprocess.run([staprun, *("--merge=" + n for n in names), artifact],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         errors="surrogateescape")
    return run.returncode, run.stdout, run.stderr


def at(start, line):
    """The records with LINE in place of the first one that begins with START."""
    lines = list(LINES)
    lines[[i for i, text in enumerate(lines) if text.startswith(start)][0]] = line
    return lines


def twice(start, line):
    """The records with LINE two times in place of the first one that begins with START."""
    lines = at(start, line)
    i = lines.index(line)
    return lines[:i] + [line] + lines[i:]


WRONG = [
    ("other", at("global n", "global m sum -")),
    ("kind", at("global n", "global n number -")),
    ("keys", at("global a", "global a sum is")),
    ("shape", at("global s", "global s statistic -")),
    ("name", at("global n", "global " + "n" * 100000 + " sum -")),
    ("record", at("value", "values 3")),
    ("empty", at("value", "")),
    ("text", at("value 3", "value =3")),
    ("missing", at("value 3", "value")),
    ("more", at("value 3", "value 3 4")),
    ("overflow", at("value 3", "value 9223372036854775808")),
    ("sign", at("value 3", "value --3")),
    ("hex", at("value =x", "value =%zz 1")),
    ("half", at("value =x", "value =x% 1")),
    ("nul", at("value =x", "value =%00 1")),
    ("long", at("value =x", "value =" + "y" * 512 + " 1")),
    ("line", at("value =x", "value =" + "y" * 300000 + " 1")),
    ("control", at("value =x", "\033[2J")),
    ("count", at("statistic", "statistic 0 0 0 0")),
    ("negative", at("statistic", "statistic -1 0 0 0")),
    ("many", at("statistic", "statistic 281474976710657 0 0 0")),
    ("range", at("statistic", "statistic 1 0 1 0")),
    ("variance", at("variance", "variance 1 2 3 4 5")),
    ("samples", at("variance", "variance 1 2 3 4 5 281474976710657")),
    ("bucket", at("histogram", "histogram 128:1")),
    ("zero", at("histogram", "histogram 1:0")),
    ("pair", at("histogram", "histogram 1")),
    ("octave", at("sketch", "sketch 7424:1")),
    ("huge", at("sketch", "sketch 18446744073709551616:1")),
    # a sum that overflows if it is repeated often enough: @avg would divide by -1, and a bar of
    # @hist_log have 4 billion characters
    ("again-statistic", twice("statistic", "statistic 281474976710656 70 70 70")),
    ("again-variance", twice("variance", "variance 4900 0 0 70 0 281474976710656")),
    ("again-histogram", twice("histogram", "histogram 71:281474976710656")),
    ("again-sketch", twice("sketch", "sketch 3782:281474976710656")),
    ("before", LINES[1:]),
    ("orphan", at("statistic", "sketch 1:1")),
]


def check(ok, what):
    if not ok:
        sys.exit(what)


def main():
    write("good", LINES)
    status, want, err = merge("good")
    check(not status and not err, "the good file is refused: " + err)
    for name, lines in WRONG:
        write("bad-" + name, lines)
    for name, head, end in (("head", "ustap-globals 2 1", None), ("time", HEAD + "x", None),
                            ("end", HEAD, "end 1"), ("lines", HEAD, "end -1")):
        write("bad-" + name, LINES, head, end)
    open("bad-cut", "w").write("\n".join([HEAD, *LINES]))
    open("bad-behind", "w").write("\n".join([HEAD, *LINES, f"end {len(LINES)}", "value 1\n"]))
    names = ["bad-" + n for n in [w[0] for w in WRONG] + ["head", "time", "end", "lines", "cut",
                                                         "behind"]] + ["bad-absent"]
    status, out, err = merge(*names, "good")
    check(status == 4 and out == want, f"status {status}, output {out}")
    check("\033" not in err, "a control character is printed")
    for name in names:
        check(f"{name}: " in err, name + " is not named")
    print(len(names), "files refused")

    r = random.Random(1)
    for _ in range(10):
        names = []
        for i in range(30):
            data = bytearray(open("good", "rb").read())
            for _ in range(r.randint(1, 4)):
                data[r.randrange(len(data))] = r.choice(b" :=%-09a\n\0\xff")
            names.append(f"random{i}")
            open(names[-1], "wb").write(data)
        status, out, err = merge(*names, "good")
        refused = sum(f"the globals of {name} " in err for name in names)
        check(status == (4 if refused else 0) and "end" in out, f"status {status}: {err}")
    print("random damage is survived")


main()
