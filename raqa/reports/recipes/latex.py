"""A recipe's tables as LaTeX that needs the package booktabs and nothing else."""

from __future__ import annotations

import re
from itertools import zip_longest

from raqa.reports.recipes.tables import RecipeReport, Shown, Table

_MARKS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "→": r"$\rightarrow$",
    "†": r"\dag{}",
    "²": r"$^2$",
    "·": r"$\cdot$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
}


def latex(report: RecipeReport) -> str:
    """Render all tables, each a `table*` float with its caption and notes."""
    blocks = [
        f"% {report.name}: {report.title}",
        "% \\usepackage{booktabs}",
        *(f"% {text.upper()}" for text in report.watermarks),
    ]
    return "\n".join(blocks + [_float(report, table) for table in report.tables]) + "\n"


def escape(text: str) -> str:
    """Keep marks from being read as commands."""
    return re.sub("|".join(map(re.escape, _MARKS)), lambda match: _MARKS[match[0]], text)


def _float(report: RecipeReport, table: Table) -> str:
    watermark = "".join(rf"\textbf{{{escape(text.upper())}}} " for text in report.watermarks)
    columns = "".join("r" if heading.numeric else "l" for heading in table.headings)
    headings = " & ".join(escape(heading.text) for heading in table.headings)
    body = "\n\\addlinespace\n".join(_row(row) for row in table.rows)
    notes = [f"[{number}] {text}" for number, text in enumerate(report.notes, start=1)]
    said = "".join(
        f"\\par {escape(text)}\n" for text in [*notes, *report.footnotes] if _needed(text, table)
    )
    return (
        "\\begin{table*}\n\\centering\\footnotesize\n"
        f"\\caption{{{watermark}{escape(report.title)}. {escape(table.caption)}}}\n"
        f"\\label{{tab:{re.sub(r'[^a-z0-9]+', '-', report.name.lower())}-{table.name}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{headings} \\\\\n\\midrule\n"
        f"{body}\n\\bottomrule\n\\end{{tabular}}\n{said}\\end{{table*}}"
    )


def _needed(text: str, table: Table) -> bool:
    """Whether the table refers to a note; footnotes explain marks that are anywhere in it."""
    lines = [line for row in table.rows for shown in row for line in shown.lines]
    mark = re.match(r"\[\d+\]", text)
    return any((mark[0] if mark else text[0]) in line for line in lines)


def _row(row: tuple[Shown, ...]) -> str:
    """One table row is as many lines as its fullest place."""
    places = [_lines(shown) for shown in row]
    return "\n".join(" & ".join(line) + r" \\" for line in zip_longest(*places, fillvalue=""))


def _lines(shown: Shown) -> list[str]:
    first, *others = (escape(line) for line in shown.lines)
    mark = r"\textsuperscript{R}" if shown.random else ""
    return [(rf"\textbf{{{first}}}" if shown.best else first) + mark] + [
        rf"{{\scriptsize {line}}}" for line in others
    ]
