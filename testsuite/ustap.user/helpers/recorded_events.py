#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""recorded_events.py FILE: count the calls in a recording of recorded.c as trace events."""
import collections
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
calls = [e for e in events if e["ph"] == "X"]
counts = collections.Counter(e["name"] for e in calls)
threads = {e["tid"] for e in calls if e["name"] == "item"}
pauses = [e for e in calls if e["name"] == "pause_ms" and e["dur"] > 29000]
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in calls)
print(f"{counts['item']} item, {counts['recurse']} recurse, {len(threads)} threads of item, "
      f"{len(pauses)} pause of 30 ms")
