"""`raqa report`: from run folders to Markdown, CSV and one HTML page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError, neighbours
from raqa.folders import make_folder
from raqa.metrics.groups import GroupError
from raqa.metrics.number import Number
from raqa.reports.answer_files import answer_files
from raqa.reports.content import Content, make_content
from raqa.reports.results import find_runs, result_row, results_table
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run

FORMATS = ("markdown", "csv", "html")


@dataclass(frozen=True)
class Report:
    """Files that were written, and what is not in them and why, a sentence each."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...]


def report(
    paths: Iterable[str | Path],
    out: str | Path,
    formats: Collection[str] = FORMATS,
    *,
    include_random: bool = False,
) -> Report:
    """Report all finished runs at and below some folders.

    Args:
        out: folder for the files; made where it is missing.
        include_random: also show runs whose encoder has random weights, marked as such.

    Raises:
        UserError: a folder is missing, a format unknown, or no run is left to report.
    """
    found = find_runs(paths)
    runs, left_out = [], list(found.problems)
    for path in found.finished:
        try:
            runs.append(read_run(path))
        except UserError as error:
            left_out.append(error.problems[0])
    shown = [run for run in runs if include_random or run.provenance.weights_real]
    if len(shown) < len(runs):
        left_out.append(f"{len(runs) - len(shown)} run(s) of encoders with random weights")
    if not shown:
        reasons = "; ".join(left_out) or "no folder holds a run"
        raise UserError(f"There is no run to report: {reasons}.")
    return Report(tuple(write_report(shown, Path(out), formats, left_out)), tuple(left_out))


def write_report(
    runs: Sequence[Run],
    out: Path,
    formats: Collection[str] = FORMATS,
    left_out: Sequence[str] = (),
) -> list[Path]:
    """Write a report of at least one run.

    Returns:
        the files: report.md; results.csv and groups.csv; of answers to questions parts.csv; of
        responders that were asked inputs.csv and input_pairs.csv; report.html.

    Raises:
        UserError: a format is unknown; the message names the choices.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UserError([f"No format {name!r}. {neighbours(name, FORMATS)}" for name in unknown])
    content = make_content(runs, left_out)
    make_folder(out)
    texts: dict[str, str] = {}
    if "markdown" in formats:
        from raqa.reports.markdown import markdown

        texts["report.md"] = markdown(content)
    if "csv" in formats:
        rows = [result_row(view.run) for view in content.views]
        texts["results.csv"] = (
            results_table(rows).with_columns(pl.col("classes").list.join("/")).write_csv()
        )
        texts["groups.csv"] = _groups_table(content).write_csv()
        texts |= answer_files(content)
    if "html" in formats:
        from raqa.reports.html_page import html_page

        texts["report.html"] = html_page(content)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def _groups_table(content: Content) -> pl.DataFrame:
    rows = [
        {"run": view.run.provenance.run, **_group_row(group)}
        for view in content.views
        for group in view.groups
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _group_row(group: GroupError) -> dict[str, Any]:
    facts = asdict(group)
    numbers: dict[str, Number] = {
        "mae": group.mae,
        "mae_low": group.interval.low,
        "mae_high": group.interval.high,
        "median_mae": group.median_mae,
        "bias": group.bias,
    }
    return {
        **{name: facts[name] for name in ("attribute", "group", "recordings", "subjects")},
        **{name: one.value if one.defined else None for name, one in numbers.items()},
    }
