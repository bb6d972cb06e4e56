# For the examples: recursion, garbage, imports, sleep, polling.
import gc, json, select, time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(18)
x = [[] for i in range(3000)]
gc.collect()
import sqlite3
time.sleep(0.02)
p = select.poll()
p.poll(5)
p.poll(1)
import socket
socket.getaddrinfo("localhost", 80)
