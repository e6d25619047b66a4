"""RA-QA's published form (metadata.csv and JSON records) read as questions, faults and all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.files import is_apple_double
from raqa.corpora.split_words import SPLIT_WORDS
from raqa.errors import UserError
from raqa.questions.keys import ids, text_keys
from raqa.questions.sentences import NUMBER
from raqa.tables import QUESTION_TYPES, QUESTIONS, SIDES, SetAside, check_table, set_aside_table

METADATA, FOLDER = "metadata.csv", "questions_answers"
_DATED = re.compile(r"^\d{8}_")
_KEYS = ("patient_id", "split", "question_type", "question", "answers_list",
         "audio_filename_list")  # fmt: skip


@dataclass(frozen=True)
class Published:
    """What a published folder holds.

    Attributes:
        questions: the columns of QUESTIONS; `label` is yes or no of single_verify, else null,
            since only the answer's sentence was published; `template_id` holds question_id and
            version; family and kind are null of attributes that the registry does not have.
        set_aside: SET_ASIDE rows: records and recordings that were not used, and why.
        recordings: recording_id, corpus, subject_id, split as metadata.csv has them.
    """

    questions: pl.DataFrame
    set_aside: pl.DataFrame
    recordings: pl.DataFrame

    def split_table(self) -> pl.DataFrame:
        """Corpus, subject_id and side, as split=from_file reads them."""
        sides = self.recordings.select("corpus", "subject_id", side="split")
        return sides.unique().drop_nulls("side").sort("corpus", "subject_id")


@dataclass
class _Notes:
    corpus: str
    rows: list[SetAside] = field(default_factory=list)

    def add(self, item: str, reason: str, **more: Any) -> None:
        self.rows.append(SetAside(self.corpus, "layout", item, reason, **more))


def read_published(folder: Path, corpus: str) -> Published:
    """Read metadata.csv and questions_answers/*.json of one corpus.

    A recording_id is the file's name without the date before it and the suffix behind it. Splits
    are called by raqa's names whatever they are called there.

    Args:
        corpus: the name the published files leave out.

    Raises:
        UserError: the folder has another layout, or its files can not be read; all together.
    """
    files = sorted(path for path in folder.glob(f"{FOLDER}/*.json")
                   if not is_apple_double(path.name))  # fmt: skip
    problems = [] if (folder / METADATA).is_file() else [f"{folder}: there is no {METADATA} in it."]
    if not files:
        problems.append(f"{folder}: there is no {FOLDER}/ATTRIBUTE.json in it.")
    contents = {path: found for path in files if (found := _load(path, problems)) is not None}
    notes = _Notes(corpus)
    recordings = _recordings(folder / METADATA, notes, problems) if not problems else None
    if problems or recordings is None:
        raise UserError(problems)
    sides = {subject: split for _, _, subject, split in recordings.iter_rows()}
    known = set(recordings["recording_id"])
    rows = [
        row
        for path, records in contents.items()
        for place, record in enumerate(records)
        for row in _rows(record, f"{path.name}[{place}]", corpus, sides, known, notes)
    ]
    _note_words(folder / METADATA, contents.values(), notes)
    questions = _with_ids(pl.DataFrame(rows, schema=dict(QUESTIONS), orient="row"), notes)
    return Published(questions, set_aside_table(notes.rows), recordings)


def _note_words(metadata: Path, contents: Iterable[list[Any]], notes: _Notes) -> None:
    """One side of the split under two names."""
    tables = set(pl.read_csv(metadata, infer_schema=False)["Split"].drop_nulls())
    records = {str(one.get("split")) for file in contents for one in file
               if isinstance(one, Mapping)}  # fmt: skip
    for side in SIDES:
        there = [word for word in sorted(tables) if SPLIT_WORDS.get(word.lower()) == side]
        here = [word for word in sorted(records) if SPLIT_WORDS.get(word.lower()) == side]
        if here and there and here != there:
            names = f"{', '.join(there)} here and {', '.join(here)} in the records"
            notes.add(METADATA, f"a side is called {names}; both are read as {side}",
                      field="Split")  # fmt: skip


def _load(path: Path, problems: list[str]) -> list[Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        problems.append(f"{path}: can not be read as JSON: {error}")
        return None
    if not isinstance(found, list):
        problems.append(f"{path}: expected a list of records.")
        return None
    return found


def _recordings(path: Path, notes: _Notes, problems: list[str]) -> pl.DataFrame | None:
    table = pl.read_csv(path, infer_schema=False)
    absent = [name for name in ("Patient ID", "Split", "Audio File") if name not in table.columns]
    if absent:
        problems.append(f"{path} lacks the column {', '.join(absent)}; it has: "
                        f"{', '.join(table.columns)}")  # fmt: skip
        return None
    rows, seen = [], set[str]()
    for place, (subject, split, file) in enumerate(
        table.select("Patient ID", "Split", "Audio File").iter_rows(), 2
    ):
        name = _recording_id(file or "", subject or "")
        if problem := _file_problem(file, name, seen):
            notes.add(file or f"row {place:d}", problem, row=place, field="Audio File")
            continue
        seen.add(name)
        side = SPLIT_WORDS.get((split or "").strip().lower())
        if side is None:
            notes.add(file, f"its split is {split!r}", row=place, field="Split", value=split)
        rows.append((name, notes.corpus, subject, side))
    schema = dict.fromkeys(("recording_id", "corpus", "subject_id", "split"), pl.String)
    found = pl.DataFrame(rows, schema=schema, orient="row")
    _note_lacking(found, notes)
    return found


def _note_lacking(recordings: pl.DataFrame, notes: _Notes) -> None:
    """Subjects with fewer recordings than nearly all have."""
    counts = recordings.group_by("subject_id").len().sort("subject_id")
    usual = max(counts["len"].mode(), default=0)
    for subject, count in counts.filter(pl.col("len") < usual).iter_rows():
        notes.add(subject, f"has {count} recordings where {usual} are usual; those are used")


def _file_problem(file: str | None, name: str, seen: set[str]) -> str:
    if not file:
        return "names no audio file"
    if is_apple_double(_DATED.sub("", file)) or "_._" in file:
        return "an AppleDouble file of macOS, not audio"
    return "stands more than once" if name in seen else ""


def _recording_id(file: str, subject: str) -> str:
    stem = file.rpartition(".")[0] or file
    bare = _DATED.sub("", stem)
    return bare if bare.startswith(subject) else stem


def _rows(  # noqa: PLR0917
    record: Any,
    where: str,
    corpus: str,
    sides: Mapping[str, str | None],
    known: set[str],
    notes: _Notes,
) -> Iterator[tuple[Any, ...]]:
    """One row for each recording of a record, or a note why there is none."""
    if problem := _record_problem(record):
        notes.add(where, problem)
        return
    subject = str(record["patient_id"])
    if subject not in sides:
        notes.add(where, f"its subject {subject} is not in {METADATA}")
        return
    split, stated = sides[subject], SPLIT_WORDS.get(str(record["split"]).strip().lower())
    if split != stated:
        notes.add(where, f"its split is {record['split']!r} here and {split!r} in {METADATA}, "
                  "which counts", field="split", value=str(record["split"]))  # fmt: skip
    name = str(record.get("attribute") or where.partition(".")[0])
    attribute = ATTRIBUTES.get(name)
    question_type = str(record["question_type"]).replace("-", "_")
    template_id = f"{name}/{question_type}/{record.get('question_id')}.{record.get('version')}"
    numeric = attribute is not None and attribute.kind == "numeric"
    for file, answer in zip(record["audio_filename_list"], record["answers_list"], strict=True):
        recording = _recording_id(file, subject)
        if recording not in known:
            reason = _file_problem(file, recording, set()) or f"is not in {METADATA}"
            notes.add(file, f"{where} lists it, and it {reason}" if "is not" in reason else reason)
            continue
        yield (
            None, corpus, recording, subject, split, name, attribute and attribute.family,
            attribute and attribute.kind, question_type, template_id, record["question"], None,
            answer, _label(question_type, answer), _number(answer) if numeric else None,
            attribute and attribute.unit, None,
        )  # fmt: skip


def _record_problem(record: Any) -> str:
    if not isinstance(record, Mapping):
        return "is no record"
    if lacking := [key for key in _KEYS if key not in record]:
        return f"lacks {', '.join(lacking)}"
    kind = str(record["question_type"]).replace("-", "_")
    if kind not in QUESTION_TYPES:
        return f"its question_type is {record['question_type']!r}"
    answers, files = record["answers_list"], record["audio_filename_list"]
    if not isinstance(answers, Sequence) or not isinstance(files, Sequence):
        return "its answers and audio files are no lists"
    if len(answers) != len(files):
        return f"has {len(answers)} answers for {len(files)} audio files"
    return ""


def _label(question_type: str, answer: str) -> str | None:
    first = re.match(r"\s*(yes|no)\b", answer, re.IGNORECASE)
    return first[1].lower() if first and question_type == "single_verify" else None


def _number(answer: str) -> float | None:
    found = re.search(NUMBER, answer)
    return float(found[0]) if found else None


def _with_ids(questions: pl.DataFrame, notes: _Notes) -> pl.DataFrame:
    """Give questions their ids; of those that stand twice the first one stays."""
    by = ["recording_id", "template_id", "question"]
    first = pl.struct(by).is_first_distinct()
    twice = questions.filter(~first)
    for recording, template_id in twice.select("recording_id", "template_id").iter_rows():
        notes.add(recording, f"{template_id} asks it a second time")
    questions = questions.filter(first)
    if questions.height:
        texts = questions.select(pl.concat_str("corpus", *by, separator="\0")).to_series()
        keys = text_keys(texts.to_list())
        questions = questions.with_columns(qa_id=pl.Series(ids(keys[:, 0], keys[:, 1])))
    return check_table(questions, QUESTIONS, name="questions", key=["qa_id"])
