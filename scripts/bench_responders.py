"""Times prompts to a fake chat endpoint with 50 ms of latency, one at a time and sixteen at a time.

The endpoint is the tests' fake server in a process of its own: no model answers. With --check the
exit status is 1 where sixteen are not at least eight times as fast as one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

CHECKOUT = Path(__file__).parents[1]
LATENCY_S = 0.05
LEAST_RATIO = 8.0
MANY = 16

_SERVER = """
import sys
from tests.responders.fake_server import serving
with serving(latency_s=float(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def main() -> int:
    """Measure, print, and say whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=400, help="asked sixteen at a time")
    parser.add_argument("--check", action="store_true", help="fail where the goal is missed")
    given = parser.parse_args()
    sys.path.insert(0, str(CHECKOUT))
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(LATENCY_S)],
        cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        one, many = rate(url, given.prompts // 8, 1), rate(url, given.prompts, MANY)
        server.stdin.close()
    Console().print(
        f"{one:.1f} prompts/s one at a time, {many:.1f} with {MANY} under way: "
        f"{many / one:.1f} times (goal: at least {LEAST_RATIO:g})",
        highlight=False,
    )
    return 0 if many / one >= LEAST_RATIO or not given.check else 1


def rate(url: str, prompts: int, concurrency: int) -> float:
    """Prompts answered in a second, asking, keeping and collecting included."""
    from raqa.responders.base import Pace
    from tests.responders.asking import ask, asked, openai, question

    questions = asked([question(f"q{number}") for number in range(prompts)])
    responder = openai(url, pace=Pace(concurrency=concurrency))
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        ask(questions, responder, Path(folder))
        return prompts / (time.perf_counter() - begun)


if __name__ == "__main__":
    sys.exit(main())
