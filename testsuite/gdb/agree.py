# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares what ustap says of functions with what gdb says; runs inside gdb, see `agree`.

For each of some functions of a module, chosen by chance:

  entry   the place of ustap's probe, and its line, against gdb's symbol and line table
  value   parameters as ustap reads them at its place, against what gdb prints behind the
          prologue, which the process is made to run with known registers and a known stack
  behind  parameters as ustap reads them at the address that gdb's own breakpoint takes, against
          gdb there

Registers point into a part of the stack whose words are all different, so that a wrong register,
slot, size or sign shows.
"""
import collections
import json
import os
import random
import re
import struct
import subprocess
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from elf import debug_file, is_fixed, load_base

REGS = (["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] +
        ["r%d" % i for i in range(8, 16)] + ["rip"])
PLAIN = re.compile(r"(push|mov|lea|sub|add|and|or|xor|test|cmp|endbr64|nop|pxor|movap|movdq|movup|"
                   r"cmov|set|shl|shr|sar|cltq|cqto|neg|not|inc|dec)")
MASK = (1 << 64) - 1
args = json.loads(os.environ["AGREE"])


def sh(*words):
    return subprocess.run(words, capture_output=True, text=True)


# ------------------------------------------------------------------------------------ the functions

def symbols(path):
    """Addresses of functions, with a size and a name each."""
    out = {}
    for line in sh("readelf", "-sW", debug_file(path)).stdout.splitlines():
        word = line.split()
        if len(word) > 7 and word[3] == "FUNC" and word[6] not in ("UND", "ABS"):
            size = int(word[2], 0)
            name = word[7].split("@")[0]
            if size > 0 and ".cold" not in name and ".part." not in name:
                out[int(word[1], 16)] = (size, name)
    return out


class Function:
    def __init__(self, addr, size, name):
        self.addr, self.size, self.name = addr, size, name
        self.behind = self.symbol = None
        self.ours = {}                   # "entry", "behind" -> Probe


def find_symbol(f, base):
    """gdb's own idea of the function at F; false: it has none with debug information."""
    block = gdb.block_for_pc(base + f.addr)
    while block and not block.function:
        block = block.superblock
    while block and block.superblock and block.superblock.function:
        block = block.superblock
    if not block or block.start != base + f.addr or not block.function.symtab:
        return False
    f.symbol, f.block = block.function, block
    return True


def find_behind(f, base):
    """Where gdb's breakpoint on F is, an address of the module."""
    name = f.symbol.linkage_name
    try:
        b = gdb.Breakpoint(source=f.symbol.symtab.filename, function=f.symbol.name, internal=True)
    except gdb.error:
        return False
    at = [l.address for l in b.locations if base + f.addr <= l.address < base + f.addr + f.size]
    b.delete()
    f.behind = min(at) - base if at else None
    return bool(at) and name is not None


# ------------------------------------------------------------------------------------------ ustap

class Probe:
    def __init__(self):
        self.addr = self.line = self.func = None
        self.access, self.shown = [], []     # op lists; name -> index or "?"


def ask_ustap(path, functions):
    """Two probes for each of FUNCTIONS, each in a line of its own; what came of them, by line."""
    script = os.path.join(args["dir"], "agree.stp")
    with open(script, "w") as out:
        for i, f in enumerate(functions):
            out.write('probe process("%s").function(%#x).call ? { printf("%%d %%s\\n", %d, '
                      '$$parms) }\n'
                      % (path, f.addr, 2 * i))
            out.write('probe process("%s").statement(%#x) ? { printf("%%d %%s\\n", %d, $$parms) }\n'
                      % (path, f.behind, 2 * i + 1))
        out.write("probe begin { exit() }\n")
    words = [args["ustap"], "--runtime=user", "-w", "-p2", "-D", "MAXSTRINGLEN=4096"]
    probes = collections.defaultdict(Probe)
    dump = sh(*words, "--dump=points", script)
    told = sh(*words, "--explain", script)
    if dump.returncode or told.returncode:
        raise SystemExit("ustap failed:\n" + dump.stderr[:2000] + told.stderr[:2000])
    read_dump(dump.stdout, probes)
    read_told(told.stdout, probes)
    for i, f in enumerate(functions):
        f.ours = {"entry": probes.get(2 * i), "behind": probes.get(2 * i + 1)}


def read_dump(text, probes):
    for part in re.split(r"^probe ", text, flags=re.M):
        number = re.search(r"printf \{%d .*?\} (\d+) ", part) or re.search(r"%d.*?\} (\d+)\b", part)
        if not number:
            continue
        p = probes[int(number.group(1))]
        site = re.search(r"^  site (\S+) ", part, re.M)
        p.func = site and site.group(1)
        p.access = re.findall(r"^  access \d+: (.*)$", part, re.M)
        shown = re.search(r"\(sprintf \{(.*?)\}((?: \$[^ )]+)*)\)", part, re.S)
        text = "".join(re.findall(r'"([^"]*)"', shown.group(1))) if shown else ""
        values = re.findall(r"\$([^ )#]+)#(\d+)", shown.group(2)) if shown else []
        p.shown = {name: int(n) for name, n in values}
        p.missing = set(re.findall(r"(\w+)=\?", text))
        p.aggregate = set(re.findall(r"(\w+)=\{\.\.\.\}", text))


