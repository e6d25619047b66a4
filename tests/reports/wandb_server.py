"""A stand-in for the service of Weights & Biases on this machine: as much as `wandb sync` asks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Received:
    """What was sent.

    Attributes:
        url: where the service is.
        runs: how often each run's metadata came, by W&B id.
        history: every run's history as it stands: lines take the place of those at their offset.
        files: names of every run's files.
        described: the last metadata of every run: group, job type, tags, config.
    """

    url: str = ""
    runs: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    history: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    described: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))

    def answer(self, query: str, given: dict[str, Any]) -> dict[str, Any]:
        """Answer a question of GraphQL."""
        if "upsertBucket" in query:
            run = given["name"]
            self.runs[run] += 1
            self.described[run] |= {key: one for key, one in given.items() if one is not None}
            project = {"name": given["project"], "entity": {"name": "lab"}}
            bucket = {"id": run, "name": run, "displayName": run, "project": project}
            return {"upsertBucket": {"bucket": bucket, "inserted": True}}
        if "createArtifact(" in query:
            artifact = {
                "id": "a",
                "state": "COMMITTED",  # nothing of it has to be sent
                "artifactSequence": {"latestArtifact": {"id": "a"}},
            }
            return {"createArtifact": {"artifact": artifact}}
        if "createRunFiles" in query:
            self.files[given["run"]] |= set(given["files"])
            files = [{"name": one, "uploadUrl": f"{self.url}/{one}"} for one in given["files"]]
            return {"createRunFiles": {"runID": given["run"], "uploadHeaders": [], "files": files}}
        return {}

    def take(self, run: str, files: dict[str, Any]) -> None:
        """Take lines of a run's files."""
        if lines := files.get("wandb-history.jsonl"):
            rows = [json.loads(line) for line in lines["content"]]
            place = lines["offset"]
            self.history[run][place : place + len(rows)] = rows


@contextmanager
def serve() -> Iterator[Received]:
    """Run the stand-in for as long as the block."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._reply({})

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._reply({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path == "/graphql":
                asked = json.loads(body)
                self._reply({"data": received.answer(asked["query"], asked.get("variables") or {})})
                return
            if self.path.endswith("/file_stream"):
                received.take(self.path.split("/")[-2], json.loads(body).get("files") or {})
            self._reply({})

        def _reply(self, answer: dict[str, Any]) -> None:
            text = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
