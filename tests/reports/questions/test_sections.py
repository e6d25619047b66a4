"""What an audit says, as text on the console."""

import io

import polars as pl
import pytest
from rich.console import Console

from raqa.metrics.labels import score_labels
from raqa.questions.guesses import GUESSERS, GUESSES, Guessed
from raqa.reports.questions.audit import QuestionAudit, audit_questions
from raqa.reports.questions.console import print_audit
from raqa.reports.questions.findings import leak_section, same_audio_section
from raqa.reports.questions.scores import guess_sections, score_guesses
from raqa.reports.questions.sections import percent, times
from raqa.tables import QUESTIONS

from .conftest import HOSTILE


def printed(audit: QuestionAudit, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_audit(audit, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_terminal(questions, width):
    shown = printed(QuestionAudit("here", audit_questions(questions, resamples=20)), width)
    assert max(map(len, shown.splitlines())) <= width
    assert "0.50 (" in shown  # a score keeps its interval in one piece


def test_what_looks_like_console_markup_is_printed_as_it_is(questions):
    audit = QuestionAudit("[red]x[/red]", [], ["[bold]y", HOSTILE])
    shown = printed(audit, 200)
    assert "[red]x[/red]" in shown
    assert "[bold]y" in shown


def test_an_empty_collection_is_audited_without_an_error():
    sections = audit_questions(pl.LazyFrame(schema=dict(QUESTIONS)))
    assert not any(section.fault for section in sections)
    assert "no pair" in sections[0].verdict


def test_what_is_not_known_is_not_called_fine():
    nothing = pl.DataFrame(schema=dict.fromkeys(("corpus", "subject_id", "splits"), pl.String))
    assert "not known" in leak_section(nothing, nothing, None).verdict
    assert "not known" in same_audio_section(None).verdict


def test_the_same_audio_in_two_splits_is_a_leak():
    nothing = pl.DataFrame(schema=dict.fromkeys(("corpus", "subject_id", "splits"), pl.String))
    audio = pl.DataFrame({"content": ["1", "2"], "recordings": ["a + b", "c + d"],
                          "splits": ["test + train", "train"], "subjects": [2, 1]})  # fmt: skip
    section = leak_section(nothing, nothing, audio)
    assert section.fault
    assert section.rows == [("audio", "", "a + b", "test + train")]


def guesses(count: int, read_right: bool) -> pl.DataFrame:
    labels = ["yes", "no"] * (count // 2)
    return pl.DataFrame({
        "corpus": "here", "subject_id": [f"s{n}" for n in range(count)], "attribute": "asthma",
        "question_type": "open_ended", "label": labels, "constant": "yes", "prior": "yes",
        "question_only": labels if read_right else ["yes"] * count,
    }).select(list(GUESSES))  # fmt: skip


@pytest.mark.parametrize("read_right", [True, False])
def test_reading_that_beats_the_prior_is_a_fault_of_the_wording(read_right):
    table = guesses(40, read_right)
    overall, each = guess_sections(Guessed(table, 80), score_guesses(table, resamples=20))
    assert each.fault is read_right
    assert "Scored on 40 of 80 test questions" in overall.note
    assert [row[1] for row in overall.rows] == ["constant", "prior", "question only"]


def test_every_guesser_is_scored_on_the_same_questions():
    (whole, each) = score_guesses(guesses(40, True), resamples=20)
    assert set(whole.by_guesser) == set(GUESSERS)
    assert each.gain == 0.5
    direct = score_labels(["yes", "no"], ["yes", "yes"], ["a", "a"], ["s", "t"], resamples=20)
    assert whole.by_guesser["prior"].macro_f1 == direct.macro_f1


@pytest.mark.parametrize(
    ("share", "text"),
    [(1, "100 %"), (0.99999, "> 99.9 %"), (0.5, "50 %"), (0.951, "95.1 %"), (1e-5, "< 0.1 %"),
     (0, "0 %")],
)  # fmt: skip
def test_a_share_is_never_rounded_to_all_or_nothing(share, text):
    assert percent(share) == text


def test_counts_are_said():
    assert [times(n, "case") for n in (0, 1, 2000)] == ["no case", "1 case", "2,000 cases"]