def read_told(text, probes):
    line = None
    for row in text.splitlines():
        point = re.match(r".*agree\.stp:(\d+):\d+:", row)
        if point:
            line = int(point.group(1)) - 1
        place = re.match(r"      at offset \S+, address (0x[0-9a-f]+)(?:, .*?:(\d+))?$", row)
        if place and line in probes:
            probes[line].addr = int(place.group(1), 16)
            probes[line].line = place.group(2) and int(place.group(2))


# ----------------------------------------------------------------------- values of ustap's accesses

def signed(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def read(addr, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(addr & MASK, size).tobytes(),
                          "little")


def sized(v, text):
    bits = int(re.match(r"[su](\d+)", text).group(1))
    return (signed(v, bits) if text[0] == "s" else v & ((1 << bits) - 1)) & MASK


BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if b < 64 else 0, "shr": lambda a, b: a >> b if b < 64 else 0,
    "sra": lambda a, b: signed(a, 64) >> min(b, 63),
    "eq": lambda a, b: int(a == b), "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(signed(a, 64) < signed(b, 64)),
    "le": lambda a, b: int(signed(a, 64) <= signed(b, 64)),
    "gt": lambda a, b: int(signed(a, 64) > signed(b, 64)),
    "ge": lambda a, b: int(signed(a, 64) >= signed(b, 64)),
    "div": lambda a, b: int(signed(a, 64) / signed(b, 64)), "mod": lambda a, b: a % b,
}


