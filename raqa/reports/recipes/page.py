"""A recipe's report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from raqa.reports.html_page import render
from raqa.reports.recipes.tables import RecipeReport, RowPairs
from raqa.reports.svg import inline_svg
from raqa.reports.text import decimals, interval_text, number_text


def recipe_page(report: RecipeReport) -> str:
    """Render the page: styles, script and pictures are inside; it loads nothing."""
    figures = {
        picture.name: inline_svg(
            picture.draw(), name=picture.name, description=f"{picture.title}. {picture.caption}"
        )
        for picture in report.pictures
    }
    return render(
        "recipe.html.j2",
        report=report,
        figures=figures,
        pairs=[(row.row, _pair_rows(row)) for row in report.pairs],
        terms=report.terms,
    )


def _pair_rows(row: RowPairs) -> list[tuple[str, ...]]:
    places = decimals(row.unit)
    return [
        (
            f"{pair.first} − {pair.second}",
            number_text(pair.difference, places),
            interval_text(pair.interval, places),
            number_text(pair.p, 4),
            number_text(pair.p_holm, 4),
            pair.better or "can not be told apart",
        )
        for pair in row.pairs
    ]
