# SPDX-License-Identifier: GPL-2.0-or-later
"""A server of OTLP over HTTP on loopback, which checks each body and answers as a test tells it,
and runs of staprun that post to it."""
import json
import os
import socket
import ssl
import subprocess
import threading
import time

import otlp

PATHS = {"/v1/logs": "Logs", "/v1/metrics": "Metrics", "/v1/traces": "Spans"}


def answer(status=200, body="{}", headers=()):
    """The bytes of a response."""
    body = body.encode()
    lines = ["HTTP/1.1 %d x" % status, "Content-Type: application/json",
             "Content-Length: %d" % len(body), *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Server:
    """ACT(number, path) is called for each request, from 1 on, and returns the bytes to send,
    after which the connection is closed if they are no complete response; None: nothing is sent
    and the connection stays open."""

    def __init__(self, act=lambda number, path: answer(), tls=None):
        self.act, self.tls = act, tls
        self.requests, self.errors, self.lock = [], [], threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = "%s://127.0.0.1:%d" % ("https" if tls else "http", self.port)
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                c, _ = self.socket.accept()
            except OSError:
                return
            self.open.append(c)
            threading.Thread(target=self.serve, args=(c,), daemon=True).start()

    def serve(self, c):
        try:
            if self.tls:
                c = self.tls.wrap_socket(c, server_side=True)
            stream = c.makefile("rb")
            while self.request(c, stream):
                pass
            c.shutdown(socket.SHUT_RDWR)
            c.close()
        except OSError:
            pass                        # the client has closed the connection
        except Exception as e:          # what the test is to report
            self.errors.append(repr(e))
            c.close()

    def request(self, c, stream):
        line = stream.readline().decode().split()
        if not line:
            return False
        headers = {}
        for text in iter(stream.readline, b"\r\n"):
            name, value = text.decode().split(":", 1)
            assert name.lower() not in headers, name
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers["content-length"]))
        assert line[0] == "POST" and line[1] in PATHS and line[2] == "HTTP/1.1", line
        assert headers["content-type"] == "application/json", headers
        message = json.loads(body.decode("utf-8"))
        otlp.check(message, PATHS[line[1]], PATHS[line[1]])
        with self.lock:
            number = len(self.requests) + 1
            self.requests.append((time.monotonic(), line[1], headers, message))
        reply = self.act(number, line[1])
        if reply is None:
            time.sleep(3600)
        c.sendall(reply)
        return reply.startswith(b"HTTP/1.1 ") and b"\r\n\r\n" in reply

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        assert not self.errors, self.errors

    def records(self, path="/v1/logs"):
        return [r for _, p, _, m in self.requests if p == path for r in otlp.records(m)]


def idle():
    """The seconds for which the average processor has been idle, since an unnamed instant."""
    with open("/proc/stat") as f:
        return int(f.readline().split()[4]) / os.sysconf("SC_CLK_TCK") / os.cpu_count()


def run(command, **variables):
    """(status, standard output, standard error, seconds) of COMMAND.  The seconds are those for
    which the machine waited with it, not those in which other programs ran."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    environment.update(variables)
    begun = idle()
    r = subprocess.run(command, capture_output=True, env=environment,
                       stdin=subprocess.DEVNULL)
    return (r.returncode, r.stdout.decode(), r.stderr.decode(errors="replace"),
            idle() - begun)
