# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program in gdb and writes down the parameters of each call of some functions; see `calls`.
 After agree.py."""


def numbers(frame, names):
    """The parameters NAMES that are numbers, as texts; those that gdb does not have are left
    out."""
    out = {}
    for name in names:
        v = gdb_value(frame, name)
        if v[0] == "value":
            out[name] = "%#x" % v[1]
    return out


def record(functions, base):
    """Up to args["each"] calls of each of FUNCTIONS, in the order in which they come."""
    by_place, hits, counts = {}, [], collections.Counter()
    for f in functions:
        p = f.ours["entry"]
        if p and p.addr is not None:
            b = gdb.Breakpoint("*%#x" % (base + p.addr), internal=True)
            by_place[base + p.addr] = (f, b,
                                       [s.name for s in f.block if s.is_argument and s.name
                                        and not is_real(s)])
    while len(hits) < args["limit"]:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        found = by_place.get(int(gdb.parse_and_eval("$pc")))
        if not found:
            break
        f, b, names = found
        hits.append((f.addr, numbers(gdb.newest_frame(), names)))
        counts[f.addr] += 1
        if counts[f.addr] == args["each"]:
            b.delete()
    return hits


def is_real(symbol):
    """Floating-point numbers are texts in ustap's lists."""
    return symbol.type.strip_typedefs().code == gdb.TYPE_CODE_FLT
