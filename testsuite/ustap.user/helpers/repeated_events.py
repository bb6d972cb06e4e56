#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""repeated_events.py BUILD: a recording of one call whose chunk of events is there twice. The
report counts the call once and names the events that it ignores."""
import struct
import subprocess
import sys

MAGIC = 0x31736C6C61637375
SITES, EVENTS, RETURN = 1, 2, 1


def chunk(kind, body):
    return struct.pack("=QII", MAGIC, kind, len(body)) + body


def site(index, flags):
    text = b"f\0f".ljust(8, b"\0")
    return struct.pack("=IIIIQ", index, 0, flags, len(text), 16) + text


calls = struct.pack("=QQQIIIIQ", 0, 9, 90, 2, 0, 1, 1, 0)
calls += struct.pack("=QII", 5, 0, 100) + struct.pack("=QII", 9, 1, 100)
with open("repeated.rec", "wb") as f:
    f.write(chunk(SITES, site(0, 0) + site(1, RETURN)) + 2 * chunk(EVENTS, calls))
done = subprocess.run([sys.argv[1] + "/ustap", "report", "repeated.rec"], text=True,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
print("report:", done.stdout.splitlines()[1].split()[0])
print(done.stderr, end="")
