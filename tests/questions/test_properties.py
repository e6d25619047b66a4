"""What holds of the questions of any table of attributes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raqa.corpora.attributes import ATTRIBUTES, Attribute
from raqa.questions.build import make_part
from raqa.questions.collection import write
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates, load_templates
from raqa.regimes.split import BySubject

from .conftest import made_recordings

TEMPLATES: Templates = load_templates()
# RAQA_EXAMPLES=400 looks harder, for two minutes.
EXAMPLES = int(os.environ.get("RAQA_EXAMPLES", "25"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9)


def values(attribute: Attribute) -> st.SearchStrategy[Any]:
    """What a column of an attribute can hold, null included."""
    if attribute.kind == "numeric":
        low, high = attribute.low or 0.0, attribute.high or 1e4
        return st.none() | st.floats(low, high)
    label = st.sampled_from(list(attribute.label_texts)) if attribute.label_texts else WORDS
    if attribute.own_words:
        label = label | WORDS
    many = st.lists(label, min_size=1, max_size=3, unique=True)
    return st.none() | (many if attribute.kind == "multilabel" else label)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Recordings of a few subjects with some attributes, each subject on one side."""
    names = draw(st.lists(st.sampled_from(list(ATTRIBUTES)), min_size=1, max_size=4, unique=True))
    count = draw(st.integers(1, 25))
    columns = {
        name: draw(st.lists(values(ATTRIBUTES[name]), min_size=count, max_size=count))
        for name in names
    }
    table = made_recordings(**columns).table.drop("side")
    subjects = draw(st.lists(st.sampled_from("abcdefgh"), min_size=count, max_size=count))
    table = table.with_columns(pl.Series("subject_id", subjects))
    return BySubject(train=0.5, validation=0.25, test=0.25, seed=0).assign(table)


def questions_of(table: pl.DataFrame, **given_settings: Any) -> pl.DataFrame:
    generator = Generator(table, TEMPLATES, QuestionSettings(**given_settings))
    blocks = list(generator.blocks(40))
    assert sum(block.num_rows for block in blocks) == generator.rows
    if not blocks:
        return pl.DataFrame()
    with tempfile.TemporaryDirectory() as folder:
        recordings = made_recordings(age=[1.0])
        object.__setattr__(recordings, "table", table)
        collection = write(Path(folder) / "q", [make_part(generator, recordings)], {}, "")
        return collection.scan().collect()


@QUICK
@given(tables())
def test_every_answer_reads_back_to_its_label(table: pl.DataFrame) -> None:
    truth = {row["recording_id"]: row for row in table.rows(named=True)}
    for row in questions_of(table, wordings="all", balance=False).rows(named=True):
        read = TEMPLATES.read_back(row["template_id"], row["answer"], row["asked_label"])
        known = truth[row["recording_id"]][row["attribute"]]
        if row["kind"] == "numeric":
            assert row["value"] == known
            decimals = TEMPLATES.by_attribute[row["attribute"]].decimals
            most = 0.5 * 10**-decimals if decimals is not None else abs(known) * 0.005
            assert abs(read - known) <= most * 1.0001
            continue
        assert read == row["label"]
        labels = set(known) if isinstance(known, list) else {known}
        if row["question_type"] == "single_verify":
            assert read == ("yes" if (row["asked_label"] in labels) else "no")
        else:
            assert set(read.split(" + ")) == labels


@QUICK
@given(tables(), st.sampled_from(["all", 1, 2]))
def test_no_question_leaks_its_answer_by_wording(table: pl.DataFrame, wordings: str | int) -> None:
    questions = questions_of(table, wordings=wordings)
    if questions.is_empty():
        return
    for row in questions.rows(named=True):
        assert row["answer"].rstrip(".") not in row["question"]
        if row["options"]:
            said = TEMPLATES.by_attribute[row["attribute"]].said(row["label"])
            assert row["options"].count(said) == 1
            assert all(option in row["question"] for option in row["options"])
    verified = questions.filter(pl.col("question_type") == "single_verify")
    answers = verified.group_by("corpus", "split", "question").agg(
        (pl.col("label") == "yes").sum().alias("yes"), (pl.col("label") == "no").sum().alias("no")
    )
    assert answers["yes"].to_list() == answers["no"].to_list()
    fixed = questions.filter(pl.col("question_type") == "open_ended")
    assert fixed.group_by("question").agg(pl.col("template_id").n_unique())[
        "template_id"].to_list() == [1] * fixed["question"].n_unique()  # fmt: skip


@QUICK
@given(tables())
def test_no_subject_crosses_splits_and_ids_are_unique(table: pl.DataFrame) -> None:
    questions = questions_of(table, wordings="all")
    if questions.is_empty():
        return
    sides = questions.group_by("corpus", "subject_id").agg(pl.col("split").n_unique())
    assert sides["split"].to_list() == [1] * sides.height
    assert questions["qa_id"].is_unique().all()
