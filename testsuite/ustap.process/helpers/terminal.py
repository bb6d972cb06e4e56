# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py STEP... -- COMMAND...: run COMMAND at a terminal of 100 columns and 24 lines.

A STEP that begins with `/' waits until the rest, a regular expression, matches the screen; with `!'
until it does not; others are keys to type, in which \\n and \\e stand for Enter and Escape.  Prints
`as expected' after the last step, else the screen; then what the command printed after its last
screen, and its exit status.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios

CLEAR = b"\033[H\033[2J"

split = sys.argv.index("--")
steps, command = sys.argv[1:split], sys.argv[split + 1:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    os.environ["LC_ALL"] = os.environ.get("TERMINAL_LOCALE", "C.UTF-8")
    os.execvp(command[0], command)
output = b""


def exceeded(number, frame):
    """The test exceeds its time limit."""
    print(f"not reached: {globals().get('step', 'the end')}\n{screen()}")
    os.kill(pid, signal.SIGINT)
    sys.exit(1)


signal.signal(signal.SIGTERM, exceeded)


def more(seconds):
    """Read what comes within SECONDS; false at the end."""
    global output
    if select.select([fd], [], [], seconds)[0]:
        try:
            new = os.read(fd, 65536)
        except OSError:
            return False
        output += new
        return bool(new)
    return True


def screen():
    text = output[output.rfind(CLEAR):] if CLEAR in output else output
    return re.sub(rb"\033\[[?0-9;]*[A-Za-z]", b"", text).decode(errors="replace").replace("\r", "")


def reached(step):
    pattern, wanted = re.compile(step[1:], re.M), step[0] == "/"
    while bool(pattern.search(screen())) != wanted:
        if not more(0.1):
            return bool(pattern.search(screen())) == wanted
    return True


for step in steps:
    if step[0] in "/!":
        if not reached(step):
            print(f"not reached: {step}\n{screen()}")
            os.kill(pid, signal.SIGINT)
            break
    else:
        os.write(fd, step.replace("\\n", "\n").replace("\\e", "\033").encode())
else:
    print("as expected")
while more(0.1):
    pass
sane = termios.tcgetattr(fd)[3] & (termios.ICANON | termios.ECHO) == termios.ICANON | termios.ECHO
rest = screen().rsplit("q:end", 1)[-1].strip()
if rest:
    print(rest)
print("exit status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]),
      "and the terminal is as before" if sane else "and the terminal was left changed")
