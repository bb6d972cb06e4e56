# Greenlets that switch at many depths of the stack, and return through calls that others have
# made at the same addresses meanwhile. With an argument: after their start, it waits for that file.
import os
import sys
import time

import greenlet


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def work(depth):
    if depth:
        return sorted([depth], key=lambda d: work(d - 1))[0]
    for i in range(20):
        main.switch(fib(i % 10))
    return 0


main = greenlet.getcurrent()
alive = [greenlet.greenlet(lambda depth=d: work(depth)) for d in range(10)]
results = [g.switch() for g in alive]
while sys.argv[1:] and not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
while alive:
    for g in list(alive):
        results.append(g.switch())
        if g.dead:
            alive.remove(g)
print(len(results), sum(results))
