"""From questions to findings and a page: what `raqa qa audit` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import polars as pl

from raqa.corpora.audit import Audit
from raqa.corpora.base import Recordings
from raqa.questions.browse import draw
from raqa.questions.source import Source, audit_recordings, read_recordings
from raqa.reports.questions.audit import QuestionAudit, audit_questions
from raqa.reports.questions.page import check_folder, write_page

Watch = Callable[[str, int | None, int | None], None]


@dataclass(frozen=True)
class Wanted:
    """How much is looked at.

    Attributes:
        rows: questions on the page.
        recordings: copied beside the page.
        decode: recordings of each corpus that are decoded.
        per_attribute: test questions scored for each attribute and question type.
    """

    rows: int = 2_000
    recordings: int = 200
    decode: int = 5_000
    per_attribute: int = 2_000


def make_audit(
    source: Source,
    folder: Path,
    wanted: Wanted,
    overrides: Sequence[str] = (),
    watch: Watch = lambda *_: None,
) -> tuple[QuestionAudit, Path]:
    """Audit questions and write the page.

    Args:
        overrides: settings that say where the recordings are.
        watch: is told what is done, how far it is, and how far it goes (None: not known).

    Returns:
        what was found, and the page.

    Raises:
        UserError: the folder holds other things.
    """
    check_folder(folder)
    watch("reading recordings", None, None)
    recordings, notes = read_recordings(source, overrides)
    audits, not_decoded = _decode(recordings, source, wanted.decode, watch)
    sections = audit_questions(
        source.questions, audits=audits, faults=source.faults,
        per_attribute=wanted.per_attribute, watch=lambda what: watch(what, None, None),
    )  # fmt: skip
    found = QuestionAudit(source.title, sections, (*source.notes, *notes, *not_decoded))
    watch("drawing questions", None, None)
    table = _table(recordings)
    at_hand = None if table is None else table.filter(pl.col("audio"))
    drawn = draw(source.questions, wanted.rows, at_hand=at_hand)
    page = write_page(
        found, drawn, table, folder, most_recordings=wanted.recordings,
        watch=lambda done, total: watch("copying recordings", done, total),
    )  # fmt: skip
    return found, page


def _decode(
    recordings: Sequence[Recordings], source: Source, most: int, watch: Watch
) -> tuple[dict[str, Audit], list[str]]:
    if not most:
        return {}, ["no recording was decoded (--decode 0)"]
    done = count(1)
    return audit_recordings(recordings, source.questions, most,
                            lambda _: watch("decoding recordings", next(done), None))  # fmt: skip


def _table(recordings: Sequence[Recordings]) -> pl.DataFrame | None:
    if not recordings:
        return None
    columns = ["corpus", "recording_id", "path", "audio", "start_s", "end_s"]
    return pl.concat([one.table.select(columns) for one in recordings])
