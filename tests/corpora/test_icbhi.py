"""ICBHI: cycles and recordings, both circulating layouts, and the faults of the original."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import soundfile

from raqa.corpora.icbhi import Icbhi
from raqa.errors import UserError
from raqa.regimes.split import Official, OfficialAsIs
from tests.corpora.miniatures import icbhi


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("icbhi")
    icbhi.write(folder)
    return folder


def reasons(corpus: Icbhi) -> dict[str, list[str]]:
    aside = corpus.read().set_aside
    return dict(aside.group_by("item").agg("reason").rows())


def test_a_row_is_a_cycle_with_start_end_and_what_is_heard(root: Path) -> None:
    table = Icbhi(root=root).read().table.filter(pl.col("path").str.contains("102_1b1"))
    assert table["recording_id"].to_list() == [f"102_1b1_Al_sc_Meditron-{n}" for n in (1, 2, 3)]
    assert table["start_s"].to_list() == [0.036, 1.3, 2.6]
    assert table["end_s"].to_list() == [1.286, 2.55, 3.9]
    assert table["crackle"].to_list() == ["yes", "yes", "no"]
    assert table["wheeze"].to_list() == ["no", "no", "no"]
    assert table["lung_sound_class"].to_list() == ["discontinuous", "discontinuous", "normal"]
    assert table["path"].unique().to_list() == [
        str(root / "ICBHI_final_database" / "102_1b1_Al_sc_Meditron.wav")
    ]


def test_a_recording_has_what_is_heard_in_any_of_its_cycles(root: Path) -> None:
    table = Icbhi(root=root, rows="recordings").read().table
    assert table["start_s"].null_count() == table.height
    heard = dict(table.select("recording_id", "crackle").rows())
    assert heard["102_1b1_Al_sc_Meditron"] == "yes"
    assert heard["101_1b1_Al_sc_Meditron"] == "no"
    assert heard[icbhi.WITHOUT_CYCLES] is None
    assert heard[icbhi.FAULTY] == "yes"  # one cycle says so, another could not be read
    assert table.height == 34


def test_the_file_name_and_the_tables_say_who_and_where(root: Path) -> None:
    table = Icbhi(root=root).read().table
    first = table.filter(pl.col("recording_id") == "101_2b1_Pr_mc_AKGC417L-1").row(0, named=True)
    assert (first["subject_id"], first["age"], first["sex"]) == ("101", 60, "female")
    assert (first["chest_location"], first["acquisition"]) == ("posterior_right", "multi")
    assert first["device"] == "AKG C417L microphone"
    assert first["diagnosis"] == ["copd"]
    assert (first["bmi"], first["height"], first["weight"]) == (20.5, None, None)


def test_a_child_has_weight_and_height_and_no_bmi(root: Path) -> None:
    child = Icbhi(root=root).read().table.filter(pl.col("subject_id") == "102").row(0, named=True)
    assert (child["age"], child["bmi"]) == (1.25, None)
    assert (child["weight"], child["height"]) == (10.8, 75)


def test_a_subject_without_demographics_is_said_and_kept(root: Path) -> None:
    recordings = Icbhi(root=root).read()
    table = recordings.table.filter(pl.col("subject_id") == "223")
    assert table["age"].null_count() == table.height == 6
    assert table["diagnosis"].null_count() == 0
    assert reasons(Icbhi(root=root))["223"] == [
        "the subject is not in ICBHI_Challenge_demographic_information.txt"
    ]


def test_cycles_that_can_not_be_are_set_aside_with_line_and_reason(root: Path) -> None:
    recordings = Icbhi(root=root).read()
    aside = recordings.set_aside.filter(pl.col("item") == icbhi.FAULTY).sort("row")
    assert aside.select("row", "reason").rows() == [
        (2, "the line is not start, end, crackles, wheezes"),
        (3, "ends where it begins or before"),
        (4, "crackle of 2 is none of no, yes"),
        (5, "reaches beyond the end of the audio"),
        (6, "begins after the end of the audio"),
    ]
    kept = recordings.table.filter(pl.col("recording_id").str.starts_with(icbhi.FAULTY))
    assert [name.rsplit("-")[-1] for name in kept["recording_id"]] == ["1", "4", "7"]
    assert kept["crackle"].to_list() == ["yes", None, "no"]


def test_cycles_without_their_wav_are_rows_and_a_wav_without_cycles_is_set_aside(
    root: Path,
) -> None:
    table = Icbhi(root=root).read().table
    silent = table.filter(~pl.col("audio"))
    assert silent["recording_id"].to_list() == [f"{icbhi.SILENT}-1", f"{icbhi.SILENT}-2"]
    assert silent["path"][0].endswith(f"{icbhi.SILENT}.wav")
    why = reasons(Icbhi(root=root))
    assert why[icbhi.WITHOUT_CYCLES] == ["there is no file of breathing cycles (.txt) for it"]
    assert "notes on breathing.wav" in why
    assert "__MACOSX/ICBHI_final_database/._101_1b1_Al_sc_Meditron.wav" in why


def test_the_list_of_sides_has_a_name_too_many_and_one_device_wrong(root: Path) -> None:
    recordings = Icbhi(root=root, rows="recordings").read()
    why = reasons(Icbhi(root=root))
    assert why["999_1b1_Tc_sc_Meditron"] == ["stands in the list of sides and is no recording"]
    assert why["226_1b1_Pl_sc_LittC2SE"] == [
        "the list of sides calls it 226_1b1_Pl_sc_Meditron; that side is used"
    ]
    assert recordings.table["split"].null_count() == 0


def test_subjects_on_both_sides_stay_as_published_and_leave_training_when_split(
    root: Path,
) -> None:
    recordings = Icbhi(root=root).read()
    sides = dict(recordings.table.group_by("subject_id").agg(pl.col("split").unique()).rows())
    assert {subject for subject, both in sides.items() if len(both) == 2} == {"156", "218"}
    split = Official().apply(recordings)
    left = split.set_aside.filter(pl.col("reason").str.contains("it left the train side"))
    assert set(left["item"].str.slice(0, 3)) == {"156", "218"}
    assert left.height == 6  # the cycles of one recording each
    tested = split.table.filter(pl.col("side") == "test")
    learnt = split.table.filter(pl.col("side") == "train")
    assert {"156", "218"} <= set(tested["subject_id"])
    assert not set(tested["subject_id"]) & set(learnt["subject_id"])
    assert OfficialAsIs().apply(recordings).table["side"].null_count() == 0


def test_the_copy_that_is_widely_used_says_the_same_without_sides(
    root: Path, tmp_path: Path
) -> None:
    icbhi.write(tmp_path, copy=True)
    copy, official = Icbhi(root=tmp_path).read(), Icbhi(root=root).read()
    same = [name for name in official.table.columns if name not in {"path", "split"}]
    assert copy.table.select(same).equals(official.table.select(same))
    assert copy.table["split"].null_count() == copy.table.height
    assert reasons(Icbhi(root=tmp_path))["icbhi_challenge_train_test"]


def test_audio_is_heard_at_every_rate_and_depth(root: Path) -> None:
    formats = {
        (info.samplerate, info.subtype)
        for info in map(soundfile.info, (root / "ICBHI_final_database").glob("*.wav"))
    }
    assert set(icbhi.FORMATS) <= formats


def test_tables_alone_are_enough_for_recordings_and_not_for_cycles(
    root: Path, tmp_path: Path
) -> None:
    for path in root.glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    table = Icbhi(root=tmp_path, rows="recordings").read().table
    assert table.height == 35  # 226's other name and the name too many are among them
    assert not table["audio"].any()
    assert table["diagnosis"].null_count() == 1  # nobody 999 is in the table
    with pytest.raises(UserError, match="rows=recordings works without them"):
        Icbhi(root=tmp_path).read()


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="bhichallenge"):
        Icbhi(root=tmp_path / "nowhere").read()
    with pytest.raises(UserError, match="bhichallenge"):
        Icbhi(root=tmp_path, rows="recordings").read()


def test_lines_of_tables_that_are_none_are_set_aside(root: Path, tmp_path: Path) -> None:
    icbhi.write(tmp_path)
    with (tmp_path / "ICBHI_Challenge_diagnosis.txt").open("a") as file:
        file.write("101\tAsthma\n300\n102\tHypochondria\n")
    why = reasons(Icbhi(root=tmp_path))
    assert why["ICBHI_Challenge_diagnosis.txt"] == ["the line is not patient, diagnosis"]
    assert set(why["101"]) == {
        "this id stands in several, different rows",
        "the subject is not in ICBHI_Challenge_diagnosis.txt",
    }


@pytest.mark.parametrize(
    ("code", "attribute", "meant"),
    [
        ("Tc_sc_Meditron", "chest_location", "trachea"),
        ("Al_sc_Meditron", "chest_location", "anterior_left"),
        ("Ar_sc_Meditron", "chest_location", "anterior_right"),
        ("Pl_sc_Meditron", "chest_location", "posterior_left"),
        ("Pr_sc_Meditron", "chest_location", "posterior_right"),
        ("Ll_sc_Meditron", "chest_location", "lateral_left"),
        ("Lr_sc_Meditron", "chest_location", "lateral_right"),
        ("Xx_sc_Meditron", "chest_location", None),
        ("Tc_mc_AKGC417L", "acquisition", "multi"),
        ("Tc_sc_Meditron", "acquisition", "single"),
        ("Tc_sc_LittC2SE", "device", "Littmann Classic II SE stethoscope"),
        ("Tc_sc_Litt3200", "device", "Littmann 3200 stethoscope"),
        ("Tc_sc_AKGC417L", "device", "AKG C417L microphone"),
        ("Tc_sc_Meditron", "device", "WelchAllyn Meditron stethoscope"),
        ("Tc_sc_Another", "device", "Another"),
    ],
)
def test_every_code_of_a_file_name_is_known(
    tmp_path: Path, code: str, attribute: str, meant: str | None
) -> None:
    (tmp_path / f"101_1b1_{code}.txt").write_text("0.1\t0.9\t0\t0\n")
    assert Icbhi(root=tmp_path).read().table[attribute].to_list() == [meant]