def step(stack, word, arg, base):
    if word == "reg":
        stack.append(int(gdb.parse_and_eval("$" + REGS[int(arg)])) & MASK)
    elif word == "vector":
        stack.append(int(gdb.parse_and_eval("$xmm%d.v2_int64[%d]" % (int(arg) // 2, int(arg) % 2)))
                     & MASK)
    elif word == "const":
        stack.append(int(arg) & MASK)
    elif word == "addr":
        stack.append(int(arg, 16) + base)
    elif word == "deref":
        stack.append(sized(read(stack.pop(), int(arg[1:]) // 8), arg))
    elif word == "ext":
        stack.append(sized(stack.pop(), arg))
    elif word == "bits":
        kind, at = arg.split("@")
        stack.append(sized(stack.pop() >> int(at), kind))
    elif word == "neg":
        stack.append(-stack.pop() & MASK)
    elif word == "not":
        stack.append(~stack.pop() & MASK)
    elif word == "dup":
        stack.append(stack[-1])
    elif word == "drop":
        stack.pop()
    elif word == "over":
        stack.append(stack[-2])
    elif word == "pick":
        stack.append(stack[-1 - int(arg)])
    elif word == "swap":
        stack[-2:] = stack[:-3:-1]
    elif word == "thread":
        stack.append(int(gdb.parse_and_eval("$fs_base")) & MASK)
    elif word == "widen":
        single = struct.unpack("<f", struct.pack("<I", stack.pop() & 0xffffffff))[0]
        stack.append(struct.unpack("<Q", struct.pack("<d", single))[0])
    else:
        b, a = stack.pop(), stack.pop()
        stack.append(BINARY[word](a, b) & MASK)


def evaluate(access, base):
    """The value of an access as --dump=points shows it, at the registers of now."""
    depth = 0
    for i, c in enumerate(access):           # past the type
        depth += (c == "(") - (c == ")")
        if c == ")" and not depth:
            break
    text = access[i + 1:].strip()
    stack = []
    if "callers" in text.split(", "):
        raise LookupError("the caller is asked")
    for op in text.split(", "):
        word, _, arg = op.partition(" ")
        step(stack, word, arg, base)
    return stack[-1]


# ------------------------------------------------------------------------------------- gdb's values

NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR,
           gdb.TYPE_CODE_BOOL)
REFERENCES = (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1))


def gdb_value(frame, name):
    """("value", N), ("gone",) or ("other", WHAT) for what is no number."""
    try:
        v = frame.read_var(name)
        t = v.type.strip_typedefs()
        if t.code in REFERENCES:
            v = v.referenced_value()
            t = v.type.strip_typedefs()
        if t.code == gdb.TYPE_CODE_FLT:
            if v.is_optimized_out:
                return ("gone",)
            raw = float(v)
            if t.sizeof not in (4, 8):
                return ("other", "long double")
            return ("value", struct.unpack("<Q", struct.pack("<d", raw))[0])
        if t.code not in NUMBERS:
            return ("other", "aggregate")
        if t.sizeof > 8:
            return ("other", "wide")
        if v.is_optimized_out:
            return ("gone",)
        if t.code == gdb.TYPE_CODE_PTR and "synthetic pointer" in v.format_string():
            return ("other", "synthetic pointer")
        return ("value", int(v) & MASK)
    except (gdb.error, gdb.MemoryError, ValueError, OverflowError) as e:
        return ("gone", str(e))


def frame_of(name):
    frame = gdb.newest_frame()
    for _ in range(8):
        f = frame.function() if frame else None
        if f and name in (f.name, f.linkage_name, f.name.split("(")[0].split("::")[-1]):
            return frame
        frame = frame.older() if frame else None
    return None


# ---------------------------------------------------------------------------------------- the state

class State:
    """Known registers and stack."""
    def __init__(self):
        self.sp = (int(gdb.parse_and_eval("$rsp")) - 0x8000) & ~0xfff
        words = [(0x5a00000000000000 | (i * 0x9e3779b1) & 0xffffffffff) & MASK
                 for i in range(0x6000 // 8)]
        self.image = b"".join(struct.pack("<Q", w) for w in words)
        self.low = self.sp - 0x2000
        self.code = int(gdb.parse_and_eval("$pc"))

    def set_vectors(self):
        """Have the program load them: gdb cannot write them where the processor's state is larger
        than what it knows (AMX)."""
        process, table = gdb.selected_inferior(), self.low - 0x100
        # movsd 8*i(%rax), %xmm<i>
        code = b"".join(b"\xf2" + (b"\x44" if i >= 8 else b"") + b"\x0f\x10" +
                        struct.pack("<Bi", 0x80 | (i & 7) << 3, 8 * i) for i in range(16))
        before = process.read_memory(self.code, len(code)).tobytes()
        process.write_memory(table, struct.pack("<16d", *(1000.5 + i for i in range(16))))
        process.write_memory(self.code, code)
        gdb.execute("set $rax = %d" % table)
        gdb.execute("set $pc = %d" % self.code)
        gdb.execute("stepi 16", to_string=True)
        process.write_memory(self.code, before)

    def set(self, pc):
        self.set_vectors()
        gdb.selected_inferior().write_memory(self.low, self.image)
        for i, r in enumerate(REGS[:-1]):
            gdb.execute("set $%s = %d" % (r, self.sp + 0x1000 + 0x88 * i))
        gdb.execute("set $rsp = %d" % (self.sp + 0x7f8))
        gdb.execute("set $eflags = 0x202")
        gdb.execute("set $pc = %d" % pc)


def run_prologue(entry, behind):
    """Run the code from ENTRY, where the process is, to BEHIND; false if that is more than a
    prologue does."""
    architecture = gdb.selected_inferior().architecture()
    code = architecture.disassemble(entry, behind - 1) if behind > entry else []
    if any(not PLAIN.match(i["asm"]) or "rep" in i["asm"].split()[0] for i in code):
        return False
    if code:
        gdb.execute("stepi %d" % len(code), to_string=True)
    return int(gdb.parse_and_eval("$pc")) == behind


# ----------------------------------------------------------------------------------- the comparison

class Report:
    def __init__(self):
        self.counts, self.examples = collections.Counter(), collections.defaultdict(list)

    def add(self, what, example=None):
        self.counts[what] += 1
        if example and len(self.examples[what]) < args["examples"]:
            self.examples[what].append(example)


def source_line(pc):
    return gdb.find_pc_line(pc).line


def at_entry(f, base, report):
    p = f.ours["entry"]
    if not p or p.addr is None:
        report.add("entry: DIFFERS, ustap has no probe there", f.name)
        return False
    delta = p.addr - f.addr
    if delta == 0:
        report.add("entry: the same address as gdb's symbol")
    elif p.addr == f.behind:
        report.add("entry: behind the prologue, as gdb")
    elif delta == 4:
        report.add("entry: behind an endbr64")
    else:
        report.add("entry: DIFFERS", "%s at %#x, ustap %#x, gdb %#x" % (f.name, f.addr, p.addr,
                f.behind))
    ours, theirs = p.line or 0, source_line(base + p.addr)
    report.add("entry line: the same" if ours == theirs else "entry line: DIFFERS",
               "%s: ustap %s, gdb %s" % (f.name, ours, theirs))
    return True


def values(p, base):
    out = {}
    for name, n in p.shown.items():
        try:
            out[name] = evaluate(p.access[n], base)
        except gdb.MemoryError:
            out[name] = None
        except LookupError:
            out[name] = "caller"
    return out


def compare_one(kind, f, name, ours, p, theirs, report):
    """One parameter: OURS is a number, None, or absent."""
    place = "%s: %s $%s" % (os.path.basename(args["module"]), f.name, name)
    if theirs[0] == "other":
        report.add("%s: no number (%s)" % (kind, theirs[1]))
    elif name in p.missing:
        both = theirs[0] == "gone"
        report.add("%s: neither has it" % kind if both else "%s: gdb has it, ustap has not" % kind,
                   None if both else place)
    elif name not in p.shown:
        report.add("%s: not listed by ustap" % kind, place)
    elif ours == "caller":
        report.add("%s: asked of the caller" % kind if theirs[0] == "gone"
                   else "%s: gdb has it, ustap asks the caller" % kind, place)
    elif theirs[0] == "gone":
        report.add("%s: ustap has it, gdb has not" % kind,
                   "%s: %s" % (place, p.access[p.shown[name]]))
    elif ours is None:
        report.add("%s: memory that cannot be read" % kind)
    elif ours == theirs[1]:
        report.add("%s: the same" % kind)
    else:
        report.add("%s: DIFFERS" % kind, "%s: ustap %#x by \"%s\", gdb %#x at %#x"
                   % (place, ours, p.access[p.shown[name]], theirs[1], f.behind))


def compare_function(f, base, state, report):
    p, q = f.ours["entry"], f.ours["behind"]
    names = [s.name for s in f.block if s.is_argument and s.name]
    if not at_entry(f, base, report):
        return
    report.add("functions")
    state.set(base + p.addr)
    ours = values(p, base)
    ran = p.addr <= f.behind and run_prologue(base + p.addr, base + f.behind)
    if not ran:
        state.set(base + f.behind)
    frame = frame_of(f.symbol.name.split("(")[0].split("::")[-1]) or gdb.newest_frame()
    theirs = {n: gdb_value(frame, n) for n in names}
    for n in names:
        if ran:
            compare_one("value", f, n, ours.get(n), p, theirs[n], report)
        else:
            report.add("value: not compared, gdb's place is behind a jump or a call")
    if not q or q.addr is None:
        report.add("behind: no statement of ustap begins there", "%s %#x" % (f.name, f.behind))
        return
    if q.func not in (f.symbol.name, f.name, f.symbol.name.split("(")[0].split("::")[-1], p.func):
        report.add("behind: in an inlined function there")
        frame = frame_of(q.func)
        names = sorted(set(q.shown) | q.missing) if frame else []
        theirs = {n: gdb_value(frame, n) for n in names}
    line = source_line(base + f.behind)
    report.add("behind line: the same" if q.line == line else "behind line: DIFFERS",
               "%s: ustap %s, gdb %s" % (f.name, q.line, line))
    ours = values(q, base)
    for n in names:
        compare_one("behind", f, n, ours.get(n), q, theirs[n], report)


def choose(path, base):
    """Functions of PATH by chance, until there are enough that gdb knows."""
    all_symbols = sorted(symbols(path).items())
    random.Random(args["seed"]).shuffle(all_symbols)
    out = []
    for addr, (size, name) in all_symbols:
        f = Function(addr, size, name)
        if find_symbol(f, base) and find_behind(f, base):
            out.append(f)
        if len(out) == args["count"]:
            break
    return out


def main():
    for command in ("set pagination off", "set confirm off", "set print frame-arguments none",
                    "set width 0",
                    "set debuginfod enabled off",
                    "handle all %s" % ("pass nostop noprint"
                                       if args["each"] else "nopass stop noprint"),
                    "set backtrace limit 9", "set python print-stack full",
                    "set exec-wrapper env -i PATH=/usr/bin:/bin"):
        gdb.execute(command, to_string=True)
    gdb.execute("starti", to_string=True)
    entry = int(re.search(r"Entry point: (0x[0-9a-f]+)",
                          gdb.execute("info files", to_string=True)).group(1), 16)
    gdb.Breakpoint("*%#x" % entry, temporary=True)
    gdb.execute("continue", to_string=True)
    module = args["module"]
    base = 0 if is_fixed(module) else load_base(module)
    functions = choose(module, base)
    ask_ustap(module, functions)
    if args["each"]:
        start = entry - (0 if is_fixed(args["program"]) else load_base(args["program"]))
        pid = gdb.selected_inferior().pid
        hits = record(functions, base)
        with open(args["result"], "w") as out:
            json.dump({"functions": [f.addr for f in functions], "hits": hits, "entry": start,
                       "pids": [pid, os.getpid()]}, out)
        return
    state, report = State(), Report()
    for f in functions:
        compare_function(f, base, state, report)
    with open(args["result"], "w") as out:
        json.dump({"counts": report.counts, "examples": report.examples}, out)
    gdb.execute("kill", to_string=True)


with open(os.path.join(args["here"], "calls.py")) as rest:
    exec(compile(rest.read(), "calls.py", "exec"))
main()
