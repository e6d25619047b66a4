"""SPRSound: classes and events, children in two parts, ages that belong to recordings."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.sprsound import SprSound
from raqa.errors import UserError
from raqa.regimes.split import Official
from tests.corpora.miniatures import sprsound


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sprsound")
    sprsound.write(folder)
    return folder


def row(table: pl.DataFrame, recording_id: str) -> dict[str, object]:
    return table.row(by_predicate=pl.col("recording_id") == recording_id, named=True)


def test_a_recording_has_its_class_and_the_sounds_of_its_events(root: Path) -> None:
    table = SprSound(root=root).read().table
    normal, both = row(table, "40000000_3.3_0_p1_1"), row(table, "40000003_6.3_1_p1_31")
    assert (normal["lung_sound_class"], normal["lung_sounds"]) == ("normal", ["normal"])
    assert (normal["crackle"], normal["wheeze"]) == ("no", "no")
    assert both["lung_sound_class"] == "both"  # under the name that the documentation gives it
    assert both["lung_sounds"] == ["crackle", "wheeze"]
    assert (both["crackle"], both["wheeze"]) == ("yes", "yes")
    fine = row(table, "40000002_5.3_0_p1_21")
    assert fine["lung_sounds"] == ["coarse_crackle", "fine_crackle"]
    assert (fine["crackle"], fine["wheeze"]) == ("yes", "no")


def test_an_event_is_a_row_in_the_order_of_time(root: Path) -> None:
    table = SprSound(root=root, rows="events").read().table
    events = table.filter(pl.col("recording_id").str.starts_with("40000001_4.3_1_p1_11-"))
    assert events.select("recording_id", "start_s", "end_s", "lung_sounds").rows() == [
        ("40000001_4.3_1_p1_11-2", 0.12, 1.5, ["wheeze"]),
        ("40000001_4.3_1_p1_11-3", 1.9, 2.5, ["rhonchus"]),
        ("40000001_4.3_1_p1_11-1", 5.182, 7.542, ["normal"]),
    ]
    assert events["wheeze"].to_list() == ["yes", "no", "no"]
    numbers = table.filter(pl.col("recording_id").str.starts_with(sprsound.SILENT))
    assert numbers["start_s"].to_list() == [0.1]  # a time that is a number, not text


def test_age_belongs_to_the_recording_sex_and_place_are_in_the_name(root: Path) -> None:
    table = SprSound(root=root).read().table
    first, later = (row(table, name) for name in sprsound.OLDER)
    assert first["subject_id"] == later["subject_id"] == "40000000"
    assert (first["age"], later["age"]) == (3.3, 3.9)
    assert (first["sex"], first["chest_location"]) == ("male", "posterior_left")
    other = row(table, "40000001_4.3_1_p3_13")
    assert (other["sex"], other["chest_location"]) == ("female", "posterior_right")
    assert row(table, sprsound.POOR)["chest_location"] == "lateral_right"
    assert later["chest_location"] == "lateral_left"


def test_other_children_are_the_test_side_and_the_same_ones_on_none(root: Path) -> None:
    recordings = SprSound(root=root).read()
    tested = recordings.table.filter(pl.col("split") == "test")["subject_id"]
    assert set(tested) == {f"5000000{child}" for child in range(4)}
    left = recordings.set_aside.filter(pl.col("stage") == "split")
    assert left.height == 3
    assert "test_part=intra or both uses it" in left["reason"][0]
    split = Official().apply(recordings)
    assert split.set_aside.filter(pl.col("reason").str.contains("left the train")).is_empty()


@pytest.mark.parametrize(("part", "tested"), [("intra", 3), ("both", 7)])
def test_the_same_children_leave_training_where_their_part_is_tested(
    root: Path, part: str, tested: int
) -> None:
    recordings = SprSound(root=root, test_part=part).read()  # type: ignore[arg-type]
    split = Official().apply(recordings)
    test = split.table.filter(pl.col("side") == "test")
    assert test["subject_id"].n_unique() == tested
    left = split.set_aside.filter(pl.col("reason").str.contains("it left the train side"))
    assert set(left["item"].str.slice(0, 8)) == {"40000000", "40000001", "40000002"}
    train = split.table.filter(pl.col("side") == "train")
    assert not set(train["subject_id"]) & set(test["subject_id"])


def test_recordings_of_poor_quality_have_a_class_and_no_sounds(root: Path) -> None:
    poor = row(SprSound(root=root).read().table, sprsound.POOR)
    assert poor["lung_sound_class"] == "poor_quality"
    assert (poor["lung_sounds"], poor["crackle"], poor["wheeze"]) == (None, None, None)


def test_events_that_can_not_be_are_set_aside_and_leave_the_recording_unsaid(root: Path) -> None:
    recordings = SprSound(root=root).read()
    aside = recordings.set_aside.filter(pl.col("item") == sprsound.FAULTY).sort("row")
    assert aside.select("row", "reason").rows()[1:5] == [
        (2, "the line is not start, end, type"),
        (3, "ends where it begins or before"),
        (4, "reaches beyond the end of the audio"),
        (5, "lung_sounds of Squeak is none of normal, crackle, fine_crackle, coarse_crackle, "
            "crepitation, wheeze, rhonchus, stridor, bronchial, discontinuous, unknown"),
    ]  # fmt: skip
    faulty = row(recordings.table, sprsound.FAULTY)
    assert (faulty["lung_sound_class"], faulty["lung_sounds"], faulty["crackle"]) == (None,) * 3


def test_files_that_do_not_fit_together_are_said(root: Path) -> None:
    recordings = SprSound(root=root).read()
    why = dict(recordings.set_aside.select("item", "reason").rows())
    assert why[f"{sprsound.BROKEN}.json"] == "it is not a JSON record of annotations"
    assert why[sprsound.WITHOUT_NOTES] == "there is no JSON of annotations for it"
    assert why["notes"] == "its name is not <patient>_<age>_<sex>_<place>_<number>"
    twins = [item for item in why if Path(item).name.startswith("._")]
    assert len(twins) == 2
    silent = recordings.table.filter(~pl.col("audio"))
    assert silent["path"].to_list() == [
        str(root / "BioCAS2022" / "train2022_wav" / f"{sprsound.SILENT}.wav")
    ]


def test_annotations_alone_are_enough(root: Path, tmp_path: Path) -> None:
    for folder in ("train2022_json", "test2022_json"):
        shutil.copytree(root / "BioCAS2022" / folder, tmp_path / folder)
    recordings = SprSound(root=tmp_path, rows="events").read()
    assert not recordings.table["audio"].any()
    inter = recordings.table.filter(pl.col("split") == "test")["path"]
    assert set(inter.str.extract("/([^/]*)/[^/]*$")) == {"test2022_wav"}


def test_another_folder_is_refused_with_the_way_to_get_it(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"github\.com"):
        SprSound(root=tmp_path).read()
    shutil.copytree(root / "BioCAS2022" / "train2022_wav", tmp_path / "train2022_wav")
    with pytest.raises(UserError, match="no annotation such as"):
        SprSound(root=tmp_path, rows="events").read()
    assert SprSound(root=tmp_path).read().table["lung_sound_class"].null_count() == 24
