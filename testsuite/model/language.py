# SPDX-License-Identifier: GPL-2.0-or-later
"""
The core of the script language, as a tree that prints itself and evaluates itself: numbers,
strings, statistics, arrays, functions and errors, as doc/language.md describes them.  Nothing here
is shared with ustap: it is what ustap's output is compared with.

Types are "i" (long), "s" (string) and "x" (statistic, a list of its values).
"""
WORD = 1 << 64
MAX_STRING = 63                 # bytes of a string, as -DMAXSTRINGLEN=64 has it
MAX_STEPS = 30000
MAX_DEPTH = 50

EMPTY = {"i": 0, "s": ""}


class Fault(Exception):
    """A run-time error of the script; its message begins with the argument."""


class TooLong(Exception):
    """The script takes more than MAX_STEPS steps, or its calls nest too deep."""


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Next(Exception):
    pass


class Return(Exception):
    pass


class Run:
    """State of a run: globals, locals of the innermost function, and what was printed."""

    def __init__(self):
        self.globals = {}
        self.locals = {}
        self.lines = []
        self.steps = self.depth = 0
        self.hit = {}           # expressions about the probed program and their values

    def step(self):
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooLong


def signed(n):
    n &= WORD - 1
    return n - WORD if n >> 63 else n


def cut(text):
    return text[:MAX_STRING]


def compute(operator, a, b):
    """A OPERATOR B for numbers."""
    if operator in ("/", "%"):
        if b == 0:
            raise Fault("division by 0")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return signed(quotient if operator == "/" else a - quotient * b)
    return signed({
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
        "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
        "<<": lambda: a << (b & 63), ">>": lambda: a >> (b & 63),
        ">>>": lambda: (a & (WORD - 1)) >> (b & 63)}[operator]())


def compare(operator, a, b):
    """A OPERATOR B for two numbers or two strings."""
    return int({"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b,
                ">=": a >= b}[operator])


def statistic(name, values):
    """@NAME of a statistic."""
    if name == "count":
        return len(values)
    if name == "sum":
        return signed(sum(values))
    if not values:
        raise Fault("empty aggregate")
    if name == "avg":
        return compute("/", signed(sum(values)), len(values))
    return {"min": min, "max": max}[name](values)


def format_number(directive, value):
    """VALUE by a Directive for numbers."""
    unsigned = value & (WORD - 1)
    kind, sign = directive.kind, ""
    digits = {"d": str(abs(value)), "i": str(abs(value)), "u": str(unsigned),
              "o": "%o" % unsigned, "x": "%x" % unsigned, "X": "%X" % unsigned}[kind]
    if directive.precision is not None:
        digits = digits.rjust(directive.precision, "0")
    if kind in "di":
        sign = "-" if value < 0 else directive.flag if directive.flag in ("+", " ") else ""
    elif directive.flag == "#" and kind in "xX":
        sign = "0" + kind
    elif directive.flag == "#" and kind == "o" and not digits.startswith("0"):
        digits = "0" + digits
    if directive.flag == "0" and directive.precision is None:
        digits = digits.rjust(directive.width - len(sign), "0")
    text = sign + digits
    return text.ljust(directive.width) if directive.flag == "-" else text.rjust(directive.width)


class Directive:
    """One directive of a format."""

    def __init__(self, flag, width, precision, kind):
        self.flag, self.width, self.precision, self.kind = flag, width, precision, kind

    def text(self):
        precision = "" if self.precision is None else ".%d" % self.precision
        return "%%%s%s%s%s" % (self.flag, self.width or "", precision, self.kind)

    def format(self, value):
        if self.kind == "c":
            value = chr(value & 255)
        elif self.kind != "s":
            return format_number(self, value)
        elif self.precision is not None:
            value = value[:self.precision]
        return value.ljust(self.width) if self.flag == "-" else value.rjust(self.width)


# ------------------------------------------------------------------ expressions

def listed(expressions):
    return ", ".join("*" if e is None else e.text() for e in expressions)


class Expression:
    """Has `type', text() and value(run)."""
    type = "i"


