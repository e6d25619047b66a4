"""Small tables in the terminal fit it, and what is typed again is never broken."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from raqa.embeddings.inventory import SHELVES
from raqa.reports.listing import print_shelves

NAMES = ("mel_stats-first_2s-6ecfab4173e6", "transformers_audio-loudest_8s_repeat-0123456789ab")


@pytest.fixture
def shelves() -> pl.DataFrame:
    used = datetime(2026, 1, 2, tzinfo=UTC)
    rows = [
        (NAMES[0], "MelStats", "none", "first_2s", 60, 109_900, used),
        (NAMES[1], "TransformersAudio", "a" * 64, "loudest_8s_repeat", 268_699, 10**10, used),
    ]
    return pl.DataFrame(rows, schema=dict(SHELVES), orient="row")


def _shown(shelves: pl.DataFrame, width: int) -> list[str]:
    out = io.StringIO()
    print_shelves(shelves, Path("cache"), Console(file=out, width=width))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 100])
def test_shelves_fit_a_narrow_terminal_with_their_names_whole(
    shelves: pl.DataFrame, width: int
) -> None:
    lines = _shown(shelves, width)
    assert max(map(len, lines)) <= width
    assert set(NAMES) <= set(lines)
    words = " ".join(" ".join(lines).split())
    assert "MelStats, weights none, first_2s: 60 embeddings, 109.9 kB, used 2026-01-02" in words
    assert "weights aaaaaaaaaaaa, loudest_8s_repeat: 268,699 embeddings" in words


def test_shelves_have_a_line_each_where_there_is_room(shelves: pl.DataFrame) -> None:
    heading, first, second, total = _shown(shelves, 160)
    assert heading.split()[:2] == ["name", "encoder"]
    assert first.split()[0] == NAMES[0]
    assert second.split()[:3] == [NAMES[1], "TransformersAudio", "a" * 12]
    assert total.endswith("in cache")
