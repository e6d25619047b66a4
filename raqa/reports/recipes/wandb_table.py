"""A recipe's report as a run of its own in Weights & Biases: tables, figures, records, page."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError
from raqa.provenance import commit
from raqa.reports.recipes.csv_table import plain_table
from raqa.reports.recipes.page import recipe_page
from raqa.reports.recipes.records import pairs_table, records_table
from raqa.reports.recipes.tables import RecipeReport
from raqa.reports.wandb_attempts import find_attempts
from raqa.reports.wandb_run import WandbTracker, wandb_image, wandb_table
from raqa.reports.wandb_session import Mode, begin, first_line


def report_id(report: RecipeReport) -> str:
    """The W&B id: of the recipe and its records, so that the same report is the same run."""
    records = [{**record, "recipe": None} for record in report.records]  # it may be a path
    text = json.dumps([report.title, records], sort_keys=True, default=str)
    slug = re.sub(r"[^\w.]+", "-", _name(report))
    return f"report-{slug}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def show_report(report: RecipeReport, tracker: WandbTracker, mode: Mode) -> str:
    """Add a report as a run of job type `report` in the recipe's group.

    Args:
        tracker: says which project and entity, and where files go.
        mode: "online", or "offline" to push later; a report that waits to be pushed already is
            not written again.

    Returns:
        its W&B id.

    Raises:
        UserError: the service answers, and refuses it.
    """
    run_id = report_id(report)
    if mode == "offline" and _written(run_id, tracker.folder):
        return run_id
    session = begin(
        mode,
        tracker.folder,
        resume=False,
        project=tracker.project,
        entity=tracker.entity,
        id=run_id,
        name=run_id,
        group=tracker.group or _name(report),
        job_type="report",
        tags=["report", *tracker.tags, *(["not results"] if report.watermarks else [])],
        config=_facts(report),
    )
    if session is None:
        return run_id
    try:
        session.run.summary.update(_summary(report))
        session.run.log(_content(report))
    except Exception as error:
        session.close(1)
        raise UserError(
            f"Weights & Biases did not take the report ({first_line(error)}); its files are "
            "complete. The same command with --wandb=offline keeps it to be pushed."
        ) from error
    session.close(0)
    return run_id


def _name(report: RecipeReport) -> str:
    """`cough_regression/table3`; of a file of the user's own, its own name."""
    path = Path(report.name).with_suffix("")
    return path.name if path.is_absolute() or ".." in path.parts else path.as_posix()


def _written(run_id: str, folder: Path) -> bool:
    if not folder.is_dir():
        return False
    return any(one.run == run_id and one.exit_code == 0 for one in find_attempts([folder]))


def _facts(report: RecipeReport) -> dict[str, Any]:
    return {
        "recipe": _name(report),
        "title": report.title,
        "watermarks": list(report.watermarks),
        "notes": list(report.notes),
        "footnotes": list(report.footnotes),
        "commit": commit(),
    }


def _summary(report: RecipeReport) -> dict[str, Any]:
    done = sum(record["problem"] is None for record in report.records)
    return {
        "cells": len(report.records),
        "cells_done": done,
        "cells_missing": len(report.records) - done,
        "findings": "\n".join(report.summary),
    }


def _content(report: RecipeReport) -> dict[str, Any]:
    import wandb

    tables = {table.name: plain_table(report, table) for table in report.tables}
    tables["pairs"] = pairs_table(report.name, report.pairs)
    tables["records"] = records_table(report.records)
    return {
        **{name: wandb_table(_flat(table)) for name, table in tables.items()},
        **{f"figures/{one.name}": wandb_image(one.draw(), one.title) for one in report.pictures},
        "page": wandb.Html(recipe_page(report), inject=False),
    }


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    """Lists as text: W&B's tables hold plain values."""
    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    return table.with_columns(pl.col(name).list.join(", ") for name in lists)