class Literal(Expression):
    def __init__(self, value):
        self.literal = value
        self.type = "s" if isinstance(value, str) else "i"

    def text(self):
        if self.type == "s":
            text = self.literal
            for old, new in ("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"):
                text = text.replace(old, new)
            return '"%s"' % text
        if self.literal == -(1 << 63):
            return "(-9223372036854775807 - 1)"
        return str(self.literal) if self.literal >= 0 else "(%d)" % self.literal

    def value(self, run):
        return self.literal


class Variable(Expression):
    """A scalar; a local one if SHARED is false."""

    def __init__(self, name, type, shared=False):
        self.name, self.type, self.shared = name, type, shared

    def text(self):
        return self.name

    def values(self, run):
        return run.globals if self.shared else run.locals

    def value(self, run):
        return self.values(run).get(self.name, EMPTY[self.type])

    def keys(self, run):
        return None

    def load(self, run, keys):
        return self.value(run)

    def store(self, run, keys, value):
        self.values(run)[self.name] = value


class Array:
    """A global array, or a global statistic if it has no KEYS.  SIZE 0 is never reached."""

    def __init__(self, name, keys, type, size=0, wraps=False):
        self.name, self.keys, self.type, self.size, self.wraps = name, keys, type, size, wraps

    def declaration(self):
        return "global %s%s%s" % (self.name, "%" if self.wraps else "",
                                  "[%d]" % self.size if self.size else "")

    def make_room(self, run, keys):
        elements = run.globals[self.name]
        if keys not in elements and self.size and len(elements) >= self.size:
            if not self.wraps:
                raise Fault('array "%s"' % self.name)
            del elements[next(iter(elements))]

    def matches(self, run, keys):
        """Keys of all elements that have KEYS, where None stands for any."""
        return [k for k in run.globals[self.name]
                if all(a is None or a == b for a, b in zip(keys, k))]


class Element(Expression):
    def __init__(self, array, index):
        self.array, self.index, self.type = array, index, array.type

    def text(self):
        return "%s[%s]" % (self.array.name, listed(self.index))

    def keys(self, run):
        return tuple(e.value(run) for e in self.index)

    def value(self, run):
        return self.load(run, self.keys(run))

    def load(self, run, keys):
        return run.globals[self.array.name].get(keys, EMPTY[self.type])

    def store(self, run, keys, value):
        self.array.make_room(run, keys)
        run.globals[self.array.name][keys] = value


class In(Expression):
    """Whether ARRAY has an element; None in INDEX is `*'."""

    def __init__(self, array, index):
        self.array, self.index = array, index

    def text(self):
        return "([%s] in %s)" % (listed(self.index), self.array.name)

    def value(self, run):
        keys = [e and e.value(run) for e in self.index]
        return int(bool(self.array.matches(run, keys)))


class Target(Expression):
    """EXPRESSION, which reads a value of the probed program."""

    def __init__(self, expression, type):
        self.expression, self.type = expression, type

    def text(self):
        return self.expression

    def value(self, run):
        return run.hit[self.expression]


class Unary(Expression):
    def __init__(self, operator, operand):
        self.operator, self.operand = operator, operand

    def text(self):
        return "(%s %s)" % (self.operator, self.operand.text())

    def value(self, run):
        value = self.operand.value(run)
        return {"-": signed(-value), "~": ~value, "!": int(not value)}[self.operator]


class Binary(Expression):
    def __init__(self, operator, left, right):
        self.operator, self.left, self.right = operator, left, right
        self.type = "s" if operator == "." else "i"

    def text(self):
        return "(%s %s %s)" % (self.left.text(), self.operator, self.right.text())

    def value(self, run):
        left = self.left.value(run)
        if self.operator == "&&":
            return int(bool(left and self.right.value(run)))
        if self.operator == "||":
            return int(bool(left or self.right.value(run)))
        right = self.right.value(run)
        if self.operator == ".":
            return cut(left + right)
        if self.operator in ("==", "!=", "<", ">", "<=", ">="):
            return compare(self.operator, left, right)
        return compute(self.operator, left, right)


