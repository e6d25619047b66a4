"""What an audit found, each finding put into a section."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from raqa.questions.published_faults import Fault
from raqa.questions.statistics import ALL, DOMINANT
from raqa.reports.questions.sections import Column, Section, percent, times, words

FEWEST = 20
"""Yes/no questions of one text, corpus and split; with fewer a rate says little."""

FAIR = (0.4, 0.6)
"""Yes rates in between do not give an answer away."""

_FIGURES = (
    ("recordings", "recordings", 0),
    ("seconds", "mean s", 2),
    ("question_words", "words", 2),
    ("questions", "questions", 0),
    ("wordings", "wordings", 0),
    ("answer_words", "answer words", 2),
    ("answers", "answers", 0),
    ("pairs", "pairs", 0),
)


def statistics_section(ours: pl.DataFrame, published: pl.DataFrame) -> Section:
    """Set a collection's figures beside the paper's."""
    columns = [Column("corpus")]
    columns += [
        Column(heading, True, page_only=name == "wordings") for name, heading, _ in _FIGURES
    ]
    rows = []
    papers = {row["corpus"]: row for row in published.iter_rows(named=True)}
    for row in ours.iter_rows(named=True):
        rows.append((row["corpus"], *_figures(row)))
        if row["corpus"] in papers:
            rows.append(("– paper", *_figures(papers[row["corpus"]])))
    whole = ours.filter(pl.col("corpus") == ALL).row(0, named=True) if ours.height else {}
    verdict = (
        f"{times(whole.get('pairs') or 0, 'pair')} about "
        f"{times(whole.get('recordings') or 0, 'recording')} of "
        f"{times(whole.get('subjects') or 0, 'subject')}"
    )
    note = (
        "Words are means over pairs. questions: different texts, where another order of options "
        "is another text; wordings do not count options. The second row is Table 1 of the paper."
    )
    return Section("What there is", verdict, columns=columns, rows=rows, note=note)


def _figures(row: dict[str, float | None]) -> list[str]:
    values = [(row.get(name), places) for name, _, places in _FIGURES]
    return ["–" if value is None else f"{value:,.{places}f}" for value, places in values]


def dominant_section(found: pl.DataFrame) -> Section:
    """List where one answer is nearly always given."""
    columns = (Column("corpus"), Column("attribute"), Column("question type"), Column("answer"),
               Column("share", True), Column("pairs", True),
               Column("subjects", True, page_only=True))  # fmt: skip
    rows = [
        (row["corpus"], row["attribute"], words(row["question_type"]), row["label"],
         percent(row["share"]), f"{row['pairs']:,}", f"{row['subjects']:,}")
        for row in found.iter_rows(named=True)
    ]  # fmt: skip
    single = found.filter(pl.col("share") == 1)["attribute"].unique().sort()
    verdict = f"{times(len(rows), 'target')} where one answer exceeds {percent(DOMINANT)}"
    if len(single):
        verdict += f"; single-answer, a constant scores 100 %: {', '.join(single)}"
    return Section("Answers that are nearly always the same", verdict, bool(rows), columns, rows)


def wording_section(rates: pl.DataFrame, shared: pl.DataFrame) -> Section:
    """List yes/no questions whose text gives the answer away, and texts of two attributes."""
    asked = rates.filter(pl.col("pairs") >= FEWEST)
    telling = asked.filter((pl.col("yes") < FAIR[0]) | (pl.col("yes") > FAIR[1]))
    columns = (Column("corpus"), Column("split"), Column("question"), Column("yes", True),
               Column("n", True))  # fmt: skip
    rows = [
        (row["corpus"], row["split"] or "none", row["question"], percent(row["yes"]),
         f"{row['pairs']:,}")
        for row in rates.iter_rows(named=True)
        if row["pairs"] >= FEWEST
    ]  # fmt: skip
    verdict = (
        f"{telling.height:,} of {times(asked.height, 'yes/no question text')} (by corpus and "
        f"split) have a yes rate outside {percent(FAIR[0])} to {percent(FAIR[1])}"
    )
    if not rates.height:
        verdict = "there are no yes/no questions"
    rare = rates.height - asked.height
    note = f"{times(rare, 'text')} with fewer than {FEWEST} questions left out." if rare else ""
    if shared.height:
        verdict += f"; {times(shared.height, 'text asks', 'texts ask')} about two attributes"
        note += f" Asking about two: {shared['question'][0]} ({', '.join(shared['attributes'][0])})"
    return Section("Wording that gives the answer away", verdict,
                   bool(telling.height or shared.height), columns, rows, note)  # fmt: skip


def repeated_section(repeated: pl.DataFrame) -> Section:
    """List questions that a recording is asked twice."""
    count, contradicting = int(repeated["pairs"].sum()), int(repeated["contradicting"].sum())
    columns = (Column("corpus"), Column("attribute"), Column("pairs", True),
               Column("contradicting", True), Column("first recording"),
               Column("question", page_only=True))  # fmt: skip
    rows = [
        (row["corpus"], row["attribute"], f"{row['pairs']:,}", f"{row['contradicting']:,}",
         row["recording_id"], row["question"])
        for row in repeated.iter_rows(named=True)
    ]  # fmt: skip
    verdict = "no recording is asked the same question twice"
    if count:
        verdict = (f"{times(count, 'pair')} too many; {contradicting:,} recordings and questions "
                   "have contradicting answers")  # fmt: skip
    return Section("Asked twice", verdict, bool(count), columns, rows)


def leak_section(
    subjects: pl.DataFrame, recordings: pl.DataFrame, audio: pl.DataFrame | None
) -> Section:
    """List subjects, recordings and audio that stand in two splits."""
    several = pl.col("splits").str.contains("+", literal=True)
    across = [] if audio is None else audio.filter(several).select("recordings", "splits").rows()
    columns = (Column("what"), Column("corpus"), Column("which"), Column("splits"))
    rows = [("subject", *row) for row in subjects.rows()]
    rows += [("recording", *row) for row in recordings.rows()]
    rows += [("audio", "", names, splits) for names, splits in across]
    verdict = (
        f"{times(subjects.height, 'subject')} and {times(recordings.height, 'recording')} "
        "in two splits; "
    )
    verdict += (
        "whether the same audio is, is not known: no recordings at hand"
        if audio is None
        else f"the same audio in two splits: {times(len(across), 'case')}"
    )
    return Section("Leakage", verdict, bool(rows), columns, rows)


def same_audio_section(audio: pl.DataFrame | None) -> Section:
    """List recordings that are the same byte for byte."""
    if audio is None:
        return Section("The same audio twice", "not known: no recordings at hand")
    columns = (Column("recordings"), Column("splits"), Column("subjects", True))
    rows = [
        (row["recordings"], row["splits"] or "none", f"{row['subjects']:,}")
        for row in audio.iter_rows(named=True)
    ]
    verdict = f"{times(len(rows), 'group')} of recordings with the same bytes"
    return Section("The same audio twice", verdict, bool(rows), columns, rows)


def fault_section(faults: Sequence[Fault]) -> Section:
    """List the known faults of the published preview."""
    found = [fault for fault in faults if fault.count]
    columns = (Column("fault", True), Column("what"), Column("cases", True), Column("where"))
    rows = [(f"{one.number}", one.what, f"{one.count:,}" if one.count else "not found", one.detail)
            for one in faults]  # fmt: skip
    verdict = f"{len(found)} of {len(faults)} known faults are in these files"
    note = "Reading mends 1 and leaves 2 out; the rest is only mended by making questions anew."
    return Section("Known faults of the published preview", verdict, bool(found), columns, rows,
                   note)  # fmt: skip
