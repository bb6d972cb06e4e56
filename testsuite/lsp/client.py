# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of the language server, by the protocol's own bytes: for tests."""
import json
import os
import subprocess


class Server:
    def __init__(self, command, cwd=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        cwd=cwd)
        self.buffer = b""
        self.number = 0
        self.kept = []

    # ----------------------------------------------------------- messages

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def ask(self, method, params=None):
        """Send a request; its number."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        return self.number

    def receive(self):
        """The next message; None if the server has gone."""
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if found:
                length = int([l for l in head.split(b"\r\n")
                              if l.lower().startswith(b"content-length:")][0].split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self.buffer += data

    def wait_for(self, wanted):
        """The first message that WANTED is true of; others are kept for later."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        while True:
            message = self.receive()
            if message is None:
                raise EOFError("no such message; there were %s" % json.dumps(self.kept)[:2000])
            if wanted(message):
                return message
            self.kept.append(message)

    def answer(self, number):
        return self.wait_for(lambda m: m.get("id") == number and "method" not in m)

    def request(self, method, params=None):
        message = self.answer(self.ask(method, params))
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["result"]

    # ---------------------------------------------------------- documents

    def initialize(self, **capabilities):
        result = self.request("initialize",
                              {"processId": os.getpid(), "rootUri": None,
                               "capabilities": capabilities})
        self.notify("initialized")
        return result

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "systemtap", "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                               "contentChanges": list(changes)})

    def diagnostics(self, uri, version=None):
        """What is published of that version of the document."""
        return self.wait_for(lambda m: m.get("method") == "textDocument/publishDiagnostics" and
                             m["params"]["uri"] == uri and
                             (version is None
                              or m["params"].get("version") == version))["params"]["diagnostics"]

    def at(self, method, uri, line, character, **more):
        return self.request("textDocument/" + method, {
            "textDocument": {"uri": uri}, "position": {"line": line, "character": character},
            **more})

    def finish(self):
        """Shutdown and exit; the exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(10)