class Choice(Expression):
    def __init__(self, condition, yes, no):
        self.condition, self.yes, self.no, self.type = condition, yes, no, yes.type

    def text(self):
        return "(%s ? %s : %s)" % (self.condition.text(), self.yes.text(), self.no.text())

    def value(self, run):
        return (self.yes if self.condition.value(run) else self.no).value(run)


class Assignment(Expression):
    """`=' or a compound one, which reads its left side after the right one is evaluated."""

    def __init__(self, left, operator, right):
        self.left, self.operator, self.right, self.type = left, operator, right, left.type

    def text(self):
        return "(%s %s %s)" % (self.left.text(), self.operator, self.right.text())

    def value(self, run):
        keys = self.left.keys(run)
        value = self.right.value(run)
        if self.operator == ".=":
            value = cut(self.left.load(run, keys) + value)
        elif self.operator != "=":
            value = compute(self.operator[:-1], self.left.load(run, keys), value)
        self.left.store(run, keys, value)
        return value


class Step(Expression):
    """`++' or `--', AFTER or before its operand."""

    def __init__(self, left, operator, after):
        self.left, self.operator, self.after = left, operator, after

    def text(self):
        words = (self.left.text(), self.operator)
        return "(%s%s)" % (words if self.after else words[::-1])

    def value(self, run):
        keys = self.left.keys(run)
        old = self.left.load(run, keys)
        new = signed(old + (1 if self.operator == "++" else -1))
        self.left.store(run, keys, new)
        return old if self.after else new


class Builtin(Expression):
    """A call of a tapset function of which FUNCTION is the model."""

    def __init__(self, name, type, arguments, function):
        self.name, self.type, self.arguments, self.function = name, type, arguments, function

    def text(self):
        return "%s(%s)" % (self.name, listed(self.arguments))

    def value(self, run):
        return self.function(*[a.value(run) for a in self.arguments])


class Match(Expression):
    """`=~' or `!~' with EXPRESSION, a compiled regular expression of python."""

    def __init__(self, operand, operator, expression):
        self.operand, self.operator, self.expression = operand, operator, expression

    def text(self):
        return '(%s %s "%s")' % (self.operand.text(), self.operator, self.expression.pattern)

    def value(self, run):
        match = self.expression.search(self.operand.value(run))
        return int(bool(match) == (self.operator == "=~"))


class Sprintf(Expression):
    """PARTS are text and Directives, which take ARGUMENTS."""
    type = "s"

    def __init__(self, parts, arguments):
        self.parts, self.arguments = parts, arguments

    def text(self, function="sprintf"):
        parts = [p if isinstance(p, str) else p.text() for p in self.parts]
        return '%s("%s"%s)' % (function, "".join(parts),
                               "".join(", " + a.text() for a in self.arguments))

    def whole(self, run):
        values = iter([a.value(run) for a in self.arguments])
        return "".join(p.replace("%%", "%") if isinstance(p, str) else p.format(next(values))
                       for p in self.parts)

    def value(self, run):
        return cut(self.whole(run))


class Sprint(Expression):
    type = "s"

    def __init__(self, arguments):
        self.arguments = arguments

    def text(self):
        return "sprint(%s)" % listed(self.arguments)

    def value(self, run):
        return cut("".join([str(a.value(run)) for a in self.arguments]))


class StatisticOf(Expression):
    def __init__(self, name, array, index):
        self.name, self.array, self.index = name, array, index

    def text(self):
        return "@%s(%s%s)" % (self.name, self.array.name,
                              "[%s]" % listed(self.index) if self.index else "")

    def value(self, run):
        keys = tuple(e.value(run) for e in self.index)
        return statistic(self.name, run.globals[self.array.name].get(keys, []))


