"""A report as Markdown: for a repository, a pull request or a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from raqa.reports.asked.inputs import Inputs
from raqa.reports.content import GROUP_HEADINGS, Content, RunView


def markdown(content: Content) -> str:
    """Render the report as GitHub-flavoured Markdown, without pictures."""
    blocks = [f"# {escape(content.title)}"]
    blocks += [f"{heading}: {escape(text)}" for heading, text in content.shared]
    for setting in content.settings:
        blocks += [f"**{escape(setting.title)}.** {escape(setting.summary)}"]
    blocks += ["## Results"]
    for table in content.tables:
        rows = [[column.cell(view.run).text for column in table.columns] for view in table.views]
        numeric = [column.numeric for column in table.columns]
        blocks += [pipe_table([column.heading for column in table.columns], rows, numeric)]
    for inputs in content.inputs:
        blocks += _inputs(inputs)
    for view in content.views:
        blocks += _run(view)
    if content.left_out:
        blocks += ["## Left out", bullets(content.left_out)]
    blocks += [
        "## What the numbers mean",
        bullets(f"**{term}**: {text}" for term, text in content.glossary),
    ]
    return "\n\n".join(blocks) + "\n"


def _inputs(inputs: Inputs) -> list[str]:
    """One responder's inputs side by side."""
    blocks = [f"## {escape(inputs.responder)} by input", f"{escape(inputs.asked)}."]
    for grid in (inputs.inputs, inputs.pairs):
        if grid is not None:
            rows = [[cell.text for cell in row] for row in grid.rows]
            numeric = [heading.numeric for heading in grid.headings]
            headings = [heading.text for heading in grid.headings]
            blocks += [f"### {escape(grid.title)}"] if grid.title else []
            blocks += [escape(grid.caption), pipe_table(headings, rows, numeric)]
    return blocks


def _run(view: RunView) -> list[str]:
    blocks = [f"## {escape(view.name)}", f"{escape(view.headline.text)}. {escape(view.verdict)}"]
    blocks += [escape(view.silent)] if view.silent else []
    blocks += [f"> **{escape(warning)}**" for warning in view.warnings]
    if view.groups:
        numeric = [False, True, True, False, True, True]
        blocks += ["### Error by age and sex", pipe_table(GROUP_HEADINGS, view.group_rows, numeric)]
    for detail in view.details:
        table = pipe_table(detail.headings, detail.rows, detail.numeric)
        blocks += [f"### {detail.title}", escape(detail.text), table]
    blocks += [
        "### Cohort",
        pipe_table(["step", "recordings", "subjects"], view.cohort, [False, True, True]),
        "### Set aside",
        bullets(
            f"{aside.count:,} {escape(aside.reason)}: {escape(', '.join(aside.names))}"
            + (f" and {aside.more:,} more" if aside.more else "")
            for aside in view.set_aside
        )
        or "Nothing.",
        "### Where these numbers come from",
        bullets(f"{name}: {escape(value)}" for name, value in view.facts),
    ]
    return blocks


def pipe_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]
) -> str:
    """A table; cells are escaped, headings are not."""
    lines = [headings, ["--:" if right else "---" for right in numeric]]
    lines += [[escape(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    """A list; items are not escaped."""
    return "\n".join(f"- {item}" for item in items)


def escape(text: str) -> str:
    """Keep names such as `mel_stats` or `a|b` from being read as markup."""
    return re.sub(r"[\\`*\[\]<>|#]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)
