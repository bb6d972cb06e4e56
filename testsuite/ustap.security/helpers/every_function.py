#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a tapset that calls every builtin and every tapset function with hostile arguments.

every_function.py USTAP TAPSETS BUILTIN_TABLE RUNTIME [OPTION...]

The functions are those that ustap lists, and the internal ones of the table of builtins and of the
tapset library, so that a new one is covered by itself.  hostile(K) calls some from number K on;
hostile_in_kernel(K) leaves out those that no probe of the kernel may call.  What does not compile
for this runtime is left out.
"""
import pathlib
import re
import subprocess
import sys

ustap, tapsets, table, runtime, *options = sys.argv[1:]

# Excluded: they end the script, wait, run commands, or change the traced program; the last one
# needs one --output.
EXCLUDED = {"__trace_indent", "exit", "abort", "system", "switch_file", "panic", "mdelay", "udelay",
            "ftrace"}
AT_ONCE = 8             # functions for each call of hostile()
ROUNDS = 6              # calls of each function

PRELUDE = """
global hostile_numbers, hostile_texts, hostile_sum
private function fill() {
	n = 0
	hostile_numbers[n++] = 0
	hostile_numbers[n++] = -1
	hostile_numbers[n++] = 0x8000000000000000
	hostile_numbers[n++] = 0x7fffffffffffffff
	hostile_numbers[n++] = 0x0000800000000000
	hostile_numbers[n++] = 0xdead000000000100
	hostile_numbers[n++] = 0xffffffff81000001
	hostile_numbers[n++] = 0xffff888000000003
	hostile_numbers[n++] = 0xfffffffffffffff8
	hostile_numbers[n++] = task_current()
	hostile_numbers[n++] = task_current() + 9
	hostile_numbers[n++] = 4096
	hostile_numbers[n++] = 2147483648
	hostile_numbers[n++] = 63
	hostile_numbers[n++] = 3
	hostile_texts[0] = ""
	hostile_texts[1] = "%s%n%d%p%1000000c%x"
	hostile_texts[2] = "\\377\\376\\200\\300\\001"
	hostile_texts[3] = "0x"
	for (i = 0; i < 600; i++) long_text .= "A"
	hostile_texts[4] = long_text
	hostile_texts[5] = "-9223372036854775808"
	hostile_texts[6] = "../../\\"\\\\[(*+ 0xffffffff81000000 0x0 rsp"
}
probe begin(-1000) { fill() }
probe end { if (hostile_sum == 1) println("") }
private function number:long(i:long) { return hostile_numbers[i % 15] }
private function text:string(i:long) { return hostile_texts[i % 7] }
"""


def declared():
    """Name -> (types of the arguments, type of the result)."""
    found = {}
    listed = subprocess.run([ustap, "--dump-functions"], capture_output=True, text=True,
                            check=True).stdout
    for name, result, args in re.findall(r"^([^:]+):(\w+) \((.*)\)$", listed, re.M):
        found[name, len(args.split(","))] = ([a.split(":")[1] for a in args.split(", ") if a],
                                             result)
    row = r'^\t\{"(__\w+)", (\w+), \{(.*?)\}, (\d+), (.*?)"ust_'
    types = {"LONG": "long", "STR": "string", "NONE": "unknown", "0": ""}
    for name, result, args, count, flags in re.findall(row, pathlib.Path(table).read_text(), re.M):
        found[name, int(count)] = ([types[a.strip()] for a in args.split(",")][:int(count)],
                                   types[result])
    for path in pathlib.Path(tapsets).glob("**/*.stp"):
        head = r"^function (__\w+)(?::(\w+))? *\(([^)]*)\)"
        for name, result, args in re.findall(head, path.read_text(), re.M):
            kinds = [a.split(":")[1].strip() if ":" in a else "long" for a in args.split(",")
                     if a.strip()]
            found[name, len(kinds)] = (kinds, result or "unknown")
    text = pathlib.Path(table).read_text()
    guru = set(re.findall(r'"(\w+)", [^\n]*(?:CHANGE|GURU)', text))
    files = set(re.findall(r'"(\w+)", [^\n]*(?:FILE|PACKET)', text))
    stack = set(re.findall(r'"(\w+)", [^\n]*BF_STACK', text))
    # pass 3 accepts these for both runtimes
    user = set(re.findall(r'"(\w+)", [^\n]*BF_USER\b', text)) if runtime == "kernel" else set()
    return [(n, *v, n in stack) for (n, _), v in sorted(found.items(), key=str)
            if n not in EXCLUDED | guru | files | user]


def call(index, function):
    name, args, result, _ = function
    made = [f"{'text' if a == 'string' else 'number'}(k * {2 * i + 1} + {index + 5 * i})" for i,
            a in enumerate(args)]
    text = f"{name}({', '.join(made)})"
    use = {"long": f"hostile_sum += {text}",
           "string": f"hostile_sum += strlen({text})"}.get(result, text)
    return (f"private function f{index}() {{ for (k = 0; k < {ROUNDS}; k++) "
            f"try {{ {use} }} catch {{ k++ }} }}\n")


def dispatch(name, indexes):
    groups = [indexes[i:i + AT_ONCE] for i in range(0, len(indexes), AT_ONCE)]
    out = [f"private function {name}_{g}() {{ {' '.join(f'f{i}()' for i in group)} }}\n" for g,
           group in enumerate(groups)]
    tests = "".join(f"\tif (k == {g}) {name}_{g}()\n" for g in range(len(groups)))
    out.append(f"function {name}_groups:long() {{ return {len(groups)} }}\n")
    out.append(f"function {name}_functions:long() {{ return {len(indexes)} }}\n")
    out.append(f"function {name}(k:long) {{\n{tests}}}\n")
    return "".join(out)


def write(functions):
    lines = [call(i, f) for i, f in enumerate(functions)]
    in_kernel = [i for i, f in enumerate(functions) if not f[3]]
    lib = pathlib.Path("lib")
    lib.mkdir(exist_ok=True)
    (lib / "every_function.stp").write_text("# SPDX-License-Identifier: GPL-2.0-or-later\n" +
                                            "".join(lines) + PRELUDE +
                                           dispatch("hostile", list(range(len(functions)))) +
                                           dispatch("hostile_in_kernel", in_kernel))


def compile_with(functions, script):
    """Those that cannot be compiled: their lines are in the messages."""
    write(functions)
    run = subprocess.run([ustap, "-p4" if runtime == "user" else "-p3", "-w",
                          f"--runtime={runtime}", "-I", "lib", *options, "-e", script],
                         capture_output=True, text=True, errors="replace")
    bad = {int(n) - 2 for n in re.findall(r"every_function\.stp:(\d+):\d+", run.stderr)}
    return run, bad


def main():
    functions = declared()
    in_kernel = ('' if runtime == "user"
                 else 'probe kernel.trace("sched_switch") { hostile_in_kernel(0) }')
    for script in ["probe begin { hostile(0) hostile_in_kernel(0) }" + in_kernel] * 60:
        run, bad = compile_with(functions, script)
        if not run.returncode:
            return
        left = [f for i, f in enumerate(functions) if i not in bad]
        # the message has a location in the tapset library alone: leave out that file's functions
        if len(left) == len(functions):
            names = set(re.findall(r"^(?:ustap: )?error: (\w+)", run.stderr, re.M))
            for path in set(re.findall(r"^([^:\n]*\.stp):\d+:\d+: error", run.stderr, re.M)):
                names |= set(re.findall(r"^(?:private )?function (\w+)",
                                        pathlib.Path(path).read_text(), re.M))
            names |= set(re.findall(r"error: (\w+) needs", run.stderr))
            left = [f for f in functions if f[0] not in names]
        if len(left) == len(functions):
            sys.exit(run.stderr)
        functions = left
    sys.exit("too many functions do not compile")


main()
