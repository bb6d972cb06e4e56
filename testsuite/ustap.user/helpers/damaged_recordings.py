#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""damaged_recordings.py DIRECTORY RECORDING: damage a recording in 150 ways; ustap-report of
DIRECTORY must end each time by itself, with status 0 or 1, and without a word of a sanitizer if it
was built with one."""
import os
import random
import shutil
import struct
import subprocess
import sys

COMMANDS = [["report"], ["replay"], ["report", "--output=trace-event"],
            ["report", "--output=ctf"]]
directory, path = sys.argv[1:]
good = open(path, "rb").read()
rng = random.Random(20)
MAGIC = struct.pack("<Q", 0x31736C6C61637375)
heads = [i for i in range(0, len(good) - 16, 8) if good[i:i + 8] == MAGIC]
# the status of sanitizers is 1 otherwise
ENVIRONMENT = dict(os.environ, **{name: os.environ.get(name, "") + ":exitcode=99"
                                  for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")})
EXTREMES = [0, 1, 7, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def damaged(turn):
    data = bytearray(good)
    for _ in range(rng.choice([1, 4, 64])):
        if turn % 3 and heads:  # a word of a head, or of the data behind it
            at = rng.choice(heads) + 4 * rng.randrange(2, 24)
        else:
            at = 4 * rng.randrange(len(data) // 4)
        if at + 4 <= len(data):
            value = rng.choice(EXTREMES + [rng.randrange(1 << 32)])
            struct.pack_into("<I", data, at, value)
    if turn % 5 == 0:
        del data[rng.randrange(len(data)):]
    return data


read = 0
for turn in range(150):
    with open("damaged.rec", "wb") as f:
        f.write(damaged(turn))
    command = COMMANDS[turn % 4]
    done = subprocess.run(command + ["damaged.rec"],
                          executable=directory + "/ustap-report",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          env=ENVIRONMENT)
    shutil.rmtree("ustap.ctf", ignore_errors=True)
    if done.returncode not in (0, 1):
        print(f"turn {turn}: {command}: status {done.returncode}")
    else:
        read += 1
print(read, "damaged recordings read")
