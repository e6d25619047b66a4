"""What this machine's matrix product reaches, for benchmarks to be measured against."""

from __future__ import annotations

import time

import torch


def matrix_peak(size: int = 2048, repeats: int = 7) -> float:
    """Operations a second of the best of several products of two square matrices."""
    left, right = torch.randn(size, size), torch.randn(size, size)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        torch.mm(left, right)
        seconds.append(time.perf_counter() - start)
    return 2 * size**3 / min(seconds)
