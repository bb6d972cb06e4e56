# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp_faults.py STAPRUN SCRIPT: --otlp with servers that fail. Nothing hangs, attempts are
repeated as the specification says, and what was lost is counted."""
import glob
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from otlp_server import Server, answer, run

STAPRUN, SCRIPT = sys.argv[1:3]
LIMIT_S = 12            # 8 s for the rest at the end, and the run itself
# warnings of --otlp are log records, too
REFUSED = re.compile(r"WARNING: --otlp: 1 of [0-9]+ log records were not accepted\n")
LOST = re.compile(r"WARNING: --otlp: ([0-9]+) of \1 log records were not accepted\n")


def post(server, *options, **variables):
    return run([STAPRUN, "--otlp=" + server.url, SCRIPT, *options], **variables)


def first_logs(reply):
    """Answer the first request with logs by REPLY, all others with success."""
    seen = []

    def act(number, path):
        if path == "/v1/logs" and not seen:
            seen.append(number)
            return reply
        return answer()
    return act


def repeated(title, reply, least=0.3):
    """The first request with logs is repeated after LEAST seconds, and nothing is lost. With 0
    libcurl may repeat it at once, because the connection had been used before."""
    server = Server(first_logs(reply))
    status, _, err, _ = post(server)
    server.close()
    times = [t for t, path, _, _ in server.requests if path == "/v1/logs"]
    assert status == 0, (title, status, err)
    assert len(times) == 2 and times[1] - times[0] >= least, (title, times)
    assert "not accepted" not in err, (title, err)
    assert not least or "it is tried again" in err, (title, err)


def refused(title, reply, text):
    """The first request with logs is not repeated, and its record is counted."""
    server = Server(first_logs(reply))
    status, _, err, _ = post(server)
    server.close()
    assert [p for _, p, _, _ in server.requests].count("/v1/logs") == 1, (title, server.requests)
    assert status == 4 and text in err and REFUSED.search(err), (title, status, err)


def lost(title, url, text):
    """Nothing is accepted, and the end is not held up for long."""
    status, _, err, seconds = run([STAPRUN, "--otlp=" + url, SCRIPT])
    assert status == 4 and text in err and LOST.search(err), (title, status, err)
    assert "WARNING: --otlp: the last metrics were not accepted\n" in err, (title, err)
    assert seconds < LIMIT_S, (title, seconds)


def check_answers():
    repeated("429", answer(429, headers=["Retry-After: 2"]), 1.9)
    repeated("503", answer(503))
    repeated("closed", b"", 0)
    repeated("cut", b"HTTP/1.1 200 x\r\nContent-Le")
    repeated("short", b"HTTP/1.1 200 x\r\nContent-Length: 10\r\nConnection: close\r\n\r")
    repeated("garbage", bytes(range(256)) * 100)
    repeated("headers", b"HTTP/1.1 200 x\r\n" + b"X: " + b"a" * (90 << 10) + b"\r\n\r\n")
    refused("400", answer(400, '{"code": 3, "message": "not\\u001b[31m so"}'),
            "HTTP status 400: not?[31m so; the request is not repeated")
    refused("500", answer(500, "[" * 1000), "HTTP status 500; the request is not repeated")
    refused("302", answer(302, headers=["Location: http://127.0.0.1:1/"]), "HTTP status 302")
    refused("partial", answer(200, '{"partialSuccess": {"rejectedLogRecords": "1", '
                              '"errorMessage": "too\\nold"}}'),
            "/v1/logs: the server rejects 1 records: too?old\n")
    refused("all and more", answer(200, '{"partialSuccess": {"rejectedLogRecords": 9e18}}'),
            "records: without a reason\n")


def check_no_answers():
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
        lost("silent", "http://127.0.0.1:%d" % port, "not accepted")
    lost("down", "http://127.0.0.1:%d" % port, "; it is tried again\n")
    server = Server(lambda number, path: None)
    lost("slow", server.url, "not accepted")
    server = Server(lambda number, path: answer(503, headers=["Retry-After: 100000"]))
    lost("later", server.url, "HTTP status 503; it is tried again\n")
    lost("no name", "http://host.invalid:1", "not accepted")


def check_urls():
    for url in ("ftp://localhost", "localhost:4318", "http://", "http://a b", "file:///etc/passwd",
                "http://localhost/?a", ""):
        status, out, err, _ = run([STAPRUN, "--otlp=" + url, SCRIPT])
        assert status == 3 and "is not an http or https URL" in err, (url, status, err)


def check_tls():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        for name in ("staprun", "ustap-export"):
            shutil.copy(os.path.join(os.path.dirname(STAPRUN), name), d)
        shutil.copy(SCRIPT, d + "/script.ust")
        os.chmod(d + "/script.ust", 0o644)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", d + "/key", "-out", d + "/cert"], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
        os.chmod(d + "/cert", 0o644)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(d + "/cert", d + "/key")
        server = Server(tls=context)
        command = [d + "/staprun", "--otlp=" + server.url, d + "/script.ust"]
        user = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]
        trusted = {"OTEL_EXPORTER_OTLP_CERTIFICATE": d + "/cert"}
        status, _, err, _ = run(command)
        assert status == 4 and "certificate" in err and LOST.search(err), (status, err)
        if os.getuid() == 0:
            status, _, err, _ = run(command, **trusted)
            assert status == 4 and "certificate" in err, ("root's variable", status, err)
            command = user + command
        status, _, err, _ = run(command, **trusted)
        assert status == 0, (status, err)
        assert server.records(), "nothing was posted"


def exporter_of(pid):
    while True:
        for child in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(child) as f:
                    number, name, _, parent = f.read().split()[:4]
            except (OSError, ValueError):
                continue  # it has ended, or its name has spaces
            if name == "(ustap-export)" and int(parent) == pid:
                return int(number)
        time.sleep(0.02)


def largest(pid):
    """The largest size of a process so far, in MB; 0: it has ended."""
    try:
        with open("/proc/%d/status" % pid) as f:
            sizes = [line.split()[1] for line in f if line.startswith("VmHWM:")]
    except OSError:
        return 0
    return int(sizes[0]) >> 10 if sizes else 0


def flooded(act):
    """The script writes more than the queues hold, while the signal ACT stops the run's
    ustap-export."""
    server = Server(lambda number, path: None)
    r = subprocess.Popen([STAPRUN, "-s", "16", "--otlp=" + server.url, SCRIPT, "flood=1"],
                         stderr=subprocess.PIPE, text=True)
    exporter = exporter_of(r.pid)
    assert r.stderr.readline().startswith("staprun: posting to")
    if act:
        os.kill(exporter, act)
    sizes = [0]
    while r.poll() is None:
        sizes.append(max(largest(exporter), largest(r.pid)))
        time.sleep(0.05)
    err = r.communicate()[1]
    assert max(sizes) < 150, sizes[-1]
    assert r.returncode == 4 and "log records were not accepted" in err, (act, r.returncode, err)
    assert not os.path.exists("/proc/%d" % exporter), "ustap-export goes on"
    return err


def check_flood():
    assert "the queue of 32 MB is full" in flooded(None)
    flooded(signal.SIGSTOP)
    assert "ustap-export has ended" in flooded(signal.SIGKILL)


def main():
    check_answers()
    check_no_answers()
    check_urls()
    check_tls()
    check_flood()
    print("all faults are told")


main()
