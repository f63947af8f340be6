"""Talks to pyright as a language server."""

import json
import os
import subprocess

PIPELINE = 64  # requests under way at once


def settings(root, python, roots):
    """The settings of pyright for a work tree: an interpreter that has its dependencies,
    and the folders that imports start at besides the tree itself."""
    return {"python": {"pythonPath": python}, "python.analysis": {
        "extraPaths": [str(root / r) for r in roots if (root / r).is_dir()], "diagnosticMode": "openFilesOnly", "autoSearchPaths": True}}


class Server:
    """A language server on a pipe."""

    def __init__(self, command, root, settings, capabilities=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.settings = settings
        self.last = 0
        self.answers = {}
        uri = root.as_uri()
        self.ask_all([("initialize", {
            "processId": os.getpid(), "rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "root"}],
            "capabilities": {"workspace": {"configuration": True}, **(capabilities or {})},
        })])
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise SystemExit("error: the language server ended")
        message = json.loads(self.process.stdout.read(length))
        if "method" not in message:
            self.answers[message["id"]] = message.get("result")
        elif message["method"] == "workspace/configuration":
            result = [self.settings.get(i.get("section"), {}) for i in message["params"]["items"]]
            self.send({"id": message["id"], "result": result})
        elif "id" in message:
            self.send({"id": message["id"], "result": None})

    def ask_all(self, requests):
        """Sends the requests and returns their results in the same order."""
        ids, results = [], []
        for method, params in requests:
            self.last += 1
            ids.append(self.last)
            self.send({"id": self.last, "method": method, "params": params})
            while len(ids) - len(self.answers) - len(results) > PIPELINE:
                self.receive()
        for i in ids:
            while i not in self.answers:
                self.receive()
            results.append(self.answers.pop(i))
        return results

    def close(self):
        self.process.terminate()
        self.process.wait()
