# remote_faults.py USTAP: runs on hosts h1, h2, ... of remote_hosts.py while one's disk is full,
# one's sshd is killed and one's is stopped, and interrupted runs. Prints what ustap printed, in the
# order of the hosts, without what depends on time.
import os
import re
import signal
import subprocess
import sys
import threading

from remote_hosts import processes_in

USTAP = sys.argv[1]
CONFIG = "--ssh-option=-F" + os.environ["HOSTS"] + "/config"
PIDS = [int(pid) for pid in os.environ["HOSTS_PIDS"].split()]
NETS = [os.readlink(f"/proc/{pid}/ns/net") for pid in PIDS]
HOSTS = [f"h{i + 1}" for i in range(len(PIDS))]
SCRIPT = 'probe begin { println("begin") } probe end { println("end") }'


def start(script, *options):
    return subprocess.Popen(
        [USTAP, CONFIG, "--remote=" + ",".join(HOSTS), "--runtime=user", "-e", script, *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def collect(stream, lines, count, reached):
    for line in stream:
        lines.append(line.rstrip("\n"))
        if len(lines) == count:
            reached.set()
    reached.set()


def finish(title, run, count=0, act=None):
    """Call ACT after COUNT lines of output; print all lines and the exit status."""
    out, err, reached, ignored = [], [], threading.Event(), threading.Event()
    readers = [threading.Thread(target=collect, args=(run.stdout, out, count, reached)),
               threading.Thread(target=collect, args=(run.stderr, err, 0, ignored))]
    for reader in readers:
        reader.start()
    if act:
        reached.wait()
        act(run)
    status = run.wait()
    for reader in readers:
        reader.join()
    print(f"-- {title}: {status}", flush=True)
    for line in sorted(out) + sorted(line for line in err if line.startswith("ustap: ")):
        print(re.sub(r"\S*/tmp/ustap\.\S*", "DIR", line))


def signal_host(i, number):
    for pid in processes_in(NETS[i]):
        try:
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() == "sshd":
                    os.kill(pid, number)
        except OSError:
            pass  # it has ended


def fill(i):
    path = f"/proc/{PIDS[i]}/root{os.environ['HOSTS']}/tmp/fill"
    with open(path, "wb") as f:
        try:
            while f.write(b"x" * 65536):
                f.flush()
        except OSError:
            pass
    return path


def lose_hosts(run):
    signal_host(1, signal.SIGKILL)
    signal_host(2, signal.SIGSTOP)


def main():
    full = fill(2)
    finish("full", start(SCRIPT, "-T", "1"))
    os.unlink(full)
    finish("full with --min-hosts", start(SCRIPT, "-T", "1", f"--min-hosts={len(HOSTS) - 1}"))
    finish("interrupt", start(SCRIPT), len(HOSTS), lambda run: run.send_signal(signal.SIGINT))
    finish("terminate", start(SCRIPT, "--timeout=30"), len(HOSTS), lambda run: run.terminate())
    finish("kill and stop", start(SCRIPT, "--host-timeout=3", "-T", "8"), len(HOSTS), lose_hosts)
    signal_host(2, signal.SIGCONT)


if __name__ == "__main__":
    main()
