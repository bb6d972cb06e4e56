# [--kind=KIND] USTAP-DIRECTORY FILE...: runs the commands that documents show, and compares what
# they print with what the documents say: ```console blocks of FILE.md and .EX blocks of manual
# pages, in which a line `$ COMMAND' is a command and the others what it prints.  `...' stands for
# any text, on a line of its own for any lines; the order of lines is that of two streams and does
# not count. With a KIND, only blocks ```console KIND, for what is not installed everywhere.
import os, re, shlex, subprocess, sys, tempfile

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../..")


def plain(troff):
    """The text that a manual page's source shows."""
    for code, text in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\(ha", "^"),
                       ("\\(ga", "`"),
                       ("\\&", ""), ("\\e", "\\")):
        troff = troff.replace(code, text)
    return re.sub(r"\\f(\[\w*\]|.)", "", troff)


def blocks(path, kind="console"):
    """What is run of a document; ```console kernel is run by
    ../../ustap.kernel/helpers/documents.py, in a guest."""
    text = open(path, encoding="utf-8").read()
    if path.endswith(".md"):
        return re.findall(r"^```" + kind + r"\n(.*?)^```$", text, re.M | re.S)
    return [plain(b) for b in re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.M | re.S)
            if re.search(r"^\$ ", b, re.M)]


def is_open(command):
    """Whether a shell reads on after the command: a quotation mark is open, or the line ends with
    `\\'."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return command.endswith("\\")


def commands(block):
    """(command, lines that it prints) of one block; a here-document belongs to its command, as do
    continuation lines."""
    out, end, continued = [], None, False
    for line in block.split("\n")[:-1]:
        if end is not None:
            out[-1][0] += "\n" + line
            if line == end:
                end = None
        elif continued:
            out[-1][0] += "\n" + line
            continued = is_open(out[-1][0])
        elif line.startswith("$ "):
            out.append([line[2:], []])
            m = re.search(r"<<'(\w+)'", line)
            end = m and m.group(1)
            continued = not end and is_open(out[-1][0])
        elif out:
            out[-1][1].append(line)
    return out


def untested(path):
    """Commands that are shown, but not in a block that is run."""
    text = open(path, encoding="utf-8").read()
    if path.endswith(".md"):
        text = re.sub(r"^```[\w ]*\n.*?^```$", "", text, flags=re.M | re.S)
        # the commands that a page shows
        return [c for c in re.findall(r"^ {4,}(?:sudo )?(?:ustap|staprun) .*", text, re.M)
                if "<TAB>" not in c]
    # ustap.staprun runs modules
    examples = [b for b in re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.M | re.S) if ".ko" not in b]
    return re.findall(r"^(?:sudo )?(?:ustap|staprun) .*", "".join(examples), re.M)


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


def shown(output):
    """The lines of what was printed, without those that say which runtime was taken."""
    return [line for line in output.split("\n")[:-1] if not line.startswith("ustap: runtime: ")]


def run(command, **options):
    """(status, what it prints) of a shell's command.  Of two streams, so that none begins in the
    middle of the other's lines."""
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          **options)
    return done.returncode, done.stdout + done.stderr


def problems(path, environment, kind):
    for command in untested(path):
        yield "no test runs this: " + command.strip()
    with tempfile.TemporaryDirectory() as directory:
        # commands are run in the project's directory
        for name in ("testsuite", "examples", "sdt"):
            os.symlink(os.path.join(ROOT, name), os.path.join(directory, name))
        for block in blocks(path, kind):
            for command, want in commands(block):
                problem = differs(want, shown(run(command, cwd=directory, env=environment)[1]))
                if problem:
                    yield command.split("\n")[0] + "\n  " + problem


def main():
    kind, words = "console", sys.argv[1:]
    if words[0].startswith("--kind="):
        kind += " " + words.pop(0).split("=")[1]
    directory, *files = words
    environment = dict(os.environ, PATH=directory + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
    for path in files:
        found = list(problems(path, environment, kind))
        for problem in found:
            print("%s: %s" % (os.path.basename(path), problem))
        if not found and blocks(path, kind):
            print(os.path.basename(path) + " holds")


if __name__ == "__main__":
    main()
