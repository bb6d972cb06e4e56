# SPDX-License-Identifier: GPL-2.0-or-later
# json_database.py duckdb|clickhouse LOAD.sql FILE...: load the files of --output=json into this
# database, compare the result with what Python reads in them, and load damaged files.
import collections
import json
import os
import subprocess
import sys

from json_sqlite import read

ENGINE = sys.argv[1]
JSON = {"args", "keys", "keys_base64", "value"}     # columns
SECOND_LOAD = "Duplicate key"                       # the message
if ENGINE == "clickhouse":
    JSON |= {"statistic", "buckets", "cycles"}
    SECOND_LOAD = "a file was added already"
HERE = os.path.dirname(os.path.abspath(__file__))
LOAD = open(sys.argv[2]).read()


def query(sql, files=""):
    """(exit status, rows, messages) of SQL."""
    run = subprocess.run(["node", f"{HERE}/{ENGINE}.js", "test." + ENGINE, files], input=sql,
                         text=True, capture_output=True)
    return run.returncode, [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def load(*paths):
    if ENGINE == "clickhouse":
        status, _, messages = query(LOAD, "{" + ",".join(paths) + "}")
    else:
        files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
        status, _, messages = query(f"SET VARIABLE files = [{files}]; {LOAD}")
    return status, messages


def numbers(value):
    """The value, with 64-bit integers in place of the strings that DuckDB's JSON has for them."""
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [numbers(v) for v in value]
    return int(value)


def plain(name, value):
    if name in JSON:
        return json.loads(value) if isinstance(value, str) else value
    if name in ("statistic", "buckets", "cycles", "time", "realtime", "cpu", "pid", "tid", "hits",
                "refused", "count", "min", "max", "sum", "hosts"):
        return numbers(value)
    return value


def rows(sql):
    """The rows of a query, without members that are null."""
    if ENGINE == "clickhouse":
        sql = sql.replace("FROM ", "FROM ustap.").replace("ORDER BY rowid", "").replace('"', "")
    status, found, messages = query(sql)
    assert status == 0, messages
    return [{k: plain(k, v) for k, v in row.items() if v is not None} for row in found]


def check_members(paths):
    want, total = [], collections.defaultdict(dict)
    for path in paths:
        read(path, want, total)
    got = rows("SELECT * FROM record ORDER BY rowid")

    def in_order(records):
        return sorted(json.dumps(record, sort_keys=True) for record in records)
    for a, b in zip(in_order(want), in_order(got)):
        if a != b:
            print(f"expected {a}\nloaded   {b}")
    if len(want) == len(got) > 20:
        print("all members agree")
    names = ("value", "count", "sum", "min", "max")
    merged = sorted(sorted((k, row[k]) for k in names if k in row)
                    for row in rows("SELECT * FROM merged"))
    expected = sorted(sorted(sums.items()) for sums in total.values())
    print("the sums agree" if merged == expected else f"{expected}\n{merged}")


def check_damage(path):
    text = open(path, "rb").read()
    before = len(rows("SELECT host FROM record"))
    status, messages = load(path)
    print("twice:", status, SECOND_LOAD in messages)
    for name, damaged in (("comma", text.replace(b",", b";", 1)),
                          ("cut line", text.replace(b"}\n", b"\n", 1))):
        open("damaged.json", "wb").write(damaged)
        status, messages = load("damaged.json")
        print(f"{name}:", status, "malformed JSON" in messages)
    print("added:", len(rows("SELECT host FROM record")) - before)
    open("short.json", "wb").write(text[:-200])
    print("short:", load("short.json")[0], [bool(row["open"]) for row in rows(
        'SELECT "end" IS NULL AS open FROM run WHERE host = \'short\'')])


def main():
    paths = sys.argv[3:]
    status, messages = load(*paths)
    assert status == 0, messages
    check_members(paths)
    check_damage(paths[0])


main()
