# USTAP-DIRECTORY FILE...: runs the commands in the ```console blocks of documents, and compares what they print with
# what the documents say.  `...' stands for any text, on a line of its own for any lines; the order of lines is that of
# two streams and does not count.
import os, re, subprocess, sys, tempfile


def blocks(path):
    text = open(path, encoding="utf-8").read()
    return re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)


def commands(block):
    """(command, lines that it prints) of one block; a here-document belongs to its command."""
    out, end = [], None
    for line in block.split("\n")[:-1]:
        if end is not None:
            out[-1][0] += "\n" + line
            if line == end:
                end = None
        elif line.startswith("$ "):
            out.append([line[2:], []])
            m = re.search(r"<<'(\w+)'$", line)
            end = m and m.group(1)
        else:
            out[-1][1].append(line)
    return out


def differs(want, got):
    """What is missing or too much."""
    left, rest = list(got), "..." in want
    for line in want:
        if line == "...":
            continue
        pattern = ".*".join(re.escape(part) for part in line.split("..."))
        found = next((g for g in left if re.fullmatch(pattern, g)), None)
        if found is None:
            return "missing: " + line + "\n    printed: " + "\n             ".join(got)
        left.remove(found)
    return None if rest or not left else "too much: " + left[0]


def main():
    environment = dict(os.environ, PATH=sys.argv[1] + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
    bad = count = 0
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as directory:
            for block in blocks(path):
                for command, want in commands(block):
                    run = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
                    got = [g for g in run.stdout.split("\n")[:-1] if not g.startswith("ustap: runtime: ")]
                    problem = differs(want, got)
                    count += 1
                    if problem:
                        bad += 1
                        print("%s: %s\n  %s" % (os.path.basename(path), command.split("\n")[0], problem))
    if not bad and count:
        print("%d commands or more" % (count // 10 * 10))


main()
