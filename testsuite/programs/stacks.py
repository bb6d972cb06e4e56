# Python frames of several kinds; prints, after each call of getppid(), what the interpreter has.
import os, sys, threading


def show(frame):
    while frame:
        code = frame.f_code
        print("  File \"%s\", line %d in %s" % (code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    print("end", flush=True)


def schön(n):
    if n:
        return schön(
            n - 1)

    for i in range(3):
        i += 1
    os.getppid(); show(sys._getframe())
    return None


class Things:
    def 集(self):
        return [schön(n) for n in (2,)]

    def 𝔤en(self):
        try:
            raise ValueError
        except ValueError:
            yield self.集()


class Ordered:
    def __lt__(self, other):
        os.getppid(); show(sys._getframe())
        return True


def outer():
    list(map(lambda x: list(Things().𝔤en()), [1]))
    sorted([Ordered(), Ordered()])
    text = "\n\ndef of_text():\n os.getppid(); show(sys._getframe())\nof_text()"
    exec(compile(text, "𝔤ü.py", "exec"))
    # line 0
    # line 1
    # line 2
    # line 3
    # line 4
    # line 5
    # line 6
    # line 7
    # line 8
    # line 9
    # line 10
    # line 11
    # line 12
    # line 13
    # line 14
    # line 15
    # line 16
    # line 17
    # line 18
    # line 19
    # line 20
    # line 21
    # line 22
    # line 23
    # line 24
    # line 25
    # line 26
    # line 27
    # line 28
    # line 29
    # line 30
    # line 31
    # line 32
    # line 33
    # line 34
    # line 35
    # line 36
    # line 37
    # line 38
    # line 39
    return (
        1 +
        len(str(os.getppid()) + str(show(sys._getframe())))) if True else 0


outer()
t = threading.Thread(target=outer)
t.start()
t.join()