class Function:
    """BODIES: that of each declaration of this name; `next' goes on with the following one."""

    def __init__(self, name, type, parameters):
        self.name, self.type, self.parameters = name, type, parameters
        self.bodies = []
        self.changed = set()    # arrays that it changes, itself or through others

    def lines(self):
        names = ", ".join("%s:%s" % (p.name, TYPE_NAMES[p.type]) for p in self.parameters)
        head = "function %s:%s (%s)" % (self.name, TYPE_NAMES[self.type], names)
        return [line for body in self.bodies for line in braced(head, body)]

    def call(self, run, values):
        run.step()
        outer = run.locals
        run.depth += 1
        if run.depth > MAX_DEPTH:
            raise TooLong
        try:
            for body in self.bodies:
                run.locals = {p.name: v for p, v in zip(self.parameters, values)}
                try:
                    body.execute(run)
                    return EMPTY[self.type]
                except Next:
                    pass
                except Return as result:
                    return result.args[0]
        finally:
            run.locals = outer
            run.depth -= 1


TYPE_NAMES = {"i": "long", "s": "string"}


class Call(Expression):
    def __init__(self, function, arguments):
        self.function, self.arguments, self.type = function, arguments, function.type

    def text(self):
        return "%s(%s)" % (self.function.name, listed(self.arguments))

    def value(self, run):
        return self.function.call(run, [a.value(run) for a in self.arguments])


# ------------------------------------------------------------------- statements

def indented(lines):
    return ["\t" + line for line in lines]


class Block:
    """Statements have lines() and execute(run)."""

    def __init__(self, statements):
        self.statements = statements

    def lines(self):
        return [line for s in self.statements for line in s.lines()]

    def execute(self, run):
        for s in self.statements:
            run.step()
            s.execute(run)


def braced(head, block):
    return [head + " {"] + indented(block.lines()) + ["}"]


class Evaluate:
    def __init__(self, expression):
        self.expression = expression

    def lines(self):
        return [self.expression.text() + ";"]

    def execute(self, run):
        self.expression.value(run)


class Print:
    def __init__(self, arguments):
        self.arguments = arguments

    def lines(self):
        form = 'printdln(" ", %s);' if len(self.arguments) > 1 else "println(%s);"
        return [form % listed(self.arguments)]

    def execute(self, run):
        run.lines.append(" ".join([str(a.value(run)) for a in self.arguments]))


class Printf:
    def __init__(self, format):
        self.format = format

    def lines(self):
        return [self.format.text("printf") + " println();"]

    def execute(self, run):
        run.lines.append(self.format.whole(run))


class If:
    def __init__(self, condition, yes, no=None):
        self.condition, self.yes, self.no = condition, yes, no

    def lines(self):
        lines = braced("if (%s)" % self.condition.text(), self.yes)
        return lines[:-1] + braced("} else", self.no) if self.no else lines

    def execute(self, run):
        if self.condition.value(run):
            self.yes.execute(run)
        elif self.no:
            self.no.execute(run)


def passes(body, run):
    """Run the BODY of a loop; whether the loop goes on."""
    try:
        body.execute(run)
    except Break:
        return False
    except Continue:
        pass
    return True


class Count:
    """A loop with COUNTER from 0 to LIMIT, while CONDITION holds: `while' or `for'."""

    def __init__(self, counter, limit, condition, body, is_while):
        self.counter, self.limit, self.condition = counter, limit, condition
        self.body, self.is_while = body, is_while

    def lines(self):
        name, more = self.counter, " && " + self.condition.text() if self.condition else ""
        if self.is_while:
            return ["%s = 0;" % name] + braced(
                "while (%s++ < %d%s)" % (name, self.limit, more), self.body)
        return braced("for (%s = 0; %s < %d%s; %s++)" % (name, name, self.limit, more, name),
                      self.body)

    def execute(self, run):
        run.locals[self.counter] = 0
        while True:
            run.step()
            goes_on = run.locals[self.counter] < self.limit
            if self.is_while:
                run.locals[self.counter] += 1
            if not goes_on or self.condition and not self.condition.value(run):
                break
            if not passes(self.body, run):
                break
            if not self.is_while:
                run.locals[self.counter] += 1


