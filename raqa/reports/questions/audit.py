"""An audit of questions from beginning to end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from raqa.corpora.audit import Audit
from raqa.questions.corpus_labels import follow_corpus
from raqa.questions.guesses import PER_ATTRIBUTE, guess_answers, median_errors
from raqa.questions.leaks import crossing, repeated_questions, same_audio
from raqa.questions.published_faults import Fault
from raqa.questions.statistics import (
    collection_statistics,
    dominant_answers,
    published_statistics,
    shared_texts,
    yes_rates,
)
from raqa.reports.questions.findings import (
    dominant_section,
    fault_section,
    leak_section,
    repeated_section,
    same_audio_section,
    statistics_section,
    wording_section,
)
from raqa.reports.questions.follow import corpus_section, format_section
from raqa.reports.questions.scores import guess_sections, number_section, score_guesses
from raqa.reports.questions.sections import Section

Watch = Callable[[str], None]


@dataclass(frozen=True)
class QuestionAudit:
    """What an audit found.

    Attributes:
        title: which collection.
        notes: what could not be looked at, and why.
    """

    title: str
    sections: Sequence[Section]
    notes: Sequence[str] = ()

    def write(self, path: Path) -> None:
        """Write everything as JSON, for programs."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")


def audit_questions(
    questions: pl.LazyFrame,
    *,
    audits: Mapping[str, Audit] | None = None,
    faults: Sequence[Fault] = (),
    per_attribute: int = PER_ATTRIBUTE,
    resamples: int = 1000,
    watch: Watch = lambda _: None,
) -> list[Section]:
    """Look for everything that makes questions easier, or numbers less true, than they seem.

    Args:
        questions: QUESTIONS columns.
        audits: recordings that were decoded, by corpus; none: no recordings are at hand.
        faults: known faults of the files that the questions were read from.
        watch: is told what is being done.
    """
    files = _files(audits or {})
    watch("counting")
    ours = collection_statistics(questions, files)
    sections = [statistics_section(ours, published_statistics())]
    if faults:
        sections.append(fault_section(faults))
    sections.append(dominant_section(dominant_answers(questions)))
    sections.append(wording_section(yes_rates(questions), shared_texts(questions)))
    watch("answering without listening")
    guessed = guess_answers(questions, per_attribute=per_attribute)
    sections += guess_sections(guessed, score_guesses(guessed.table, resamples))
    if numbers := number_section(median_errors(questions, per_attribute), resamples):
        sections.append(numbers)
    watch("looking for leaks and repetitions")
    audio = None if files is None else same_audio(questions, files)
    subjects, recordings = crossing(questions, "subject_id"), crossing(questions, "recording_id")
    sections.append(leak_section(subjects, recordings, audio))
    sections.append(repeated_section(repeated_questions(questions)))
    sections.append(same_audio_section(audio))
    watch("looking for labels that follow the corpus or the file")
    sections.append(corpus_section(follow_corpus(questions)))
    sections.append(format_section({name: one.shortcuts for name, one in (audits or {}).items()}))
    return sections


def _files(audits: Mapping[str, Audit]) -> pl.DataFrame | None:
    """Length and content of what could be decoded; None: nothing was."""
    columns = ["recording_id", "path", "content", "seconds"]
    tables = [one.table.filter("usable").select(pl.lit(name).alias("corpus"), *columns)
              for name, one in audits.items()]  # fmt: skip
    return pl.concat(tables) if tables else None
