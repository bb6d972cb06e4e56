# SPDX-License-Identifier: GPL-2.0-or-later
# output.py json|trace: is standard input what --output says it is?  Prints in short what is in it.
import collections
import json
import sys

HIT = {"cpu", "pid", "tid", "comm", "probe"}
NEEDED = {
    "start": {"schema", "realtime"}, "end": {"errors", "skipped", "lost", "missed_returns",
                                             "missed_lookups", "unplaced", "cut_strings",
                                             "failed"},
    "print": HIT | {"text"}, "stack": HIT | {"at", "text"},
    "global": HIT | {"at", "text", "name", "value"},
    "histogram": HIT | {"at", "text", "name", "scale", "buckets"}, "warning": {"source", "text"},
    "error": {"source", "text"}, "message": {"source", "text"},
    "hits": {"probe", "hits", "refused"}, "view": set(),
}


def check_json():
    rows = [json.loads(line) for line in sys.stdin.buffer]
    for row in rows:
        missing = (NEEDED[row["type"]] | {"time"}) - row.keys()
        if missing:
            print("missing:", sorted(missing), row)
    if rows[0]["type"] != "start" or rows[-1]["type"] != "end":
        print("no start or no end")
    for kind, n in sorted(collections.Counter(row["type"] for row in rows).items()):
        print(kind, n)


def check_trace():
    trace = json.load(sys.stdin)
    open_slices = collections.defaultdict(list)
    times = collections.defaultdict(float)
    seen = collections.Counter()
    for e in trace["traceEvents"]:
        thread = e["pid"], e["tid"]
        if e["ph"] == "M":
            continue
        if e["ts"] < times[thread]:
            print("time goes back:", e)
        times[thread] = e["ts"]
        seen[e["ph"], e["name"]] += 1
        if e["ph"] == "B":
            open_slices[thread].append(e["name"])
        elif e["ph"] == "E" and open_slices[thread].pop() != e["name"]:
            print("wrong nesting:", e)
    for thread, names in open_slices.items():
        if names:
            print("open:", thread, names)
    for (phase, name), n in sorted(seen.items()):
        print(phase, name, n)


{"json": check_json, "trace": check_trace}[sys.argv[1]]()
