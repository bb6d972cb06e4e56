#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ctf_events.py CTF JSON: compare what babeltrace2 reads in the directory CTF with the trace events
in the file JSON of the same recording: the same events, of the same threads, at the same times."""
import collections
import json
import re
import subprocess
import sys

LINE = re.compile(r"\[(\d+):(\d+):(\d+)\.(\d+)\] \(.*?\) (\w+): "
                  r"\{ vpid = (\d+), vtid = (\d+) \}, \{"
                  r"(?: function = (\".*?\"),?)?(?: end = \( \"(\w+)\" : container = \d \),?)?"
                  r"(?: (?:arguments|result) = (\".*\"))? \}$")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.)")
LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v"))


def unescape(match):
    what = match[1]
    return chr(int(what[1:], 16)) if what[0] == "x" and what[1:] else LETTERS.get(what, what)


def text_of(quoted):
    """What the text output of babeltrace2 shows as QUOTED, in quotes or None."""
    return ESCAPE.sub(unescape, quoted[1:-1]) if quoted else ""


def ctf_events(path):
    out = subprocess.run(["babeltrace2", path], stdout=subprocess.PIPE, check=True, text=True)
    for line in out.stdout.splitlines():
        m = LINE.match(line)
        assert m, line
        hour, minute, second, ns, kind, pid, tid, function, _, values = m.groups()
        time = int(ns) + 10**9 * (int(second) + 60 * (int(minute) + 60 * int(hour)))
        yield (kind, int(pid), int(tid), time, text_of(function), text_of(values))


def ns_of(us):
    return round(us * 1000)


def json_events(path):
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    for e in events:
        who, start, values = (e["pid"], e["tid"]), ns_of(e["ts"]), e.get("args", {})
        arguments = values.get("arguments", "")
        if e["ph"] == "X":
            yield ("entry", *who, start, e["name"], arguments)
            yield ("return", *who, start + ns_of(e["dur"]), e["name"],
                   values.get("result", ""))
        elif e["name"] == "trigger":
            yield ("trigger", *who, start, "", "")
        else:
            yield ("inlined", *who, start, e["name"], arguments)


def main():
    ctf, trace = list(ctf_events(sys.argv[1])), list(json_events(sys.argv[2]))
    times = [e[3] for e in ctf]
    assert times == sorted(times), "the events are not in the order of time"
    a, b = collections.Counter(ctf), collections.Counter(trace)
    for e in list((a - b).elements())[:5] + list((b - a).elements())[:5]:
        print("differs:", e)
    kinds = collections.Counter(e[0] for e in ctf)
    print("same:" if a == b else "different:", ", ".join(f"{kinds[k]} {k}" for k in sorted(kinds)))


main()
