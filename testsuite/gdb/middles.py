# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program in gdb and writes down the parameters at some places in the middle of functions;
see `middles`."""
import collections
import json
import os
import random
import re
import subprocess
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from elf import debug_file, is_fixed, load_base

told = json.loads(os.environ["MIDDLES"])
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR,
           gdb.TYPE_CODE_BOOL)


def is_number(symbol):
    t = symbol.type.strip_typedefs()
    return t.code in NUMBERS and t.sizeof <= 8


def functions():
    """Names, addresses and sizes of functions of the module."""
    out = set()
    text = subprocess.run(["readelf", "-sW", debug_file(told["module"])], capture_output=True,
                          text=True).stdout
    for line in text.splitlines():
        word = line.split()
        if len(word) > 7 and word[3] == "FUNC" and word[6] not in ("UND", "ABS") and int(word[2],
                0) > 16 and "." not in word[7]:
            out.add((word[7].split("@")[0], int(word[1], 16), int(word[2], 0)))
    return sorted(out)


def places_of(start, size):
    """The function's block, and addresses where a line begins in the function itself, behind its
    first ones."""
    block = gdb.block_for_pc(start)
    if not block or not block.function or block.start != start:
        return None, []
    found = []
    for insn in gdb.selected_inferior().architecture().disassemble(start, start + size - 1):
        pc = insn["addr"]
        inner = gdb.block_for_pc(pc) if pc > start + 8 and gdb.find_pc_line(pc).pc == pc else None
        while inner and not inner.function:
            inner = inner.superblock
        if inner and inner.start == start:
            found.append(pc)
    return block, found


def choose(base):
    random.seed(told["seed"])
    all_of_them, out = functions(), []
    random.shuffle(all_of_them)
    for name, addr, size in all_of_them:
        block, found = places_of(base + addr, size)
        if not found:
            continue
        pc = random.choice(found)
        args = [s.name for s in block if s.is_argument and s.name and is_number(s)]
        if args:
            out.append({"func": name, "addr": pc - base, "names": args, "asked": []})
        if len(out) == told["count"]:
            break
    return out


def value(frame, name):
    try:
        v = frame.read_var(name)
        if v.is_optimized_out:
            return None
        return "%#x" % (int(v) & ((1 << 64) - 1))
    except (gdb.error, gdb.MemoryError, ValueError):
        return None


def record(places, base):
    hits, by_place = collections.defaultdict(list), {}
    for i, p in enumerate(places):
        by_place[base + p["addr"]] = (i, p,
                                      gdb.Breakpoint("*%#x" % (base + p["addr"]), internal=True))
    while True:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            return hits
        found = by_place.get(int(gdb.parse_and_eval("$pc")))
        if not found:
            return hits
        i, p, b = found
        frame = gdb.newest_frame()
        hits[i].append({n: v for n in p["names"] for v in [value(frame, n)] if v is not None})
        if len(hits[i]) == told["each"]:
            b.delete()


def asked_by_ustap(places):
    """Which parameters of which places ustap asks of the caller, by its own dump."""
    script = os.path.join(told["dir"], "asked.stp")
    with open(script, "w") as f:
        for i, p in enumerate(places):
            for n in p["names"]:
                f.write('probe process("%s").statement(%#x) ? { if (@defined($%s)) printf("%d %s '
                        '%%x", $%s) }\n'
                        % (told["module"], p["addr"], n, i, n, n))
    dump = subprocess.run([told["ustap"], "-w", "--runtime=user", "-p2", "--dump=points", script],
                          capture_output=True, text=True).stdout
    for part in re.split(r"^probe ", dump, flags=re.M):
        at = re.search(r"printf \{?\"?(\d+) (\w+) ", part)
        if at and re.search(r"^  access \d+: .*\bcallers\b", part, re.M):
            places[int(at.group(1))]["asked"].append(at.group(2))


for setting in ("pagination off", "confirm off", "breakpoint pending off",
                "print frame-arguments none", "debuginfod enabled off"):
    try:
        gdb.execute("set " + setting)
    except gdb.error:
        pass
gdb.execute("break main", to_string=True)
gdb.execute("run", to_string=True)
base = 0 if is_fixed(told["module"]) else load_base(told["module"])
gdb.execute("delete")
chosen = choose(base)
asked_by_ustap(chosen)
seen = record(chosen, base)
with open(told["result"], "w") as out:
    json.dump({"places": chosen, "hits": seen}, out)
