"""A web server on the loopback address, with real sockets, that can be told to misbehave."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Server:
    """Serves `files`, and does what else it is told.

    Attributes:
        files: content by path.
        cuts: the connections of the next answers are dropped after so many bytes each.
        ranges: whether parts of a file are sent when asked for.
        marks: whether an ETag is sent.
        heeds: whether If-Range is heeded.
        status: what every request is answered with instead of a file.
        refusals: what the next requests are answered with instead of a file.
        kind: the Content-Type.
        chunked: send without a Content-Length; `extra` follows the file then.
        block_s: pause after each 64 kB.
        asked: the Range header of every GET, in order.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cuts: list[int] = []
        self.ranges = True
        self.marks = True
        self.heeds = True
        self.status: tuple[int, dict[str, str]] | None = None
        self.refusals: list[tuple[int, dict[str, str]]] = []
        self.kind = "application/octet-stream"
        self.chunked = False
        self.extra = b""
        self.block_s = 0.0
        self.asked: list[str | None] = []
        handler = type("Handler", (_Handler,), {"owner": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    owner: Server

    def do_HEAD(self) -> None:
        self._answer(send=False)

    def do_GET(self) -> None:
        self.owner.asked.append(self.headers.get("Range"))
        self._answer(send=True)

    def _answer(self, *, send: bool) -> None:
        owner = self.owner
        content = owner.files.get(self.path)
        refused = owner.refusals.pop(0) if owner.refusals else owner.status
        if refused is not None or content is None:
            status, headers = refused or (404, {})
            self._head(status, {**headers, "Content-Length": "0"})
            return
        mark = f'"{hashlib.sha256(content).hexdigest()}"'
        start = self._start(mark)
        if start >= len(content):
            self._head(416, {"Content-Length": "0"})
            return
        part = content[start:] + owner.extra
        headers = {"Content-Type": owner.kind, "X-Repo-Commit": COMMIT}
        if owner.marks:
            headers["ETag"] = mark
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        if not owner.chunked:
            headers["Content-Length"] = str(len(part))
        self._head(206 if start else 200, headers)
        if send:
            self._send(part[: owner.cuts.pop(0)] if owner.cuts else part)

    def _start(self, mark: str) -> int:
        asked = self.headers.get("Range")
        condition = self.headers.get("If-Range", mark)
        if not asked or not self.owner.ranges or (self.owner.heeds and condition != mark):
            return 0
        return int(asked.split("=")[1].split("-")[0])

    def _send(self, content: bytes) -> None:
        try:
            for begin in range(0, len(content), 1 << 16):
                self.wfile.write(content[begin : begin + (1 << 16)])
                time.sleep(self.owner.block_s)
        except ConnectionError:  # the client has gone
            self.close_connection = True

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    """A server, from here to the end of the block."""
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield made
    finally:
        made.http.shutdown()
        thread.join()
        made.http.server_close()
