from pathlib import Path

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.questions.balance import Balance
from raqa.questions.block import SCHEMA
from raqa.questions.collection import RECORDINGS_FILE, Collection, Part, scan, write
from raqa.questions.subset import sample

from .made import rows, subjects, table

SMALL = Balance(train=20, validation=4, test=4, per_subject=2, least=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    labels = subjects(30, "no") | subjects(10, "yes") | subjects(20, "no", "t")
    labels |= subjects(5, "yes", "ty")
    splits = {name: "test" for name in labels if name.startswith("t")}
    frame = table(rows(labels, splits=splits, recordings=3)).collect()
    block = frame.with_columns(pl.selectors.categorical().cast(pl.String)).to_arrow()
    parts = [Part("here", [block.select(SCHEMA.names).cast(SCHEMA)], {"subjects": 65})]
    write(tmp_path / "all", parts, {"corpora": ["here"], "overrides": []}, "hash of templates")
    return tmp_path / "all"


def test_a_subset_is_a_collection_and_so_is_the_natural_test_set(folder, tmp_path):
    sampled = sample(folder, tmp_path / "some", SMALL)
    chosen = scan(tmp_path / "some").collect()
    assert dict(chosen.group_by("split", "label").len().select("len").to_series().value_counts()
                .rows()) == {10: 2, 2: 2}  # fmt: skip
    beside = scan(tmp_path / "some" / "natural_test").collect()
    assert set(beside["split"]) == {"test"}
    assert beside.height == 4
    assert sampled.balanced.facts["settings"]["balanced"]["train"] == 20
    assert sampled.balanced.facts["settings"]["corpora"] == ["here"]
    limits = pl.read_csv(tmp_path / "some" / "limits.csv")
    assert limits["taken"].sum() == chosen.height


def test_the_same_settings_give_the_same_bytes_and_replace_what_was_there(folder, tmp_path):
    first = sample(folder, tmp_path / "some", SMALL)
    again = sample(folder, tmp_path / "some", SMALL)
    other = sample(folder, tmp_path / "other", Balance(20, 4, 4, 2, 2, seed=1))
    assert again.balanced.content == first.balanced.content
    assert again.natural.content == first.natural.content
    assert other.balanced.content != first.balanced.content


def test_counts_in_the_facts_are_of_what_was_chosen(folder, tmp_path):
    facts = sample(folder, tmp_path / "some", SMALL).balanced.facts["corpora"]["here"]
    (asked,) = facts["questions"]
    assert (asked["train"], asked["test"], facts["rows"]) == (20, 4, 24)
    assert Collection.open(tmp_path / "some").facts["corpora"]["here"]["subjects"] <= 24


def test_sizes_and_places_that_can_not_be_meant_are_refused_together(folder, tmp_path):
    with pytest.raises(UserError) as caught:
        sample(folder, tmp_path / "some", Balance(train=-1, per_subject=0))
    assert caught.value.problems == ("--train -1: expected 0 or more.",
                                     "--per-subject 0: expected 1 or more.")  # fmt: skip
    with pytest.raises(UserError, match="the collection itself"):
        sample(folder, folder, SMALL)
    with pytest.raises(UserError, match="holds no questions"):
        sample(tmp_path, tmp_path / "some", SMALL)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.docx").write_text("")
    with pytest.raises(UserError, match=r"thesis\.docx"):
        sample(folder, tmp_path / "full", SMALL)


def test_a_subset_keeps_the_recordings_that_it_asks_about_so_that_it_can_be_trained_on(
    folder, tmp_path
):
    asked = scan(folder).select("corpus", "recording_id").unique().collect()
    asked.with_columns(path=pl.lit("/there.wav")).write_parquet(folder / RECORDINGS_FILE)
    sample(folder, tmp_path / "some", SMALL)
    for kept in (tmp_path / "some", tmp_path / "some" / "natural_test"):
        recordings = pl.read_parquet(kept / RECORDINGS_FILE)
        chosen = scan(kept).collect()["recording_id"]
        assert set(recordings["recording_id"]) == set(chosen)
        assert recordings.columns == ["corpus", "recording_id", "path"]
