# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp.py STAPRUN SCRIPT: the lines of --output=otlp have the form of OTLP/JSON, and the values of
the script. The schema has the messages of opentelemetry-proto 1.x that staprun writes; 64-bit
integers are decimal strings, doubles numbers, bytes base64, enumerations numbers, and ids
hexadecimal."""
import base64
import json
import re
import subprocess
import sys


def integer64(v):
    return isinstance(v, str) and re.fullmatch("-?[0-9]+", v) and -2 ** 63 <= int(v) < 2 ** 63


def unsigned64(v):
    return isinstance(v, str) and v.isdigit() and int(v) < 2 ** 64


def double(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def text(v):
    return isinstance(v, str)


def boolean(v):
    return isinstance(v, bool)


def enum(v):
    return isinstance(v, int) and not isinstance(v, bool)


def data(v):
    return isinstance(v, str) and base64.b64decode(v, validate=True) is not None


def trace_id(v):
    return isinstance(v, str) and re.fullmatch("[0-9a-f]{32}", v) and int(v, 16)


def span_id(v):
    return isinstance(v, str) and re.fullmatch("[0-9a-f]{16}", v) and int(v, 16)


# name: what a member is, or [that] if it is repeated; a string is the name of a message
SCHEMA = {
    "Logs": {"resourceLogs": ["ResourceLogs"]},
    "ResourceLogs": {"resource": "Resource", "scopeLogs": ["ScopeLogs"]},
    "Resource": {"attributes": ["KeyValue"]},
    "Scope": {"name": text, "version": text},
    "ScopeLogs": {"scope": "Scope", "logRecords": ["LogRecord"]},
    "LogRecord": {"timeUnixNano": unsigned64, "observedTimeUnixNano": unsigned64,
                  "severityNumber": enum, "severityText": text, "body": "AnyValue",
                  "attributes": ["KeyValue"], "traceId": trace_id, "spanId": span_id},
    "KeyValue": {"key": text, "value": "AnyValue"},
    "AnyValue": {"stringValue": text, "intValue": integer64, "bytesValue": data,
                 "arrayValue": "ArrayValue"},
    "ArrayValue": {"values": ["AnyValue"]},
    "Spans": {"resourceSpans": ["ResourceSpans"]},
    "ResourceSpans": {"resource": "Resource", "scopeSpans": ["ScopeSpans"]},
    "ScopeSpans": {"scope": "Scope", "spans": ["Span"]},
    "Span": {"traceId": trace_id, "spanId": span_id, "parentSpanId": span_id, "name": text,
             "kind": enum, "startTimeUnixNano": unsigned64, "endTimeUnixNano": unsigned64,
             "attributes": ["KeyValue"], "status": "Status"},
    "Status": {"code": enum, "message": text},
    "Metrics": {"resourceMetrics": ["ResourceMetrics"]},
    "ResourceMetrics": {"resource": "Resource", "scopeMetrics": ["ScopeMetrics"]},
    "ScopeMetrics": {"scope": "Scope", "metrics": ["Metric"]},
    "Metric": {"name": text, "sum": "Sum", "gauge": "Gauge", "histogram": "Histogram",
               "summary": "Summary"},
    "Sum": {"isMonotonic": boolean, "aggregationTemporality": enum, "dataPoints": ["Number"]},
    "Gauge": {"dataPoints": ["Number"]},
    "Number": {"attributes": ["KeyValue"], "startTimeUnixNano": unsigned64,
               "timeUnixNano": unsigned64, "asInt": integer64},
    "Histogram": {"aggregationTemporality": enum, "dataPoints": ["HistogramPoint"]},
    "HistogramPoint": {"attributes": ["KeyValue"], "startTimeUnixNano": unsigned64,
                       "timeUnixNano": unsigned64, "count": unsigned64, "sum": double,
                       "min": double, "max": double, "explicitBounds": [double],
                       "bucketCounts": [unsigned64]},
    "Summary": {"dataPoints": ["SummaryPoint"]},
    "SummaryPoint": {"attributes": ["KeyValue"], "startTimeUnixNano": unsigned64,
                     "timeUnixNano": unsigned64, "count": unsigned64, "sum": double,
                     "quantileValues": ["Quantile"]},
    "Quantile": {"quantile": double, "value": double},
}


def check(v, kind, where):
    if isinstance(kind, list):
        assert isinstance(v, list), where
        for x in v:
            check(x, kind[0], where)
    elif callable(kind):
        assert kind(v), (where, v)
    else:
        assert isinstance(v, dict), (where, v)
        if kind in ("AnyValue", ):
            assert len(v) == 1, (where, v)
        for name, x in v.items():
            assert name in SCHEMA[kind], (where, name)
            check(x, SCHEMA[kind][name], where + "." + name)


def plain(v):
    """An AnyValue as a value of Python."""
    [(kind, x)] = v.items()
    if kind == "intValue":
        return int(x)
    if kind == "bytesValue":
        return base64.b64decode(x)
    return [plain(y) for y in x["values"]] if kind == "arrayValue" else x


def attributes(v):
    return {a["key"]: plain(a["value"]) for a in v.get("attributes", [])}


RECORDS = {"Logs": "logRecords", "Metrics": "metrics", "Spans": "spans"}


def records(message):
    """The log records, metrics or spans of a message of staprun."""
    [kind] = [k for k in RECORDS if "resource" + k in message]
    [resource] = message["resource" + kind]
    assert attributes(resource["resource"])["service.name"] == "ustap"
    [scope] = resource["scope" + kind]
    return scope[RECORDS[kind]]


def read(output):
    """The log records, and the metrics by name, of the last line that has them."""
    logs, found = [], {}
    for line in output.decode("utf-8").split("\n")[:-1]:
        message = json.loads(line)
        kind = "Logs" if "resourceLogs" in message else "Metrics"
        check(message, kind, kind)
        if kind == "Logs":
            logs += records(message)
        else:
            found.update((m["name"], m) for m in records(message))
    return logs, found


def check_logs(logs):
    first = next(r for r in logs if plain(r["body"]) == "7 \"x\"\n")
    a = attributes(first)
    assert a["ustap.probe"] == "begin" and a["ustap.args"] == [7, "x"], a
    assert first["severityNumber"] == 9 and a["process.pid"] > 0
    assert any(plain(r["body"]) == b"\xff\n" for r in logs)
    assert any(r["severityNumber"] == 13 and "careful" in plain(r["body"]) for r in logs)


def check_metrics(found):
    points = found["calls"]["sum"]["dataPoints"]
    assert found["calls"]["sum"]["isMonotonic"]
    assert found["calls"]["sum"]["aggregationTemporality"] == 2
    assert {attributes(p)["n"]: int(p["asInt"]) for p in points} == {-1: 3, 2: 4}
    [level] = found["level"]["gauge"]["dataPoints"]
    assert level["asInt"] == "-9223372036854775808"
    [sizes] = found["sizes"]["histogram"]["dataPoints"]
    bounds, counts = sizes["explicitBounds"], [int(n) for n in sizes["bucketCounts"]]
    assert len(counts) == len(bounds) + 1 and bounds == sorted(set(bounds))
    assert sum(counts) == int(sizes["count"]) == 4 and sizes["sum"] == 1002
    assert sizes["min"] == -2 and sizes["max"] == 1000
    for sample in (-2, 0, 4, 1000):
        assert counts[next(i for i, b in enumerate(bounds) if b >= sample)] == 1, sample
    assert int(found["ustap.records.lost"]["sum"]["dataPoints"][0]["asInt"]) == 0


def main():
    r = subprocess.run([sys.argv[1], "--output=otlp", sys.argv[2]], capture_output=True)
    assert r.returncode == 0, r
    logs, found = read(r.stdout)
    check_logs(logs)
    check_metrics(found)
    print("OTLP has the values")


if __name__ == "__main__":
    main()
