"""The known faults of RA-QA's published preview, each looked for in the files as they are.

The reader mends them so that the questions can be used; this says by number what it mended.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.corpora.split_words import SPLIT_WORDS
from raqa.errors import UserError

METADATA = "metadata.csv"
QUESTIONS = "questions_answers"

_PATIENT, _SPLIT, _FILE, _SMOKER = "Patient ID", "Split", "Audio File", "Smoker"
_SHOWN = 4


@dataclass(frozen=True)
class Fault:
    """One known fault.

    Attributes:
        number: stable, so that it can be referred to.
        what: what is wrong, in words.
        count: how often it was found; 0: it is not in these files.
        detail: where, or what follows from it.
    """

    number: int
    what: str
    count: int
    detail: str


@dataclass(frozen=True)
class _Published:
    """Files as they are: the table's cells as text, each question file's records."""

    table: pl.DataFrame
    records: Mapping[str, Sequence[Mapping[str, Any]]]

    def column(self, name: str) -> pl.Series:
        return self.table[name] if name in self.table.columns else pl.Series(dtype=pl.String)


def is_published(folder: Path) -> bool:
    """Whether a folder is laid out as the published preview is."""
    return (folder / METADATA).is_file() and (folder / QUESTIONS).is_dir()


def published_faults(folder: Path) -> list[Fault]:
    """Look for every known fault.

    Raises:
        UserError: a file can not be read as CSV or JSON; all of them are named.
    """
    published = _read(folder)
    checks: tuple[tuple[str, Callable[[_Published], tuple[int, str]]], ...] = (
        ("one split has two names", _split_names),
        ("AppleDouble files (._*) are listed as recordings", _apple_double),
        ("patients lack a recording that the others have", _lacking),
        ("an attribute has a single answer, a constant scores 100 %", _single_answers),
        ("missing check-boxes were dropped rather than decided", _check_boxes),
        ("smoking mixes y/n with True/False", _smoker),
    )
    return [
        Fault(number, what, *check(published)) for number, (what, check) in enumerate(checks, 1)
    ]


def _read(folder: Path) -> _Published:
    problems, records = [], {}
    table = pl.DataFrame()
    try:
        table = pl.read_csv(folder / METADATA, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        problems.append(f"{folder / METADATA} can not be read as a CSV table: {error}")
    for path in sorted((folder / QUESTIONS).glob("[!.]*.json")):
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            problems.append(f"{path} can not be read as JSON: {error}")
            continue
        rows = read if isinstance(read, list) else []
        records[path.stem] = [record for record in rows if isinstance(record, dict)]
    if problems:
        raise UserError([*problems, "Fetch the preview again, or leave the damaged file out."])
    return _Published(table, records)


def _split_names(published: _Published) -> tuple[int, str]:
    table = Counter(published.column(_SPLIT).drop_nulls())
    asked = Counter(str(one.get("split")) for rows in published.records.values() for one in rows)
    names: dict[str, set[str]] = {}
    for name in {*table, *asked}:
        names.setdefault(SPLIT_WORDS.get(name.lower(), name), set()).add(name)
    several = sorted(name for known in names.values() if len(known) > 1 for name in known)
    if not several:
        return 0, "the table and the questions use the same names"
    count = sum(table[name] + asked[name] for name in several)
    told = [f"{name} in the table ({table[name]:,} recordings)" for name in several if table[name]]
    told += [
        f"{name} in the questions ({asked[name]:,} records)" for name in several if asked[name]
    ]
    return count, ", ".join(told)


def _apple_double(published: _Published) -> tuple[int, str]:
    files = [name for name in published.column(_FILE).drop_nulls() if _is_apple_double(name)]
    asked = sum(_is_apple_double(name) for name in _asked_files(published))
    if not files and not asked:
        return 0, "none is listed"
    return len(files) + asked, f"{_some(files)}; {asked:,} of them in questions"


def _is_apple_double(name: str) -> bool:
    return name.startswith("._") or "_._" in name or "/._" in name


def _asked_files(published: _Published) -> Iterator[str]:
    for rows in published.records.values():
        for record in rows:
            yield from (str(name) for name in record.get("audio_filename_list") or ())


def _lacking(published: _Published) -> tuple[int, str]:
    """A recording's kind is what follows the last underscore of its file name."""
    if _PATIENT not in published.table.columns or _FILE not in published.table.columns:
        return 0, "the table does not say whose recordings they are"
    real = [(patient, name) for patient, name in published.table.select(_PATIENT, _FILE).rows()
            if patient and name and not _is_apple_double(name)]  # fmt: skip
    kinds: dict[str, set[str]] = {}
    for patient, name in real:
        kinds.setdefault(patient, set()).add(Path(name).stem.rpartition("_")[2])
    often = Counter(kind for found in kinds.values() for kind in found)
    usual = {kind for kind, count in often.items() if count > len(kinds) / 2}
    lacking = {patient: usual - found for patient, found in kinds.items() if usual - found}
    told = [f"{patient} has no {', '.join(sorted(gone))}" for patient, gone in lacking.items()]
    return len(lacking), _some(sorted(told)) if told else "every patient has all of them"


def _single_answers(published: _Published) -> tuple[int, str]:
    found = []
    for name, rows in published.records.items():
        answers = Counter(str(one) for record in rows for one in record.get("answers_list") or ())
        if len(answers) == 1:
            ((answer, count),) = answers.items()
            found.append(f"{name}: {answer!r} {count:,} times")
    return len(found), "; ".join(found) or "every attribute has several answers"


def _check_boxes(published: _Published) -> tuple[int, str]:
    """A column that holds True or nothing, and whose nothing is never asked about."""
    dropped = {}
    asked = {name: {str(file) for one in rows for file in one.get("audio_filename_list") or ()}
             for name, rows in published.records.items()}  # fmt: skip
    for column in published.table.columns:
        name = column.lower().replace(" ", "_")
        if set(published.table[column].drop_nulls()) != {"True"} or name not in asked:
            continue
        empty = published.table.filter(pl.col(column).is_null())[_FILE].drop_nulls()
        if asked[name].isdisjoint(empty):
            dropped[name] = len(empty)
    boxes = sum(set(published.table[column].drop_nulls()) == {"True"}
                for column in published.table.columns)  # fmt: skip
    told = "; ".join(f"{name}: {count:,} recordings not asked" for name, count in dropped.items())
    return len(dropped), told and f"{told}; {boxes} columns of the table are True or empty"


def _smoker(published: _Published) -> tuple[int, str]:
    counts = Counter(published.column(_SMOKER).drop_nulls())
    if not ({"y", "n"} & set(counts) and {"True", "False"} & set(counts)):
        return 0, "it is written in one way"
    told = ", ".join(f"{value} {count:,}" for value, count in counts.most_common())
    return sum(counts[value] for value in ("True", "False")), f"{told} recordings"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
