"""A report as Markdown: for a repository, a pull request or a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from raqa.reports.content import GROUP_HEADINGS, Content, RunView


def markdown(content: Content) -> str:
    """Render the report as GitHub-flavoured Markdown, without pictures."""
    blocks = [f"# {_escape(content.title)}"]
    blocks += [f"{heading}: {_escape(text)}" for heading, text in content.shared]
    for setting in content.settings:
        blocks += [f"**{_escape(setting.title)}.** {_escape(setting.summary)}"]
    blocks += ["## Results"]
    for table in content.tables:
        rows = [[column.cell(view.run).text for column in table.columns] for view in table.views]
        numeric = [column.numeric for column in table.columns]
        blocks += [_table([column.heading for column in table.columns], rows, numeric)]
    for view in content.views:
        blocks += _run(view)
    if content.left_out:
        blocks += ["## Left out", _list(content.left_out)]
    blocks += [
        "## What the numbers mean",
        _list(f"**{term}**: {text}" for term, text in content.glossary),
    ]
    return "\n\n".join(blocks) + "\n"


def _run(view: RunView) -> list[str]:
    blocks = [f"## {_escape(view.name)}", f"{_escape(view.headline.text)}. {_escape(view.verdict)}"]
    blocks += [f"> **{_escape(warning)}**" for warning in view.warnings]
    if view.groups:
        numeric = [False, True, True, False, True, True]
        blocks += ["### Error by age and sex", _table(GROUP_HEADINGS, view.group_rows, numeric)]
    blocks += [
        "### Cohort",
        _table(["step", "recordings", "subjects"], view.cohort, [False, True, True]),
        "### Set aside",
        _list(
            f"{aside.count:,} {_escape(aside.reason)}: {_escape(', '.join(aside.names))}"
            + (f" and {aside.more:,} more" if aside.more else "")
            for aside in view.set_aside
        )
        or "Nothing.",
        "### Where these numbers come from",
        _list(f"{name}: {_escape(value)}" for name, value in view.facts),
    ]
    return blocks


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]) -> str:
    lines = [headings, ["--:" if right else "---" for right in numeric]]
    lines += [[_escape(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _escape(text: str) -> str:
    """Keep names such as `mel_stats` or `a|b` from being read as markup."""
    return re.sub(r"[\\`*\[\]<>|#]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)
