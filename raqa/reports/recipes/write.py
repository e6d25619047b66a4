"""`raqa report RECIPE`: from cells to files."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from raqa.errors import UserError, neighbours
from raqa.folders import make_folder
from raqa.reports.recipes.cells import (
    Layout,
    RecipeFacts,
    ReportCell,
    with_answers,
    with_errors,
    with_exams,
)
from raqa.reports.recipes.cross import cross_report
from raqa.reports.recipes.encoders import encoders_report
from raqa.reports.recipes.exam_layout import exam_report
from raqa.reports.recipes.low_n import low_n_report
from raqa.reports.recipes.published import Published, read_published
from raqa.reports.recipes.question_layout import questions_report
from raqa.reports.recipes.records import pairs_table, records_table
from raqa.reports.recipes.tables import Picture, RecipeReport

RECIPE_FORMATS = ("markdown", "csv", "latex", "html", "records", "figures")

_MAKERS: dict[Layout, Callable[[RecipeFacts, Sequence[ReportCell], Published], RecipeReport]] = {
    "within": encoders_report,
    "heads": encoders_report,
    "cross": cross_report,
    "low_n": low_n_report,
    "questions": questions_report,
    "exam": exam_report,
}


def make_recipe_report(recipe: RecipeFacts, cells: Sequence[ReportCell]) -> RecipeReport:
    """Compute the report of a recipe in its layout.

    Raises:
        UserError: no cell is done, the published numbers can not be read, or two cells would
            stand at the same place.
    """
    shown = {"questions": with_answers, "exam": with_exams}.get(recipe.layout, with_errors)
    cells = [shown(cell) for cell in cells]
    if all(cell.run is None for cell in cells):
        causes = list(dict.fromkeys(cell.problem or "" for cell in cells))
        raise UserError(
            f"{recipe.name}: none of {len(cells)} cells is done, so there is nothing to report. "
            f"{'; '.join(causes[:3])}. `raqa sweep {recipe.name}` runs them."
        )
    return _MAKERS[recipe.layout](recipe, cells, read_published(recipe.published))


def check_formats(formats: Collection[str]) -> None:
    """Refuse formats that a recipe's report does not have; all are named."""
    unknown = [name for name in formats if name not in RECIPE_FORMATS]
    if unknown:
        raise UserError(
            [f"No format {name!r}. {neighbours(name, RECIPE_FORMATS)}" for name in unknown]
        )


def write_recipe_report(
    report: RecipeReport, out: Path, formats: Collection[str] = RECIPE_FORMATS
) -> list[Path]:
    """Write a report.

    Args:
        out: folder for the files; made where it is missing.

    Returns:
        report.md; a CSV per table and pairs.csv; report.tex; report.html; records.jsonl and
        records.parquet; figures/*.png and *.pdf.

    Raises:
        UserError: a format is unknown.
    """
    check_formats(formats)
    make_folder(out)
    texts = _texts(report, formats)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    files = [out / name for name in texts]
    if "records" in formats:
        records_table(report.records).write_parquet(out / "records.parquet")
        files.append(out / "records.parquet")
    if "figures" in formats:
        files += _figures(report.pictures, out / "figures")
    return files


def _texts(report: RecipeReport, formats: Collection[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    if "markdown" in formats:
        from raqa.reports.recipes.markdown import markdown

        texts["report.md"] = markdown(report, figures="figures" in formats)
    if "csv" in formats:
        from raqa.reports.recipes.csv_table import csv_table

        texts |= {f"{table.name}.csv": csv_table(report, table) for table in report.tables}
        texts["pairs.csv"] = pairs_table(report.name, report.pairs).write_csv()
    if "latex" in formats:
        from raqa.reports.recipes.latex import latex

        texts["report.tex"] = latex(report)
    if "html" in formats:
        from raqa.reports.recipes.page import recipe_page

        texts["report.html"] = recipe_page(report)
    if "records" in formats:
        rows = records_table(report.records).iter_rows(named=True)
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        texts["records.jsonl"] = "".join(f"{line}\n" for line in lines)
    return texts


def _figures(pictures: Sequence[Picture], folder: Path) -> list[Path]:
    """Every figure as PNG and PDF, without the date that would make equal reports differ."""
    make_folder(folder)
    files = []
    for picture in pictures:
        figure = picture.draw()
        for suffix, metadata in (("png", {"Software": None}), ("pdf", {"CreationDate": None})):
            file = folder / f"{picture.name}.{suffix}"
            figure.savefig(file, dpi=160, metadata=metadata)
            files.append(file)
    return files
