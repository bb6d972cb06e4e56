#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""missing_events.py DIRECTORY RECORDING: take a chunk of events out of the middle of a thread; each
command of ustap-report of DIRECTORY must name the number of its events. A pipe must do as a
file."""
import shutil
import struct
import subprocess
import sys

COMMANDS = [["report"], ["replay"], ["report", "--output=trace-event"], ["report", "--output=ctf"]]
EVENTS = 2   # of enum ust_calls_type
TID = 36     # in struct ust_calls_events
directory, path = sys.argv[1:]
good = open(path, "rb").read()
chunks, at = [], 0
while at < len(good):
    _, kind, length = struct.unpack_from("<QII", good, at)
    chunks.append((kind, at, at + 16 + length))
    at += 16 + length


def run(words, name, **options):
    shutil.rmtree("ctf", ignore_errors=True)
    if "--output=ctf" in words:
        words = words + ["-o", "ctf"]
    return subprocess.run([directory + "/ustap"] + words + [name], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)


of_threads = {}
for chunk in chunks:
    if chunk[0] == EVENTS:
        of_threads.setdefault(struct.unpack_from("<I", good, chunk[1] + 16 + TID), []).append(chunk)
middle = max(of_threads.values(), key=len)[1:-1]
if not middle:
    sys.exit("the recording is too small")
with open("missing.rec", "wb") as f:
    f.write(good[:middle[0][1]] + good[middle[0][2]:])
for words in COMMANDS:
    said = run(words, "missing.rec").stderr
    print(" ".join(words), "names" if " entries and returns are missing" in said else said)
for words in COMMANDS[:3]:
    with open(path, "rb") as f:
        piped = subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE)
        same = run(words, "/dev/stdin", stdin=piped.stdout).stdout == run(words, path).stdout
        piped.stdout.close()
        piped.wait()
    print(" ".join(words), "reads a pipe" if same else "reads something else from a pipe")
