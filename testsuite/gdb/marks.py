# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program in gdb and writes down each mark (SDT probe) of a file that it comes by; see
`marks`."""
import json
import os
import re
import struct

import gdb

told = json.loads(os.environ["MARKS"])
MASK = (1 << 64) - 1


def mark_table(module):
    """Address -> name of each mark of MODULE."""
    out = {}
    for line in gdb.execute("info probes stap", to_string=True).splitlines():
        word = line.split()
        if (len(word) > 3 and word[0] == "stap"
            and os.path.realpath(word[-1]) == os.path.realpath(module)):
            out[int(next(w for w in word if w.startswith("0x")), 16)] = (word[1], word[2])
    return out


def value(v):
    if v.type.code == gdb.TYPE_CODE_FLT:
        return struct.unpack("<Q", struct.pack("<d", float(v)))[0]
    return int(v) & MASK


def arguments():
    out = []
    try:
        n = int(gdb.parse_and_eval("$_probe_argc"))
    except gdb.error:                        # it does not know all forms of operands
        return ["?"]
    for i in range(n):
        try:
            out.append("%#x" % value(gdb.parse_and_eval("$_probe_arg%d" % i)))
        except (gdb.error, gdb.MemoryError):
            out.append("?")
    return out


def wait_for(module):
    """Until MODULE is loaded, which may be long after the program's start."""
    table = mark_table(module)
    if not table:
        gdb.execute("catch load %s" % re.escape(os.path.basename(module)), to_string=True)
    while not table:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        table = mark_table(module)
    return table


def main():
    for command in ("set pagination off", "set confirm off", "set breakpoint pending on",
                    "set debuginfod enabled off",
                    "handle all pass nostop noprint", "set disable-randomization on",
                    "set follow-fork-mode parent", "set detach-on-fork on"):
        gdb.execute(command, to_string=True)
    words = gdb.execute("show args", to_string=True).split('"', 1)[1].rsplit('"', 1)[0]
    gdb.execute("set args %s < %s" % (words, told["input"]))
    gdb.execute("starti", to_string=True)
    entry = int(re.search(r"Entry point: (0x[0-9a-f]+)",
                          gdb.execute("info files", to_string=True)).group(1), 16)
    gdb.Breakpoint("*%#x" % entry, temporary=True)
    gdb.execute("continue", to_string=True)
    table = wait_for(told["module"])
    for provider, name in sorted(set(table.values())):
        gdb.execute("break -probe-stap %s:%s" % (provider, name), to_string=True)
    with open(told["result"], "w") as out:
        while len(table):
            gdb.execute("continue", to_string=True)
            if not gdb.selected_inferior().pid:
                break
            at = table.get(int(gdb.parse_and_eval("$pc")))
            if not at:
                break
            out.write("%d %s %s\n" % (gdb.selected_thread().ptid[1], at[1], " ".join(arguments())))
            told["limit"] -= 1
            if not told["limit"]:
                gdb.execute("kill", to_string=True)
                break


main()
