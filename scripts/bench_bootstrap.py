"""Times the bootstrap of a whole table as matrix products against a plain loop.

Both draw subjects with all their recordings, 10,000 times, for 90 cells (Table 4 of the cough
paper) on the same test subjects. The loop is measured on a few cells and resamples and projected
to the rest, which is said. Run it by itself; with --check its exit status is 1 where the goal is
missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from raqa.metrics.bootstrap import resampled_means, subject_totals

CELLS = 90
RESAMPLES = 10_000
SUBJECTS = (210, 512, 2789)  # test sides of CIDRZ, Coswara and CoughVID
LOOP_CELLS, LOOP_RESAMPLES = 3, 500
ROUNDS = 3
GOAL = 20.0

Floats = NDArray[np.float64]


def loop(sums: Floats, counts: Floats, resamples: int) -> Floats:
    """Resample one cell after the other, one draw after the other: `[resamples, cells]`."""
    means = np.empty((resamples, sums.shape[1]))
    for cell in range(sums.shape[1]):
        generator = np.random.default_rng(0)
        for row in range(resamples):
            drawn = generator.integers(len(counts), size=len(counts))
            means[row, cell] = sums[drawn, cell].sum() / counts[drawn].sum()
    return means


def measure(subjects: int) -> tuple[float, float]:
    """Median seconds of the matrix products, and of the loop projected to the same work."""
    generator = np.random.default_rng(1)
    names = np.repeat(np.arange(subjects), generator.integers(1, 4, size=subjects))
    errors = generator.gamma(4.0, 2.5, size=(len(names), CELLS))
    sums, counts = subject_totals(errors, names)
    whole, part = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        resampled_means(sums, counts, resamples=RESAMPLES, seed=0)
        middle = time.perf_counter()
        loop(sums[:, :LOOP_CELLS], counts, LOOP_RESAMPLES)
        whole.append(middle - start)
        part.append(time.perf_counter() - middle)
    share = LOOP_CELLS * LOOP_RESAMPLES / (CELLS * RESAMPLES)
    return statistics.median(whole), statistics.median(part) / share


def main() -> None:
    """Print both times and their ratio for each test side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit status 1 below the goal")
    check, console, ratios = parser.parse_args().check, Console(), []
    console.print(
        f"{CELLS} cells, {RESAMPLES:,} resamples; loop measured on {LOOP_CELLS} cells x "
        f"{LOOP_RESAMPLES} resamples and projected; medians of {ROUNDS}, interleaved"
    )
    for subjects in SUBJECTS:
        matrix, plain = measure(subjects)
        ratios.append(plain / matrix)
        console.print(
            f"{subjects:5,} subjects: matrix products {matrix:6.3f} s, plain loop {plain:6.1f} s "
            f"(projected): {ratios[-1]:.0f} times faster"
        )
    console.print(f"smallest ratio {min(ratios):.0f}, goal {GOAL:.0f}")
    sys.exit(check and min(ratios) < GOAL)


if __name__ == "__main__":
    main()
