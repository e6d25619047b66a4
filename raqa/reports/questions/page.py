"""The page of an audit: findings, then questions to browse, filter, hear and see.

It works from a file without a network: styles, script and questions are inside, recordings and
pictures lie beside it. Whatever came from a corpus reaches the page as text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.questions.browse import Drawn
from raqa.reports.html_page import render
from raqa.reports.questions.audit import QuestionAudit
from raqa.reports.questions.media import Medium, Recording, write_media

PAGE, FINDINGS = "index.html", "audit.json"

ROWS_SHOWN = 200
"""Rows of a section on the page; audit.json has all."""

_FIELDS = ("corpus", "attribute", "family", "question_type", "split", "question", "answer",
           "label", "value", "unit", "recording_id", "subject_id", "template_id",
           "qa_id")  # fmt: skip


def audit_page(
    audit: QuestionAudit, drawn: Drawn, media: Mapping[tuple[str, str], Medium], *, left_out: int
) -> str:
    """Render the page.

    Args:
        media: what was made of recordings, by corpus and recording_id.
        left_out: drawn recordings that were not copied, to keep the page small.
    """
    rows, heard = [], dict[str, dict[str, str | None]]()
    table = drawn.table.select(_FIELDS).with_columns(pl.col("value").fill_nan(None))
    for row in table.iter_rows(named=True):
        medium = media.get((row["corpus"], row["recording_id"]))
        key = f"{row['corpus']}/{row['recording_id']}"
        if medium is not None:
            heard[key] = {"sound": medium.sound, "picture": medium.picture, "told": medium.told}
        rows.append({**row, "medium": key if medium else None})
    return render("questions.html.j2", audit=audit, drawn=drawn, shown=ROWS_SHOWN,
                  heard=sum(one["sound"] is not None for one in heard.values()),
                  left_out=left_out, data=_script_data({"rows": rows, "media": heard}))  # fmt: skip


def _script_data(data: Any) -> str:
    """JSON that can stand inside a script element: no text of it can end the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def write_page(
    audit: QuestionAudit,
    drawn: Drawn,
    recordings: pl.DataFrame | None,
    folder: Path,
    *,
    most_recordings: int,
    watch: Callable[[int, int], None] = lambda *_: None,
) -> Path:
    """Write page, recordings, pictures and findings into a folder.

    Args:
        recordings: RECORDINGS columns of the corpora that are at hand; None: none is.
        most_recordings: how many are copied, those of the first questions first.
        watch: is told how many recordings are done, and of how many.

    Returns:
        the page.

    Raises:
        UserError: the folder holds other things than an earlier audit.
    """
    check_folder(folder)
    make_folder(folder)
    asked, left_out = _to_copy(drawn.table, recordings, most_recordings)
    done = iter(range(1, len(asked) + 1))
    media = write_media(asked, folder, lambda: watch(next(done), len(asked)))
    audit.write(folder / FINDINGS)
    page = folder / PAGE
    page.write_text(audit_page(audit, drawn, media, left_out=left_out), encoding="utf-8")
    return page


def check_folder(folder: Path) -> None:
    """Refuse to write into a folder that holds other things than an earlier audit.

    Raises:
        UserError: saying what is in it.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder} is a file; name a folder.")
    held = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if held and FINDINGS not in held:
        raise UserError(f"--out {folder} holds other things ({', '.join(held[:3])}) and no earlier "
                        "audit to be replaced; name another folder.")  # fmt: skip


def _to_copy(
    rows: pl.DataFrame, recordings: pl.DataFrame | None, most: int
) -> tuple[list[Recording], int]:
    """Which recordings to copy, in the order of their first question; how many more there are."""
    asked = rows.select("corpus", "recording_id").unique(maintain_order=True)
    if recordings is None:
        return [], 0
    known = recordings.select("corpus", "recording_id", "path", "audio", "start_s", "end_s")
    joined = asked.join(known, on=["corpus", "recording_id"], how="left", maintain_order="left")
    there = joined.filter(pl.col("audio").fill_null(False))
    absent = joined.filter(~pl.col("audio").fill_null(False))
    chosen = [
        Recording(row["corpus"], row["recording_id"], Path(row["path"]), row["start_s"],
                  row["end_s"])
        for row in there.head(most).iter_rows(named=True)
    ]  # fmt: skip
    chosen += [Recording(corpus, name, None)
               for corpus, name in absent.select("corpus", "recording_id").rows()]  # fmt: skip
    return chosen, max(0, there.height - most)
