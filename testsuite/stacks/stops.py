# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb's part of `stacks': stops a program at the places and times of $STOPS and writes down its
backtraces."""
import json
import os
import re

import gdb

told = json.loads(os.environ["STOPS"])
inferior = gdb.selected_inferior


def bases():
    """Where each file's first byte is mapped, by path."""
    out = {}
    with open("/proc/%d/maps" % inferior().pid) as maps:
        for line in maps:
            word = line.split()
            if len(word) > 5 and word[2] == "00000000":
                out.setdefault(os.path.realpath(word[5]), int(word[0].split("-")[0], 16))
    return out


def mapping(pc, known={}):
    for lo, hi, path in known.setdefault("all", []):
        if lo <= pc < hi:
            return path
    known["all"] = []
    with open("/proc/%d/maps" % inferior().pid) as maps:
        for line in maps:
            word = line.split()
            lo, hi = (int(w, 16) for w in word[0].split("-"))
            known["all"].append((lo, hi, word[5] if len(word) > 5 else ""))
    return next((path for lo, hi, path in known["all"] if lo <= pc < hi), "")


def is_fixed(path, known={}):
    if path not in known:
        with open(path, "rb") as f:
            known[path] = f.read(18)[16] == 2
    return known[path]


def describe(frame, exact):
    pc = frame.pc()
    if frame.type() == gdb.INLINE_FRAME:
        return ["inlined", frame.name() or "?"]
    if frame.type() == gdb.TAILCALL_FRAME:
        return ["tail call", frame.name() or "?"]
    path = os.path.realpath(mapping(pc) or "/unknown")
    where = gdb.execute("info symbol %d" % (pc if exact else pc - 1), to_string=True)
    m = re.match(r"(.+?)(?: \+ (\d+))? in section", where)
    name, offset = (m.group(1), int(m.group(2) or 0) + (0 if exact else 1)) if m else ("", 0)
    base = 0 if not os.path.isfile(path) or is_fixed(path) else bases().get(path, 0)
    return ["at", name, offset, frame.name() or "", pc - base, path]


def backtrace():
    frame, out, exact, n = gdb.newest_frame(), [], True, 0
    while frame is not None and n < told["frames"]:
        if frame.type() == gdb.SIGTRAMP_FRAME:
            exact = True
        out.append(describe(frame, exact))
        n += out[-1][0] == "at"
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            exact = frame.type() == gdb.SIGTRAMP_FRAME
        frame = frame.older()
    return out


def main():
    for command in ("set pagination off", "set confirm off", "set width 0",
                    "set debuginfod enabled off", "set backtrace past-main on",
                    "set backtrace past-entry on", "set print asm-demangle off",
                    "set print demangle off", "set breakpoint pending on",
                    "set startup-with-shell off", "handle all nostop noprint pass",
                    "handle SIGTRAP stop print nopass",
                    "set python print-stack full",
                    "set exec-wrapper env -i LC_ALL=C PATH=%s PYTHONHASHSEED=0" %
                    os.environ["PATH"]):
        gdb.execute(command, to_string=True)
    gdb.execute("set args " + " ".join("'%s'" % a.replace("'", "'\\''") for a in told["args"]))
    gdb.execute("set startup-with-shell on")
    gdb.Breakpoint("*main" if told["start"] == "main" else told["start"], temporary=True)
    gdb.execute("run", to_string=True)
    module = told["module"]
    base = 0 if is_fixed(module) else bases()[module]
    stops = {}
    for i, k, at in told["stops"]:
        b = gdb.Breakpoint("*%#x" % (base + at), internal=True)
        b.ignore_count = k - 1
        stops[base + at] = (i, k, b)
    out = []
    while inferior().pid:
        pc = gdb.newest_frame().pc()
        if pc in stops:
            i, k, b = stops.pop(pc)
            out.append([i, k, backtrace()])
            b.delete()
        gdb.execute("continue", to_string=True)
    with open(told["result"], "w") as f:
        json.dump(out, f)


main()
