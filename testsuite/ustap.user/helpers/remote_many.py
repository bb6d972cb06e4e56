# remote_many.py USTAP: hosts of remote_hosts.py run a script that prints often; meanwhile one
# host's disk is full, the sshd of three are killed and that of one is stopped. All others must
# deliver every line, whole, and the run must end in time and name each host that failed.
import collections
import os
import re
import signal
import sys
import threading
import time

from remote_faults import HOSTS, fill, signal_host, start

FULL, STOPPED, KILLED = 3, 7, (1, 10, 15)
SECONDS = 40
SCRIPT = ('global n probe timer.ms(50) { printf("%d %0*d.\\n", ++n, n % 300, 0) } '
          'probe end { printf("last %d\\n", n) }')
# lines that staprun reads while it ends count, too
PATTERN = re.compile(r"(h\d+): (?:(\d+) 0*\.|last (\d+))")


def check(ok, what):
    print(("ok " if ok else "FAIL ") + what)
    return ok


def delivered(lines):
    """The hosts whose lines are complete, and the number of malformed lines."""
    seen, complete, bad = collections.Counter(), set(), 0
    for line in lines:
        m = PATTERN.fullmatch(line)
        if not m:
            bad += 1
        elif m[3]:
            if int(m[3]) == seen[m[1]]:
                complete.add(m[1])
        else:
            seen[m[1]] += 1
            bad += int(m[2]) != seen[m[1]]
    return complete, bad


def read(stream, lines):
    lines.extend(line.rstrip("\n") for line in stream)


def begun(lines):
    """How many hosts print."""
    return len({line.split(":")[0] for line in lines})


def main():
    out, err = [], []
    path = fill(FULL)
    begin = time.monotonic()
    run = start(SCRIPT, "--host-timeout=15", "-T", str(SECONDS))
    readers = [threading.Thread(target=read, args=(run.stdout, out)),
               threading.Thread(target=read, args=(run.stderr, err))]
    for reader in readers:
        reader.start()
    while begun(out) < len(HOSTS) - 1 and time.monotonic() - begin < SECONDS:
        time.sleep(0.5)
    for i in KILLED:
        signal_host(i, signal.SIGKILL)
    signal_host(STOPPED, signal.SIGSTOP)
    run.wait()
    for reader in readers:
        reader.join()
    signal_host(STOPPED, signal.SIGCONT)
    os.unlink(path)
    err = "\n".join(err)
    failed = {HOSTS[i] for i in (FULL, STOPPED, *KILLED)}
    named = {m[1] for m in re.finditer(r"^ustap: (h\d+): ", err, re.M)}
    complete, bad = delivered(out)
    print(f"{len(HOSTS)} hosts, {len(out)} lines, {time.monotonic() - begin:.0f} s")
    ok = [check(run.returncode == 6, "exit status"),
          check(named == failed, f"named hosts: {sorted(named)}"),
          check(complete == set(HOSTS) - failed, f"complete hosts: {len(complete)}"),
          check(not bad, f"{bad} malformed lines"),
          check(f"{len(complete)} of {len(HOSTS)} hosts completed the run" in err, "summary")]
    if not all(ok):
        print(err)
    return not all(ok)


sys.exit(main())
