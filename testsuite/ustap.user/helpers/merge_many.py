# merge_many.py USTAP STAPRUN SEED HOSTS...: random scripts, whose changes of globals are split over
# so many simulated hosts. The globals that the hosts write are merged, at once and as a tree of
# merges; both must print what one run with all changes prints, and what python computes of these.
import os
import random
import subprocess
import sys

WRAP = 1 << 64
WORDS = ["", "a", "b c", "100%", "\u00e4\u20ac", "tab\\t", "=", "long" * 40]


def signed(n):
    n %= WRAP
    return n - WRAP if n >= WRAP // 2 else n


def truncated(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def number(r):
    return r.choice([r.randint(-5, 5), r.randint(-1000, 100000), r.randint(-2**40, 2**40),
                     r.randint(-2**62, 2**62)])


def quote(text):
    return '"%s"' % text


class Global:
    """A global of the script, its changes and what python makes of them."""

    def __init__(self, r, name):
        self.name = name
        self.keys = [r.choice("is") for _ in range(r.choice([0, 0, 1, 1, 2, 3]))]
        self.values = {}
        kinds = ["sum", "newest", "statistic", "statistic"]
        self.kind = r.choice(kinds)
        self.string = self.kind == "newest" and r.random() < 0.5
        self.parts = [p for p in ("variance", "percentile", "hist_log") if r.random() < 0.5]
        self.shown = r.random() < 0.3  # by the automatic display only

    def key(self, r):
        return tuple(r.randint(-3, 12) if k == "i" else r.choice(WORDS) for k in self.keys)

    def element(self, key):
        words = [str(k) if isinstance(k, int) else quote(k) for k in key]
        return self.name + ("[%s]" % ", ".join(words) if words else "")

    def change(self, r):
        """A statement."""
        key, v = self.key(r), number(r)
        of = self.element(key)
        if self.kind == "sum":
            self.values[key] = signed(self.values.get(key, 0) + v)
            return r.choice([f"{of} += {v}", f"{of} -= {-v}"]) if v not in (1, -1) else (
                of + ("++" if v == 1 else "--"))
        if self.kind == "newest":
            v = r.choice(WORDS) if self.string else v
            self.values[key] = v
            return f"{of} = {quote(v) if self.string else v}"
        self.values.setdefault(key, []).append(v)
        return f"{of} <<< {v}"

    def report(self):
        """Statements that print it."""
        names = [f"k{i}" for i in range(len(self.keys))]
        of = self.name + ("[%s]" % ", ".join(names) if names else "")
        line = "".join(f'{n}, " ", ' for n in names)
        if self.kind != "statistic":
            body = f'println("{self.name} ", {line}{of})'
        else:
            ops = ["@count(%s)", "@min(%s)", "@max(%s)", "@sum(%s)", "@avg(%s)"]
            ops += ["@variance(%s)"] * ("variance" in self.parts)
            if "percentile" in self.parts:
                ops += ["@percentile(%s, 50)", "@percentile(%s, 99)"]
            values = ', " ", '.join(op % of for op in ops)
            body = f'println("{self.name} ", {line}{values})'
            if "hist_log" in self.parts:
                body += f"; print(@hist_log({of}))"
            body = "if (@count(%s)) { %s }" % (of, body)
        if not names:
            return body
        names[0] += "+"
        return f"foreach ([{', '.join(names)}] in {self.name}) {{ {body} }}"

    def lines(self):
        """The lines that report() prints without histograms; percentiles as the exact ones."""
        if not self.keys and not self.values and self.kind != "statistic":
            self.values[()] = "" if self.string else 0
        for key, v in self.values.items():
            words = [self.name, *map(str, key)]
            if self.kind == "statistic":
                n, total = len(v), signed(sum(v))
                words += [n, min(v), max(v), total, truncated(total, n)]
                if "variance" in self.parts:
                    top = n * sum(x * x for x in v) - sum(v) ** 2
                    words.append(min(top // n // (n - 1), 2**63 - 1) if n > 1 else 0)
                if "percentile" in self.parts:
                    v = sorted(v)
                    words += [v[-(-n * p // 100) - 1] for p in (50, 99)]
            else:
                words.append(v)
            yield " ".join(map(str, words)).replace("\\t", "\t")


def near(have, want, tail):
    """Lines agree, of which the last TAIL words are percentiles: buckets are 1/128 wide."""
    have, want = have.split(" "), want.split(" ")
    if len(have) != len(want) or have[:len(have) - tail] != want[:len(want) - tail]:
        return False
    return all(abs(int(h) - int(w)) <= abs(int(w)) / 128 + 1
               for h, w in zip(have[len(have) - tail:], want[len(want) - tail:]))


def check_oracle(globals_, text):
    for g in globals_:
        if g.shown:
            continue
        tail = 2 if g.kind == "statistic" and "percentile" in g.parts else 0
        have = sorted(line for line in text.split("\n") if line.startswith(g.name + " "))
        want = sorted(g.lines())
        if len(have) != len(want) or not all(map(near, have, want, [tail] * len(want))):
            print(g.name, "prints", have, "not", want)
            return False
    return True


def make(r, hosts):
    globals_ = [Global(r, f"g{i}") for i in range(r.randint(3, 8))]
    blocks = []
    first = {g: r.randrange(hosts) for g in globals_}  # whose change gives g its type
    for i in range(hosts):
        changing = [r.choice(globals_) for _ in range(r.randint(0, 30))]
        changes = [g.change(r) for g in [g for g in globals_ if first[g] == i] + changing]
        blocks.append(f"if (!which || which == {i + 1}) {{ {' ; '.join(changes)} }}")
    reports = [g.report() for g in globals_ if not g.shown]
    script = "global which, %s\nprobe begin { %s\nexit() }\n" % (
        ", ".join(g.name for g in globals_), "\n".join(blocks))
    script += "".join("probe end { %s }\n" % report for report in reports)
    return globals_, script


def tree(r, staprun, artifact, files):
    """Merge groups of files until few are left."""
    n = 0
    while len(files) > 3:
        group, files = files[:3], files[3:]
        n += 1
        files.append(f"tree{n}")
        subprocess.run([staprun, "-w", *("--merge=" + f for f in group),
                        "--globals=" + files[-1], artifact], check=True)
        if r.random() < 0.5:
            files.insert(0, files.pop())
    return files


def trial(r, ustap, staprun, hosts):
    globals_, script = make(r, hosts)
    with open("script.stp", "w") as f:
        f.write(script)
    build = subprocess.run([ustap, "--runtime=user", "--merge", "-p4", "-w", "script.stp"],
                           check=True, stdout=subprocess.PIPE, text=True)
    artifact = build.stdout.strip()

    def run(*words):
        return subprocess.run([staprun, "-w", *words], check=True, stdout=subprocess.PIPE,
                              text=True, errors="surrogateescape").stdout

    files = []
    for i in range(hosts):
        files.append(f"host{i + 1}")
        if run("--globals=" + files[-1], artifact, f"which={i + 1}"):
            print("a host runs end probes")
            return False
    one = run(artifact)
    merged = run(*("--merge=" + f for f in files), artifact)
    if merged != one:
        print("merged:\n", merged, "one run:\n", one)
        return False
    if all(g.kind != "newest" for g in globals_):
        branches = tree(r, staprun, artifact, files)
        if sorted(run(*("--merge=" + f for f in branches), artifact).split("\n")) != sorted(
                one.split("\n")):
            print("a tree of merges differs")
            return False
    return check_oracle(globals_, one)


def main():
    ustap, staprun, seed = sys.argv[1:4]
    for i, hosts in enumerate(sys.argv[4:]):
        r = random.Random(f"{seed} {i}")
        if not trial(r, ustap, staprun, int(hosts)):
            sys.exit(f"trial {i} of seed {seed} with {hosts} hosts: see {os.getcwd()}/script.stp")
    print("all trials agree")


main()
