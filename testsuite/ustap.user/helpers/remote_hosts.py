# remote_hosts.py DIRECTORY N COMMAND...: run COMMAND with N hosts h1 to hN, which ssh(1) reaches
# with the configuration DIRECTORY/config. Each is a private sshd in network and mount namespaces of
# its own, with an address of its own and a small file system for temporary files. Everything is in
# namespaces of this process and ends with it.
import ctypes
import os
import signal
import subprocess
import sys
import time

CLONE_NEWNS, CLONE_NEWNET = 0x20000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def run(*words, **options):
    subprocess.run(words, check=True, **options)


def unshare():
    if libc.unshare(CLONE_NEWNS | CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare")
    run("mount", "--make-rprivate", "/")
    run("ip", "link", "set", "lo", "up")


def make_keys(directory):
    for key in "host", "user":
        path = os.path.join(directory, key)
        if not os.path.exists(path):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path)
    with open(os.path.join(directory, "sshd"), "w") as f:
        f.write(
            f"HostKey {directory}/host\n"
            "PidFile none\n"
            f"AuthorizedKeysFile {directory}/user.pub\n"
            "StrictModes no\n"
            "UsePAM no\n"
            "PermitRootLogin prohibit-password\n"
            "PasswordAuthentication no\n"
            f"SetEnv TMPDIR={directory}/tmp SHLVL=2\n"
            f"ForceCommand cd {directory} && exec sh -c \"$SSH_ORIGINAL_COMMAND\"\n"
        )


def address(i, side):
    return f"10.77.{i}.{side}"


def start_host(directory, i):
    """The process of sshd, in namespaces of its own; it waits for its address."""
    ready, go = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(go)
        os.setpgid(0, 0)
        unshare()
        os.read(ready, 1)
        run("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", f"{directory}/tmp")
        run("ip", "address", "add", address(i, 2) + "/30", "dev", f"h{i}in")
        run("ip", "link", "set", f"h{i}in", "up")
        log = os.open(f"{directory}/log{i}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.execv("/usr/sbin/sshd", ["/usr/sbin/sshd", "-D", "-e", "-f", f"{directory}/sshd",
                                    "-o", "ListenAddress=" + address(i, 2)])
    os.close(ready)
    own = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{pid}/ns/net") == own:
        time.sleep(0.01)
    run("ip", "link", "add", f"h{i}out", "type", "veth", "peer", "name", f"h{i}in", "netns",
        str(pid))
    run("ip", "address", "add", address(i, 1) + "/30", "dev", f"h{i}out")
    run("ip", "link", "set", f"h{i}out", "up")
    os.write(go, b"x")
    os.close(go)
    return pid


def processes_in(net):
    """The processes in this network namespace."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/ns/net") == net:
                found.append(int(name))
        except OSError:
            pass
    return found


def write_config(directory, n):
    with open(os.path.join(directory, "config"), "w") as f:
        for i in range(1, n + 1):
            f.write(f"Host h{i}\nHostName {address(i, 2)}\n")
        f.write(
            "Host *\n"
            f"IdentityFile {directory}/user\n"
            "IdentitiesOnly yes\n"
            "StrictHostKeyChecking accept-new\n"
            "LogLevel error\n"
            f"UserKnownHostsFile {directory}/known\n"
        )


def wait_for(directory, i):
    for _ in range(300):
        if not subprocess.call(["ssh", "-F", f"{directory}/config", f"h{i}", ":"],
                               stderr=subprocess.DEVNULL):
            return
        time.sleep(0.1)
    sys.exit(f"host h{i} does not start: see {directory}/log{i}")


def end(hosts):
    """End all processes of the hosts, also those which they start meanwhile."""
    for pid, net in hosts:
        processes = processes_in(net)
        while processes:
            for process in processes:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has ended since it was found
            time.sleep(0.01)
            processes = processes_in(net)
        os.waitpid(pid, 0)


def main():
    directory, n = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    os.makedirs(f"{directory}/tmp", exist_ok=True)
    os.makedirs("/run/sshd", exist_ok=True)
    make_keys(directory)
    unshare()
    write_config(directory, n)
    hosts = []
    try:
        for i in range(1, n + 1):
            pid = start_host(directory, i)
            hosts.append((pid, os.readlink(f"/proc/{pid}/ns/net")))
        for i in range(1, n + 1):
            wait_for(directory, i)
        environment = dict(os.environ, HOSTS=directory,
                           HOSTS_PIDS=" ".join(str(pid) for pid, net in hosts))
        return subprocess.call(sys.argv[3:], env=environment)
    finally:
        end(hosts)


if __name__ == "__main__":
    sys.exit(main())
