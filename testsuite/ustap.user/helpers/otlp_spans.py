# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp_spans.py STAPRUN SCRIPT PROGRAM: the spans of threads.c, in lines of --output=otlp and as
--otlp posts them: one trace for each thread, and calls of step() within run()."""
import json
import sys

import otlp
from otlp_server import Server, run

THREADS, CALLS = 8, 20


def check_nesting(outer, inner):
    assert inner["parentSpanId"] == outer["spanId"] and inner["traceId"] == outer["traceId"]
    assert int(outer["startTimeUnixNano"]) <= int(inner["startTimeUnixNano"])
    assert int(inner["startTimeUnixNano"]) <= int(inner["endTimeUnixNano"])
    assert int(inner["endTimeUnixNano"]) <= int(outer["endTimeUnixNano"])


def check_spans(spans, logs, metrics):
    roots = {s["traceId"]: s for s in spans if s["name"] == "run"}
    steps = [s for s in spans if s["name"] == "step"]
    assert len(roots) == THREADS and len(steps) == THREADS * CALLS, (len(roots), len(steps))
    assert len(spans) == len({s["spanId"] for s in spans}) == THREADS * (CALLS + 1)
    for s in roots.values():
        assert "parentSpanId" not in s and otlp.attributes(s)["code.function.name"] == "run", s
    for s in steps:
        check_nesting(roots[s["traceId"]], s)
        a = otlp.attributes(s)
        assert a["thread.id"] == otlp.attributes(roots[s["traceId"]])["thread.id"], a
        assert 'function("step@' in a["ustap.probe"], a
        assert ("status" in s) == (a["i"] == 7) and a["who"] == "thread %d" % a["thread"], s
        assert a["i"] != 7 or s["status"] == {"code": 2, "message": "seven"}, s
    pairs = {(otlp.attributes(s)["thread"], otlp.attributes(s)["i"]) for s in steps}
    assert pairs == {(t, i) for t in range(THREADS) for i in range(CALLS)}
    by_id = {s["spanId"]: s for s in spans}
    within = [r for r in logs if otlp.plain(r["body"]) == "seven\n"]
    assert len(within) == THREADS, logs
    for r in within:
        s = by_id[r["spanId"]]
        assert s["traceId"] == r["traceId"] and otlp.attributes(s)["i"] == 7, (r, s)
    for name, n in (("open", 0), ("unbegun", 1), ("left_out", 0)):
        [point] = metrics["ustap.spans." + name]["sum"]["dataPoints"]
        assert int(point["asInt"]) == n, (name, point)


def all_of(messages):
    found = {"Logs": [], "Metrics": [], "Spans": []}
    for m in messages:
        [kind] = [k for k in found if "resource" + k in m]
        otlp.check(m, kind, kind)
        found[kind] += otlp.records(m)
    return found["Spans"], found["Logs"], {m["name"]: m for m in found["Metrics"]}


def main():
    staprun, script, program = sys.argv[1:4]
    command = ["-c", "%s %d %d" % (program, THREADS, CALLS), script]
    status, out, err, _ = run([staprun, "--output=otlp", *command])
    assert status == 0, (status, err)
    check_spans(*all_of(json.loads(line) for line in out.splitlines()))
    server = Server()
    status, out, err, _ = run([staprun, "--otlp=" + server.url, *command])
    server.close()
    assert status == 0 and out == "", (status, out, err)
    check_spans(*all_of(m for _, _, _, m in server.requests))
    print("the spans are right")


main()
