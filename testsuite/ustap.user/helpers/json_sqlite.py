# SPDX-License-Identifier: GPL-2.0-or-later
# json_sqlite.py LOAD.sql FILE...: load the files of --output=json into a database, and compare it
# with what Python reads in them.
import collections
import json
import os
import sqlite3
import subprocess
import sys

LEFT_OUT = {"names", "text_base64", "args_base64", "value_base64"}
JSON = {"args", "keys", "keys_base64", "statistic", "buckets", "cycles"}    # columns


def columns(row, start):
    """The row of the table "record" for a line."""
    out = {name: value for name, value in row.items() if name not in LEFT_OUT}
    out["realtime"] = row["time"] - start["time"] + start["realtime"]
    if isinstance(row.get("value"), dict):
        out["statistic"] = out.pop("value")
    return out


def wrapped(n):
    """The sum as a signed 64-bit integer."""
    return (n + (1 << 63)) % (1 << 64) - (1 << 63)


def add(total, row):
    """Add the global of a line to the totals of its name and keys."""
    value = row["value"]
    if isinstance(value, str):
        return
    key = row["name"], str(row.get("keys")), str(row.get("keys_base64"))
    if isinstance(value, int):
        total[key]["value"] = wrapped(total[key].get("value", 0) + value)
        return
    for name, merge in (("count", sum), ("sum", sum), ("min", min), ("max", max)):
        values = [x for x in (total[key].get(name), value.get(name)) if x is not None]
        if values:
            total[key][name] = wrapped(merge(values))


def read(path, want, total):
    """The lines of a file; adds their rows to WANT and their globals to TOTAL."""
    lines = [json.loads(line) for line in open(path, "rb")]
    for row in lines[1:-1]:
        if row["type"] != "view" and "view" not in row:
            host = os.path.basename(path)[:-len(".json")]
            want.append(dict(columns(row, lines[0]), host=host))
            if row["type"] == "global":
                add(total, row)
    return lines


def main():
    want, total = [], collections.defaultdict(dict)
    for path in sys.argv[2:]:
        with open(sys.argv[1]) as sql:
            subprocess.run(["sqlite3", "-bail", "test.db"], stdin=sql, check=True,
                           env=dict(os.environ, FILE=path))
        rows = read(path, want, total)
        if any(row["type"] == "global" and "view" in row for row in rows):
            print("--monitor wrote views")
    database = sqlite3.connect("test.db")
    database.row_factory = sqlite3.Row
    got = [{k: json.loads(row[k]) if k in JSON else row[k] for k in row.keys()
            if row[k] is not None}
           for row in database.execute("SELECT * FROM record ORDER BY rowid")]
    for a, b in zip(want, got):
        if a != b:
            print("expected %s\nloaded   %s" % (a, b))
    if want == got and {row["type"] for row in got} >= {"print", "global", "warning", "histogram",
                                                        "hits"}:
        print("all members agree")
    names = ("value", "count", "sum", "min", "max")
    merged = sorted(sorted((k, row[k]) for k in names if row[k] is not None)
                    for row in database.execute("SELECT * FROM merged"))
    expected = sorted(sorted(sums.items()) for sums in total.values())
    print("the sums agree" if merged == expected else "%s\n%s" % (expected, merged))


if __name__ == "__main__":
    main()
