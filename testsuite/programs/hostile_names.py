#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_names.py PROGRAM: write C over the names of hostile_names.c, at their length.

Where such a name becomes a part of the emitted C, all handlers print INJECTED."""
import re
import sys

MACRO = b'\n#define ust_leave(c) (ust_put_s(&c->out, "INJECTED\\n"), ust_leave(c))\n'
HOSTILE = {
    b"member_name": b'm", &shape_0, 0, 0}};' + MACRO + b'static const struct ust_member unused[] = {{"',
    b"constant_name": b'c", 0}};' + MACRO + b'static const struct ust_enumerator others[] = {{"',
    b"parameter_name": b'p");*/' + MACRO + b'/*("',
    b"function_name": b'f*/' + MACRO + b'/*\\',
    b"marker_name": b'k*/"' + MACRO + b'/*',
    b"file_name": b's"*/' + MACRO + b'/*',
}


def main():
    data = open(sys.argv[1], "rb").read()
    for name, text in HOSTILE.items():
        found = re.findall(re.escape(name) + rb"_[0-9_]*(?:\.c)?", data)
        if not found and text not in data:      # it is there when the program was made before
            sys.exit(f"no {name}")
        for old in set(found):
            if len(text) > len(old):
                sys.exit(f"{name} has only {len(old)} bytes, not {len(text)}")
            new = text + b"_" * (len(old) - len(text))
            data = data.replace(old, new)
    open(sys.argv[1], "wb").write(data)


main()
