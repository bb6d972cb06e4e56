# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts of the language that language.py models."""
import ctypes
import random
import re

import language as l

WORDS = ["", "a", "b", "ab", "abc", "x y", "100%", "0x1f", "-12", "017", "Z", "9", 'tab\tq"\\',
         "long text that is here to fill ", "zz"]
NUMBERS = [0, 1, 2, 3, 5, 7, 10, 63, 64, 65, 100, 255, 256, 1000, 65535, 65536, 2**31 - 1, 2**31,
           2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, -2**63, -1, -2, -3, -10, -128, -2**31,
           -2**31 - 1]
EXPRESSIONS = [re.compile(e) for e in ("^a", "b$", "^(a|x y)", "[0-9]+", "a.*b", "^$", "[^a-z]",
                                       "(ab|b)c?", "l[a-o]+")]
COMPARISONS = ["==", "!=", "<", ">", "<=", ">="]

# Calls of work(n, s) by the probed program, calls.c, and what they return.
CALLS = [(number, text, number * 3 + len(text)) for number, text in zip(
    [3, 0, -2, 1, 1, 4, 2**40, 2, 0, 3, 3, -1], ["a", "ab", "", "b", "x y", "a", "ab", "100%"] * 2)]
TARGETS = {"begin": [],
           "call": [l.Target("$n", "i"), l.Target("user_string($s)", "s")],
           "return": [l.Target("$return", "i"), l.Target("@entry($n)", "i")]}

_libc = ctypes.CDLL(None)
_libc.strtoll.restype = ctypes.c_longlong


def strtol(text, base):
    """As C's, but blanks are not skipped."""
    return 0 if text[:1].isspace() else _libc.strtoll(text.encode(), None, base)


def substr(text, start, length):
    return text[start:start + length]


def stringat(text, at):
    if at >= len(text):
        raise l.Fault("Position out of bounds")
    return ord(text[at])


