# Examples on the kernel in documents: the blocks ```console kernel of FILE.md.
#
#     build USTAP KERNEL-BUILD-DIRECTORY FILE...
#         here: runs the commands for outside of a guest in the current directory, compiles the
#         scripts, and writes the rest to `plan`
#     run STAPRUN PLAN
#         in a guest: runs the scripts, and compares what they print
import json, os, shlex, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "../../ustap.user/helpers"))
import documents


def without_target(words):
    """The options of ustap without -c COMMAND, and that command."""
    if "-c" not in words:
        return words, None
    at = words.index("-c")
    return words[:at] + words[at + 2:], words[at + 1]


def compiled(ustap, kernel, command, name):
    """(status, output) of building the script of a command; what it is run on."""
    words, target = without_target(shlex.split(command)[1:])
    status, text = documents.run(shlex.join([ustap, "-r", kernel, "--runtime=kernel", "-p4", "-m",
                                             name] + words))
    return status, text, target


def build(ustap, kernel, files):
    plan = []
    for path in files:
        # these blocks make the files that the blocks for the kernel use
        for block in documents.blocks(path):
            for command, want in documents.commands(block):
                if command.startswith(("cat > ", "cc ", "gcc ")):
                    documents.run(command)
        for block in documents.blocks(path, "console kernel"):
            for command, want in documents.commands(block):
                name, text, target = "document_%d" % len(plan), "", None
                if command.startswith("ustap "):
                    status, text, target = compiled(ustap, kernel, command, name)
                else:
                    status, text = documents.run(command)
                module = None
                if command.startswith("ustap ") and status == 0 and "-L" not in command:
                    module = os.path.abspath(name + ".ko")
                plan.append([os.path.basename(path), command, want, module, target, text])
    json.dump(plan, open("plan", "w"), indent=1)


def run(staprun, plan):
    bad = set()
    for name, command, want, module, target, text in json.load(open(plan)):
        if module:
            text = documents.run("cd %s && %s %s %s" % (shlex.quote(os.path.dirname(module)),
                                                        staprun, module,
                                                "-c " + shlex.quote(target) if target else ""))[1]
        problem = documents.differs(want, documents.shown(text))
        if problem:
            print("%s: %s\n  %s" % (name, command.split("\n")[0], problem))
            bad.add(name)
    for name in sorted({entry[0] for entry in json.load(open(plan))} - bad):
        print(name + " holds")


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        run(sys.argv[2], sys.argv[3])
