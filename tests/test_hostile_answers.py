"""Whatever a model says does no harm where it is shown or written: every such place at once."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import polars as pl
import pytest

from raqa.main import main
from raqa.reports.run_folder import read_run
from raqa.reports.wandb_run import wandb_table
from tests.responders.asking import tone
from tests.responders.fake_server import MODEL, Reply, serving

HOSTILE = (
    "no " * 3_300_000,  # 10 MB
    "\x1b[2J\x1b]0;title\x07 yes\x00\u202e\x08\x85",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    '=HYPERLINK("http://x","yes")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "yes\r\n\r\n# heading\n| a | b |\n[link](javascript:alert(3)) `x` $(id) \\input{/etc/passwd}",
    "[bold red]no[/bold red] [link=http://x]here[/link] [/] \ud800 A.",
    "A" * 200_000,
    "",
)
TEXT_FILES = {".csv", ".html", ".md", ".json", ".jsonl", ".yaml", ".tex", ".txt", ".log"}
_LARGEST = 5_000_000  # bytes; a page with its pictures has less than one million

Command = Callable[..., str]


def _replies() -> Callable[..., Reply]:
    """Every next prompt gets the next answer."""
    numbers = count()
    return lambda *_: Reply(text=HOSTILE[next(numbers) % len(HOSTILE)])


def _signs(text: str) -> Iterator[str]:
    """What would steer a terminal or turn text around."""
    for sign in ("\x1b", "\x00", "\x07", "\x08", "\x85", "\u202e"):
        if sign in text:
            yield f"holds {sign!r}"


def _markup(text: str) -> Iterator[str]:
    """What would run in a browser or become a link."""
    for tag in ("<script>alert", "<img src=x", "](javascript:"):
        if tag in text:
            yield f"holds {tag}"


def _harmful_cells(path: Path) -> Iterator[str]:
    """Cells that a spreadsheet would compute, or that nobody can look at."""
    csv.field_size_limit(sys.maxsize)
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                if len(cell) > 2_000:
                    yield f"a cell of {len(cell):,} characters"
                if cell.lstrip().startswith(("=", "+", "@")):
                    yield f"a formula: {cell[:40]}"


def _harm(folder: Path) -> list[str]:
    found = []
    for path in (one for one in folder.rglob("*") if one.suffix in TEXT_FILES):
        if path.stat().st_size > _LARGEST:
            found.append(f"{path.name}: {path.stat().st_size:,} bytes")
            continue
        text = path.read_text(encoding="utf-8")
        problems = list(_signs(text))
        problems += _markup(text) if path.suffix in {".html", ".md"} else []
        problems += _harmful_cells(path) if path.suffix == ".csv" else []
        found += [f"{path.name}: {problem}" for problem in problems]
    return found


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Runs folder and cache of two runs about questions, whose server is still there."""
    folder = tmp_path_factory.mktemp("hostile")
    with serving(_replies()) as server:
        for given in ("audio", "none"):
            main(["task=qa", "head=zero_shot", "responder=openai", f"responder.model={MODEL}",
                  f"responder.base_url={server.url}", f"head.hearing.given={given}", "seeds=1",
                  "datamodule.corpus.subjects=16", f"paths.runs={folder / 'runs'}",
                  f"paths.cache={folder / 'cache'}"])  # fmt: skip
        yield folder / "runs", folder / "cache"


def _runs(evaluated: tuple[Path, Path]) -> list[Path]:
    return sorted(path.parent for path in evaluated[0].glob("*/metrics.json"))


def test_what_was_said_is_kept_as_it_came_and_is_hostile(evaluated: tuple[Path, Path]) -> None:
    said = set().union(*(read_run(run).predictions["response"] for run in _runs(evaluated)))
    assert said >= {one.replace("\ud800", "?") for one in HOSTILE if one}


def test_run_folders_hold_nothing_harmful(evaluated: tuple[Path, Path]) -> None:
    assert _harm(evaluated[0]) == []


def test_reports_of_folders_hold_nothing_harmful_and_are_written_in_time(
    evaluated: tuple[Path, Path], tmp_path: Path, raqa: Command
) -> None:
    begun = time.monotonic()
    shown = raqa("report", str(evaluated[0]), "--out", str(tmp_path))
    assert time.monotonic() - begun < 60
    assert (tmp_path / "report.html").is_file()
    assert [*_signs(shown), *_harm(tmp_path)] == []


def test_a_comparison_shows_nothing_harmful(evaluated: tuple[Path, Path], raqa: Command) -> None:
    shown = raqa("compare", *map(str, _runs(evaluated)))
    assert list(_signs(shown)) == []
    assert "the no-audio baseline" in shown


def test_answers_in_words_are_shown_and_written_harmless(
    evaluated: tuple[Path, Path], tmp_path: Path, raqa: Command
) -> None:
    run = _runs(evaluated)[0]
    files = [str(tone(tmp_path / f"{one}.wav", 200 + 50 * one)) for one in range(len(HOSTILE))]
    shown = raqa("ask", str(run), *files, "Does it rain?", "--csv", str(tmp_path / "said.csv"),
                 "--set", f"paths.cache={evaluated[1]}")  # fmt: skip
    assert len(shown) < 10_000
    assert list(_signs(shown)) == []
    said = (tmp_path / "said.csv").read_text()
    assert all(f"'{start}" in said for start in ("=HYPERLINK", "+1+cmd", "@SUM"))
    assert _harm(tmp_path) == []


def test_tables_in_weights_and_biases_are_harmless(evaluated: tuple[Path, Path]) -> None:
    for run in map(read_run, _runs(evaluated)):
        rows = wandb_table(run.predictions).data
        texts = [cell for row in rows for cell in row if isinstance(cell, str)]
        assert len(texts) >= run.predictions.height
        assert not [text for text in texts if len(text) > 600 or "\x1b" in text]
        assert not [text for text in texts if text.startswith(("=", "+", "@"))]


def test_a_recipes_report_holds_nothing_harmful(
    evaluated: tuple[Path, Path], tmp_path: Path
) -> None:
    from raqa.reports.recipes.cells import RecipeFacts, ReportCell
    from raqa.reports.recipes.write import make_recipe_report, write_recipe_report

    cells = [
        ReportCell({"head": "zero_shot", "head.hearing.given": given}, read_run(path))
        for given, path in zip(("audio", "none"), _runs(evaluated), strict=True)
    ]
    made = make_recipe_report(RecipeFacts("mine", "Hostile", "questions"), cells)
    write_recipe_report(made, tmp_path, ("markdown", "csv", "latex", "html", "records"))
    assert _harm(tmp_path) == []
    assert isinstance(pl.read_parquet(tmp_path / "records.parquet"), pl.DataFrame)
