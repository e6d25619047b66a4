"""Many runs in one process leave nothing behind in memory."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = 30
SETTLED = 5
"""Runs after which libraries have loaded and allocated what they keep."""

SCRIPT = """
import os, sys
import raqa.main, raqa.run
done = raqa.run.run

def measured(*arguments, **options):
    result = done(*arguments, **options)
    pages = int(open('/proc/self/statm').read().split()[1])
    print('resident', pages * os.sysconf('SC_PAGE_SIZE') // 1024, flush=True)
    return result

raqa.run.run = measured
raqa.main.main(sys.argv[1:])
"""


@pytest.mark.slow  # thirty runs
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read memory from")
def test_memory_stays_flat_over_thirty_runs_of_one_process(tmp_path: Path) -> None:
    seeds = ",".join(f"[{number}]" for number in range(RUNS))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "-m", f"seeds={seeds}", "trainer.max_epochs=2",
         "datamodule.corpus.subjects=20", f"paths.runs={tmp_path / 'runs'}"],
        capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    resident = [int(found) for found in re.findall(r"resident (\d+)", done.stdout)]
    assert len(resident) == RUNS
    assert max(resident[SETTLED:]) < 1.1 * resident[SETTLED - 1], resident
