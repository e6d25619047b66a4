"""What models say, made harmless to look at; the store keeps it as it came."""

from __future__ import annotations

import unicodedata

LONGEST = 500
"""Characters that are shown of a response; models have said ten million."""

_FORMULA = ("=", "+", "-", "@")


def harmless(text: str, longest: int = LONGEST) -> str:
    """One line without anything that steers a terminal or turns text around.

    Markup is left to who prints it: rich.markup.escape, or a template that escapes HTML.

    Returns:
        at most `longest` characters and, where that is not all, how many there are.
    """
    shown = "".join(
        " " if sign.isspace() else sign
        for sign in text[:longest]
        if sign.isspace() or unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )
    more = f" … ({len(text):,} characters)" if len(text) > longest else ""
    return f"{shown}{more}"


def csv_cell(text: str, longest: int = LONGEST) -> str:
    """The same for a cell of a table: what a spreadsheet would compute begins with an apostrophe.

    A sign is only dangerous where something but a number follows it; numbers stay numbers.
    """
    shown = harmless(text, longest)
    if not shown.lstrip().startswith(_FORMULA):
        return shown
    try:
        float(shown)
    except ValueError:
        return f"'{shown}"
    return shown
