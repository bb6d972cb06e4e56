# documents_ci.py USTAP-DIRECTORY FILE: takes the CI examples out of doc/ci.md and runs their steps
# that are about the program, in a project that looks as they want it; what they install is compared
# with what README says a build needs.
import os, re, subprocess, sys, tempfile, xml.etree.ElementTree

text = open(sys.argv[2], encoding="utf-8").read()
readme = open(os.path.join(os.path.dirname(sys.argv[2]), "..", "README.md"),
              encoding="utf-8").read()
environment = dict(os.environ, PATH=sys.argv[1] + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")

PROGRAM = """#include <stdio.h>
__attribute__((noinline)) int add(int n) { return n + 1; }
int main(void) { return add(1) + add(2) != 5; }
"""
TESTS = """# command: ../../../program
# case: calls
# expect: 2
# build: ln -sf %s/program .
# command: %s/program
global n
probe process("%s/program").function("add") { n++ }
probe end { println(n) }

# case: begins
# expect: begun
# command: %s/program
probe begin { println("begun") }
"""


def lines(block):
    """Commands of an example, those that go over several lines in one."""
    out = []
    for line in block.split("\n"):
        m = re.match(r"\s*(?:- run: |run: |- )?(make CFLAGS.*|ustap .*)$", line)
        if m:
            out.append(m.group(1))
    return out


def example(name, block):
    for package in re.findall(r"lib[a-z]+-dev|bison|flex|automake|autoconf", block):
        if package not in readme:
            print(name, "installs", package, "which README does not")
    with tempfile.TemporaryDirectory() as project:
        os.makedirs(project + "/tests/probes")
        open(project + "/program.c", "w").write(PROGRAM)
        open(project + "/Makefile", "w").write("all: program\n")
        open(project + "/tests/probes/program.stp", "w").write(TESTS % ((project,) * 4))
        did = []
        for command in lines(block):
            run = subprocess.run(["bash", "-ec", command], cwd=project, env=environment,
                                 stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if run.returncode:
                print("%s: %s: %d\n%s" % (name, command, run.returncode, run.stdout))
                return
            did.append(re.match(r"make|ustap \w+", command).group(0))
        cases = xml.etree.ElementTree.parse(project +
                                            "/probes.xml").getroot().findall("testsuite/testcase")
        print("%s: %s: %d of %d passed" % (name, ", ".join(did), sum(len(c) == 0 for c in cases),
                                           len(cases)))


for name, block in re.findall(r"^## (GitHub|GitLab)[^\n]*\n\n```yaml\n(.*?)^```$", text,
                              re.M | re.S):
    example(name, block)
