# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts that run inside gdb ask of ELF files and of where they are mapped."""
import os
import re
import subprocess

import gdb


def debug_file(path):
    """The file with the symbols of PATH, by build-id."""
    found = re.search(r"Build ID: (\w\w)(\w+)",
                      subprocess.run(["readelf", "-n", path], capture_output=True,
                                     text=True).stdout)
    file = found and "/usr/lib/debug/.build-id/%s/%s.debug" % found.groups()
    return file if file and os.path.exists(file) else path


def load_base(path):
    real = os.path.realpath(path)
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
        for line in maps:
            word = line.split()
            if len(word) > 5 and os.path.realpath(word[5]) == real:
                return int(word[0].split("-")[0], 16)
    raise SystemExit("%s is not mapped" % path)


def is_fixed(path):
    with open(path, "rb") as f:
        return f.read(18)[16] == 2
