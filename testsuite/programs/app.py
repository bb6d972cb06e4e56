# Target of the tests of Python's probe points.
import gc
import sys


def outer(n):
    inner(n)
    try:
        fail()
    except ValueError:
        pass
    return list(count(2))


def inner(n):
    return n


def fail():
    raise ValueError


def count(n):
    for i in range(n):
        yield i


class Shape:
    def area(self):
        return 0


def show(frame, event, arg):
    if event == "return" and frame.f_code.co_filename == __file__:
        print(frame.f_code.co_name, frame.f_lineno)


if sys.argv[1:] == ["profile"]:   # the outside oracle
    sys.setprofile(show)
outer(2)
Shape().area()
import colorsys
try:
    import no_such_module
except ImportError:
    pass
sys.setprofile(None)
gc.collect()
knot = []
knot.append(knot)
del knot
sys.audit("app.garbage", 1)
found = gc.collect(1)
if sys.argv[1:]:
    print("collected", found)
