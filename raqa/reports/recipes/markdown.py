"""A recipe's report as GitHub-flavoured Markdown, figures linked as the files beside it."""

from __future__ import annotations

from raqa.reports.markdown import bullets, escape
from raqa.reports.recipes.tables import RecipeReport, Shown, Table


def markdown(report: RecipeReport, figures: bool) -> str:
    """Render the report.

    Args:
        figures: link PNG files in `figures/`, where they are written.
    """
    blocks = [f"# {escape(report.title)}"]
    blocks += [f"> **{escape(text)}**" for text in report.watermarks]
    blocks.append(bullets(escape(sentence) for sentence in report.summary))
    for table in report.tables:
        blocks += [f"## {escape(table.title)}", _table(table), escape(table.caption)]
    if report.notes:
        blocks.append("\n".join(f"[{n}] {escape(t)}  " for n, t in enumerate(report.notes, 1)))
    if report.footnotes:
        blocks.append(bullets(map(escape, report.footnotes)))
    if figures and report.pictures:
        blocks.append("## Figures")
        for picture in report.pictures:
            blocks += [
                f"### {escape(picture.title)}",
                f"![{escape(picture.title)}](figures/{picture.name}.png)",
                escape(picture.caption),
            ]
    blocks += [
        "## What the numbers mean",
        bullets(f"**{t}**: {escape(x)}" for t, x in report.terms),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> str:
    lines = [
        [escape(heading.text) for heading in table.headings],
        ["--:" if heading.numeric else "---" for heading in table.headings],
        *([_place(shown) for shown in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _place(shown: Shown) -> str:
    """The number, bold in the best group, and below it what belongs to it."""
    first, *others = (escape(line) for line in shown.lines)
    return "<br>".join([f"**{first}**" if shown.best else first, *others])