class Foreach:
    """SORT is None, or what the elements are sorted by and `+' or `-': the number of a key,
    "value", "array" or the name of a statistic.  SLICE has the keys in brackets, None for `*'."""

    def __init__(self, array, keys, value, sort, limit, slice, body):
        self.array, self.keys, self.value_name, self.sort = array, keys, value, sort
        self.limit, self.slice, self.body = limit, slice, body

    def lines(self):
        by, direction = self.sort or (None, "")
        names = [k + (direction if by == i else "") for i, k in enumerate(self.keys)]
        head = "[%s]" % ", ".join(names)
        if self.value_name:
            head = "%s%s = %s" % (self.value_name, direction if by == "value" else "", head)
        array = self.array.name
        if self.slice:
            array += "[%s]" % listed(self.slice)
        if isinstance(by, str) and by != "value":
            array += ("" if by == "array" else " @" + by) + direction
        limit = " limit " + self.limit.text() if self.limit else ""
        return braced("foreach (%s in %s%s)" % (head, array, limit), self.body)

    def rank(self, run, keys):
        by, value = self.sort[0], run.globals[self.array.name][keys]
        if isinstance(by, int):
            return keys[by]
        if self.array.type != "x":
            return value
        return statistic("count" if by == "array" else by, value)

    def execute(self, run):
        slice = [e and e.value(run) for e in self.slice] if self.slice else ()
        limit = self.limit.value(run) if self.limit else MAX_STEPS
        elements = self.array.matches(run, slice)
        if self.sort:
            elements.sort(key=lambda k: self.rank(run, k), reverse=self.sort[1] == "-")
        for keys in elements[:max(limit, 0)]:
            run.step()
            run.locals.update(zip(self.keys, keys))
            if self.value_name:
                run.locals[self.value_name] = run.globals[self.array.name][keys]
            if not passes(self.body, run):
                break


class Try:
    """Prints how the message begins, as its end is not part of the language."""

    def __init__(self, body, handler):
        self.body, self.handler = body, handler

    def lines(self):
        return braced("try", self.body)[:-1] + [
            "} catch (message) {", "\tprintln(substr(message, 0, 9));"] + indented(
                self.handler.lines()) + ["}"]

    def execute(self, run):
        try:
            self.body.execute(run)
        except Fault as fault:
            run.lines.append(fault.args[0][:9])
            self.handler.execute(run)


class Leave:
    """`break', `continue', `next', or `return' with an EXPRESSION."""
    ends = {"break": Break, "continue": Continue, "next": Next}

    def __init__(self, word, expression=None):
        self.word, self.expression = word, expression

    def lines(self):
        return ["%s %s;" % (self.word, self.expression.text()) if self.expression
                else self.word + ";"]

    def execute(self, run):
        if self.expression:
            raise Return(self.expression.value(run))
        raise self.ends[self.word]


class DeleteScalar:
    def __init__(self, variable):
        self.variable = variable

    def lines(self):
        return ["delete %s;" % self.variable.name]

    def execute(self, run):
        self.variable.store(run, None, EMPTY[self.variable.type])


class Delete:
    """All elements of ARRAY, or those of INDEX, where None is `*'."""

    def __init__(self, array, index=()):
        self.array, self.index = array, index

    def lines(self):
        return ["delete %s%s;" % (self.array.name,
                                  "[%s]" % listed(self.index) if self.index else "")]

    def execute(self, run):
        keys = [e and e.value(run) for e in self.index]
        for k in self.array.matches(run, keys):
            del run.globals[self.array.name][k]


class Add:
    """`<<<'"""

    def __init__(self, array, index, expression):
        self.array, self.index, self.expression = array, index, expression

    def lines(self):
        index = "[%s]" % listed(self.index) if self.index else ""
        return ["%s%s <<< %s;" % (self.array.name, index, self.expression.text())]

    def execute(self, run):
        keys = tuple(e.value(run) for e in self.index)
        value = self.expression.value(run)
        if self.index:
            self.array.make_room(run, keys)
        run.globals[self.array.name].setdefault(keys, []).append(value)
