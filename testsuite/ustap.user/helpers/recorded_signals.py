#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""recorded_signals.py CALLED RECORDED MESSAGES: the calls that recorded_signals.c prints are those
that the report has, but for the entries and returns that the messages of the run count."""
import re
import sys

called, table, messages = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
leaf, handler = map(int, called.split())
recorded = {m[2]: int(m[1]) for m in re.finditer(r"^ *(\d+) .*  (\w+)(?: \(|  \(|$)", table, re.M)}
dropped = sum(map(int, re.findall(r"(\d+) entries and returns were not recorded", messages)))
missing = leaf + 2 * handler - sum(recorded.get(f, 0) for f in ("leaf", "handler", "inner"))
ok = 0 <= missing <= dropped and handler > 0
print("counts agree" if ok else f"{missing} calls missing, {dropped} events dropped")