class Script:
    """Globals, functions and handlers, all by the number SEED."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.scalars = [l.Variable("g%d" % i, "i" if i < 4 else "s", True) for i in range(7)]
        self.arrays = [self.array(i) for i in range(6)]
        self.statistics = [
            l.Array("s%d" % i, [self.random.choice("is") for _ in range(n)], "x")
            for i, n in enumerate([0, 0, 1, 2])]
        self.functions = []
        self.visited = []       # arrays of the loops around the next statement
        self.changed = set()    # arrays that the function changes so far
        self.visible = []       # locals that can be read, but not set
        self.function = None
        self.loops = 0
        self.names = 0
        for i in range(self.random.randint(2, 5)):
            self.functions.append(self.new_function(i))
        self.function = None
        self.handlers = [self.handler("begin") for _ in range(self.random.randint(1, 2))]
        self.handlers += [self.handler(self.random.choice(["call", "call", "return"]))
                          for _ in range(self.random.randint(0, 3))]

    def handler(self, probe):
        """(type of probe point, condition or None, block)"""
        condition = self.maybe(0.2) and l.Binary(
            self.random.choice(COMPARISONS), self.random.choice(self.scalars[:4]),
            l.Literal(self.random.randint(-2, 5)))
        self.begin([])
        self.visible = TARGETS[probe]
        length, depth = self.random.randint(4, 12), 3
        if probe != "begin":    # short ones have code of their own, and there are many hits
            length, depth = self.random.choice([(1, 0), (2, 1), (4, 3)])
        if length < 4:          # nothing that would show the types of locals
            self.locals = []
        body = self.block(length, depth)
        body = self.typed(body)
        if self.maybe(0.5) and length > 1:
            body = l.Block([l.Try(body, l.Block([]))])
        self.visible = []
        return probe, condition or None, body

    def maybe(self, chance):
        return self.random.random() < chance

    def array(self, i):
        size = self.random.choice([0, 0, 3, 5])
        keys = [self.random.choice("is") for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        return l.Array("a%d" % i, keys, self.random.choice("iis"), size,
                       size > 0 and self.maybe(0.4))

    def new_function(self, i):
        type = self.random.choice("is")
        parameters = [l.Variable("p%d" % j, self.random.choice("is"))
                      for j in range(self.random.randint(0, 3))]
        function = self.function = l.Function("f%d" % i, type, parameters)
        self.changed = function.changed
        # calls itself with less, until that is not positive
        recursive = [p for p in parameters if p.type == "i"][:1] if self.maybe(0.3) else []
        for last in [False, True] if self.maybe(0.3) else [True]:
            self.begin([p for p in parameters if p not in recursive])
            self.visible = list(recursive)
            body = self.block(self.random.randint(1, 4), 2)
            if not last:
                body.statements.append(l.If(self.expression("i", 2), l.Block([l.Leave("next")])))
            result = self.expression(type, 2)
            if recursive:
                less = [l.Binary("-", p, l.Literal(1)) if p in recursive
                        else self.expression(p.type, 1) for p in parameters]
                again = l.Call(function, less)
                again = l.Binary("+" if type == "i" else ".", result, again)
                few = l.Binary("&&", l.Binary(">", recursive[0], l.Literal(0)),
                               l.Binary("<", recursive[0], l.Literal(6)))
                result = l.Choice(few, again, result)
            body.statements.append(l.Leave("return", result))
            function.bodies.append(self.typed(body))
        self.visible = []
        return function

    def begin(self, parameters):
        """Begin a function or handler: its locals."""
        self.locals = list(parameters)
        self.locals += [l.Variable("l%d" % i, "i") for i in range(3)]
        self.locals += [l.Variable("t%d" % i, "s") for i in range(2)]
        self.names = 0

    def typed(self, block):
        """BLOCK after assignments to all locals, whose types may not be seen from it alone."""
        first = [l.Evaluate(l.Assignment(v, "=", l.Literal(l.EMPTY[v.type])))
                 for v in self.locals if v.name[0] in "lt"]
        return l.Block(first + block.statements)

    def new_local(self, type):
        self.names += 1
        return l.Variable("v%d%s" % (self.names, type), type)

    # -------------------------------------------------------------- expressions

    def literal(self, type):
        if type == "s":
            return l.Literal(self.random.choice(WORDS))
        if self.maybe(0.5):
            return l.Literal(self.random.choice(NUMBERS))
        return l.Literal(self.random.randint(-9, 20))

    def index(self, array, depth):
        """Keys of an element of ARRAY, often one of a few literals: elements are met again."""
        index = []
        for type in array.keys:
            if self.maybe(0.4):
                index.append(self.expression(type, depth - 1))
            elif type == "i":
                index.append(l.Literal(self.random.randint(0, 4)))
            else:
                index.append(l.Literal(self.random.choice(["a", "b", "ab", ""])))
        return index

    def with_stars(self, index, chance):
        """INDEX, of which each can be None if there are several."""
        if len(index) > 1:
            return [None if self.maybe(chance) else e for e in index]
        return index

    def variable(self, type, depth, read):
        """A local, global or element, to be READ only or set."""
        which = self.random.random()
        locals = [v for v in self.locals + (self.visible if read else []) if v.type == type]
        arrays = [a for a in self.arrays if a.type == type and (read or a not in self.visited)]
        if which < 0.45 and locals:
            return self.random.choice(locals)
        if which < 0.7 or not arrays:
            return self.random.choice([v for v in self.scalars if v.type == type])
        array = self.random.choice(arrays)
        if not read:
            self.changed.add(array)
        return l.Element(array, self.index(array, depth))

    def call(self, type, depth):
        functions = [f for f in self.functions
                     if f.type == type and not f.changed & set(self.visited)]
        if not functions or self.loops > 2:
            return self.variable(type, depth, True)
        function = self.random.choice(functions)
        self.changed |= function.changed
        return l.Call(function, [self.expression(p.type, depth - 1) for p in function.parameters])

    def expression(self, type, depth):
        if depth <= 0:
            return self.literal(type) if self.maybe(0.4) else self.variable(type, 0, True)
        which = self.random.random()
        if which < 0.12:
            return self.literal(type)
        if which < 0.27:
            return self.variable(type, depth, True)
        if which < 0.34:
            return l.Choice(self.expression("i", depth - 1), self.expression(type, depth - 1),
                            self.expression(type, depth - 1))
        if which < 0.42:
            return self.call(type, depth)
        which = (which - 0.42) / 0.58
        return (self.number if type == "i" else self.string)(which, depth - 1)

    def number(self, which, depth):
        choose = self.random.choice

        def sub(type="i"):
            return self.expression(type, depth)

        if which < 0.31:
            return l.Binary(choose("+ - * / % & | ^ << >> >>> + -".split()), sub(), sub())
        if which < 0.45:
            return l.Binary(choose(COMPARISONS), sub(), sub())
        if which < 0.50:
            return l.Binary(choose(COMPARISONS), sub("s"), sub("s"))
        if which < 0.58:
            return l.Binary(choose(["&&", "||"]), sub(), sub())
        if which < 0.64:
            return l.Unary(choose("-~!"), sub())
        if which < 0.72:
            return l.Step(self.variable("i", depth, False), choose(["++", "--"]), self.maybe(0.5))
        if which < 0.83:
            left = self.variable("i", depth, False)
            return l.Assignment(left, choose("= = += -= *= /= %= <<= >>= &= |= ^=".split()), sub())
        if which < 0.88:
            array = choose(self.arrays)
            return l.In(array, self.with_stars(self.index(array, depth), 0.3))
        if which < 0.96:
            text = sub("s")
            return choose([
                lambda: l.Builtin("strlen", "i", [text], len),
                lambda: l.Builtin("isinstr", "i", [text, sub("s")], lambda a, b: int(b in a)),
                lambda: l.Builtin("stringat", "i", [text, l.Literal(self.random.randint(0, 4))],
                                  stringat),
                lambda: l.Builtin("strtol", "i", [text, l.Literal(choose([0, 8, 10, 16]))],
                                  strtol),
                lambda: l.Match(text, choose(["=~", "!~"]), choose(EXPRESSIONS))])()
        statistic = choose(self.statistics)
        return l.StatisticOf(choose(["count", "sum", "min", "max", "avg", "count", "sum"]),
                             statistic, self.index(statistic, depth))

    def string(self, which, depth):
        def sub(type="s"):
            return self.expression(type, depth)

        if which < 0.31:
            return l.Binary(".", sub(), sub())
        if which < 0.48:
            return l.Assignment(self.variable("s", depth, False),
                                self.random.choice(["=", "=", ".="]), sub())
        if which < 0.65:
            return self.sprintf(depth)
        if which < 0.76:
            return l.Sprint([sub(self.random.choice("is"))
                             for _ in range(self.random.randint(1, 3))])
        if which < 0.90:
            return l.Builtin("substr", "s", [sub(), l.Literal(self.random.randint(0, 5)),
                                             l.Literal(self.random.randint(0, 9))], substr)
        part = l.Literal(self.random.choice(["a", "b", "ab", " ", "1"]))
        return l.Builtin("str_replace", "s", [sub(), part, sub()],
                         lambda text, old, new: l.cut(text.replace(old, new)))

    def sprintf(self, depth):
        choose = self.random.choice
        parts, arguments = [], []
        for _ in range(self.random.randint(1, 3)):
            if self.maybe(0.3):
                parts.append(choose(["x=", " ", "%%", ", ", "long literal text here "]))
            if self.maybe(0.4):
                parts.append(l.Directive(choose(["", "-"]), choose([0, 0, 3, 8]),
                                         choose([None, None, 0, 2, 5]), "s"))
                arguments.append(self.expression("s", depth))
                continue
            kind = choose("ddduxXoi")
            flags = ["", "", "-", "0"] + (["+", " "] if kind in "di" else
                                          ["#"] if kind in "xXo" else [])
            parts.append(l.Directive(choose(flags), choose([0, 0, 3, 8, 20]),
                                     choose([None, None, None, 1, 5]), kind))
            arguments.append(self.expression("i", depth))
        return l.Sprintf(parts, arguments)

    # --------------------------------------------------------------- statements

    def block(self, length, depth):
        return l.Block([self.statement(depth) for _ in range(length)])

    def body(self, depth):
        return self.block(self.random.randint(1, 3), depth - 1)

    def assignment(self):
        type = self.random.choice("iis")
        which = self.random.random()
        if which < 0.15:
            return l.Evaluate(self.expression(type, 3))
        if which < 0.8:
            operator = self.random.choice(["=", "+=" if type == "i" else ".="])
            return l.Evaluate(l.Assignment(self.variable(type, 2, False), operator,
                                           self.expression(type, 3)))
        return l.Evaluate(l.Step(self.variable("i", 2, False),
                                 self.random.choice(["++", "--"]), self.maybe(0.5)))

    def statement(self, depth):
        which = self.random.random()
        if depth <= 0 or which < 0.35:
            return self.assignment()
        if which < 0.45:
            return l.Print([self.expression(self.random.choice("is"), 3)
                            for _ in range(self.random.randint(1, 3))])
        if which < 0.49:
            return l.Printf(self.sprintf(2))
        if which < 0.60:
            return l.If(self.expression("i", 3), self.body(depth),
                        self.body(depth) if self.maybe(0.5) else None)
        if which < 0.68 and self.loops < 3:
            return self.count(depth)
        if which < 0.78 and self.loops < 3:
            return self.foreach(depth)
        if which < 0.84:
            return l.Try(self.body(depth), self.block(1, depth - 1))
        if which < 0.90:
            return l.If(self.expression("i", 2), l.Block([self.leave()]))
        if which < 0.95:
            return self.delete()
        statistics = [s for s in self.statistics if s not in self.visited]
        statistic = self.random.choice(statistics)
        self.changed.add(statistic)
        return l.Add(statistic, self.index(statistic, 1), self.expression("i", 2))

    def count(self, depth):
        counter = self.new_local("i")
        self.loops += 1
        self.visible.append(counter)
        condition = self.expression("i", 2) if self.maybe(0.3) else None
        body = self.body(depth)
        self.visible.pop()
        self.loops -= 1
        return l.Count(counter.name, self.random.randint(1, 5), condition, body, self.maybe(0.5))

    def foreach(self, depth):
        array = self.random.choice(self.arrays + self.statistics[2:])
        keys = [self.new_local(type) for type in array.keys]
        value = self.new_local(array.type) if array.type != "x" and self.maybe(0.5) else None
        by = None
        if self.maybe(0.3):
            by = self.random.randrange(len(keys))
        elif self.maybe(0.3):
            by = self.random.choice(["array", "count", "sum", "max", "avg"] if array.type == "x"
                                    else ["value", "array"] if value else ["array"])
        sort = None if by is None else (by, self.random.choice("+-"))
        limit = self.expression("i", 1) if self.maybe(0.3) else None
        slice = self.with_stars(self.index(array, 1), 0.5) if self.maybe(0.2) else None
        self.loops += 1
        self.visited.append(array)
        # the loop sets them for each element, so the body may set them, too
        new = keys + ([value] if value else [])
        self.locals += new
        body = self.body(depth)
        del self.locals[-len(new):]
        self.visited.pop()
        self.loops -= 1
        return l.Foreach(array, [k.name for k in keys], value and value.name, sort, limit, slice,
                         body)

    def leave(self):
        if self.loops and self.maybe(0.7):
            return l.Leave(self.random.choice(["break", "continue"]))
        if self.function:
            return l.Leave("return", self.expression(self.function.type, 2))
        return l.Leave("next") if self.maybe(0.2) else self.assignment()

    def delete(self):
        arrays = [a for a in self.arrays + self.statistics[2:] if a not in self.visited]
        if self.maybe(0.1) or not arrays:
            return l.DeleteScalar(self.random.choice(self.scalars))
        array = self.random.choice(arrays)
        self.changed.add(array)
        if self.maybe(0.15):
            return l.Delete(array)
        return l.Delete(array, self.with_stars(self.index(array, 1), 0.3))

    # ------------------------------------------------------------------- script

    def last(self):
        """Statements that print all globals."""
        lines = [l.Print([v]) for v in self.scalars]
        for array in self.arrays + self.statistics:
            # a name has one type in the handler
            keys = [l.Variable("k%d%s" % (i, type), type) for i, type in enumerate(array.keys)]
            values = [l.Element(array, keys)] if array.type != "x" else [
                l.StatisticOf(name, array, keys) for name in ("count", "sum")]
            lines.append(l.Print([l.Literal(array.name)]))
            shown = l.Print(keys + values)
            lines.append(l.Foreach(array, [k.name for k in keys], None, None, None, None,
                                   l.Block([shown])) if keys else shown)
        return l.Block(lines)

    def text(self, program):
        """The script, which probes PROGRAM."""
        lines = ["global " + ", ".join("%s:%s" % (v.name, l.TYPE_NAMES[v.type])
                                       for v in self.scalars)]
        lines += [a.declaration() for a in self.arrays + self.statistics]
        for function in self.functions:
            lines += function.lines()
        work = 'process("%s").function("work")' % program
        for i, (probe, condition, handler) in enumerate(self.handlers):
            head = "probe " + {"begin": "begin(%d)" % i, "call": work,
                               "return": work + ".return"}[probe]
            if condition:
                head += " if " + condition.text()
            lines += l.braced(head, handler)
        lines += l.braced("probe end", self.last())
        # types of all globals, whatever the handlers use
        lines += ["probe never {"]
        for array in self.arrays + self.statistics:
            keys = ["0" if type == "i" else '""' for type in array.keys]
            lines.append("\t%s%s %s;" % (
                array.name, "[%s]" % ", ".join(keys) if keys else "",
                {"i": "= 0", "s": '= ""', "x": "<<< 0"}[array.type]))
        return "\n".join(lines + ["}"]) + "\n"

    def execute(self, run, point):
        """Run all handlers of a probe type."""
        for probe, condition, handler in self.handlers:
            if probe != point or condition and not condition.value(run):
                continue
            run.locals = {}
            try:
                handler.execute(run)
            except (l.Next, l.Fault):
                pass

    def output(self):
        """What the script prints; language.TooLong if that takes too many steps."""
        run = l.Run()
        for array in self.arrays + self.statistics:
            run.globals[array.name] = {}
        self.execute(run, "begin")
        for number, text, result in CALLS:
            run.hit = {"$n": number, "user_string($s)": text, "$return": result,
                       "@entry($n)": number}
            self.execute(run, "call")
            self.execute(run, "return")
        run.locals = {}
        self.last().execute(run)
        return "\n".join(run.lines) + "\n"
