#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_recordings.py BUILD: recordings that cost a report much: one with deep stacks and returns
that match no entry, one with many functions and threads, one with many threads that take turns.
Reports end, with little memory."""
import os
import resource
import shutil
import struct
import subprocess
import sys

MAGIC = 0x31736C6C61637375
SITES, EVENTS, RETURN = 1, 2, 1
DEEP, RETURNS = 60000, 400000
FUNCTIONS, THREADS = 50000, 20000
TURNS = 100
COMMANDS = [["report"], ["replay"], ["report", "--output=ctf"]]
LACKS = b"was built without libbabeltrace2"
SECONDS, MEMORY = 10, 512 << 20


def chunk(kind, body):
    return struct.pack("=QII", MAGIC, kind, len(body)) + body


def sites(n):
    """N functions, each with an entry (even number) and a return (odd number)."""
    for first in range(0, 2 * n, 1000):
        body = b""
        for i in range(first, min(first + 1000, 2 * n)):
            text = b"f%06d\0x\0" % (i // 2)
            text += bytes(-len(text) % 8)
            body += struct.pack("=IIIIQ", i, 0, i % 2 * RETURN, len(text), i // 2) + text
        yield chunk(SITES, body)


def events(tid, first, rows, times=None):
    """ROWS: (site, slot) of each event; TIMES: their ticks."""
    times = times or [1] * len(rows)
    for at in range(0, len(rows), 4096):
        part = rows[at : at + 4096]
        head = struct.pack("=QQQIIIIQ", first + at, 1, 1, len(part), 0, 1, tid, 0)
        yield chunk(EVENTS, head + b"".join(
            struct.pack("=QII", time, *row) for time, row in zip(times[at:], part)))


def deep():
    yield from sites(2)
    rows = [(0, DEEP - i) for i in range(DEEP)] + [(3, 1)] * RETURNS
    yield from events(1, 0, rows)


def wide():
    yield from sites(FUNCTIONS)
    for tid in range(1, THREADS + 1):
        yield from events(tid, 0, [(0, 1)])


def many():
    """Events of one time: the next one is always that of another thread."""
    yield from sites(1)
    for tid in range(1, THREADS + 1):
        yield from events(tid, 0, [(i % 2, 1) for i in range(TURNS)], range(1, TURNS + 1))


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main():
    program = os.path.join(sys.argv[1], "ustap-report")
    for name, make in ("deep", deep), ("wide", wide), ("many", many):
        with open(name, "wb") as f:
            f.writelines(make())
        for command in COMMANDS:
            run = subprocess.run([*command, name], executable=program, preexec_fn=limits,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            assert run.returncode == 0 or LACKS in run.stderr, \
                (name, command, run.returncode, run.stderr[-200:])
            shutil.rmtree("ustap.ctf", ignore_errors=True)
    print("hostile recordings read")


main()
