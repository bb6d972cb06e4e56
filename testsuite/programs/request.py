# SPDX-License-Identifier: GPL-2.0-or-later
# A request that reads a file and answers into another; the same calls each time.
import os
import sys


def load(path):
    with open(path, "rb", buffering=0) as f:
        return f.read(100)


def store(path, text):
    with open(path, "wb", buffering=0) as f:
        f.write(text)


def answer(path):
    text = load(path)
    store(path, text.upper())


with open(sys.argv[1], "wb") as f:
    f.write(b"a request\n")
answer(sys.argv[1])
os.unlink(sys.argv[1])
