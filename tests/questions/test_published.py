from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.questions.build import build, parse_request
from raqa.questions.collection import scan
from raqa.questions.published import Published, read_published
from raqa.questions.take_over import take_over

MODALITIES = ("breathing", "cough")
RECORD = {
    "id": 0, "question_id": 1, "version": 2, "patient_id": "a", "split": "validation",
    "question_type": "single-verify", "question": "Fever?", "attribute": "fever",
    "answers_list": ["Yes, fever.", "No, none."],
    "audio_filename_list": ["20200101_a_breathing.wav", "20200101_a_cough.wav"],
}  # fmt: skip


def publish(folder: Path, *records: Any, more: str = "") -> Path:
    """A small folder in the published layout, of three subjects."""
    lines = ["Patient ID,Split,Audio File"]
    lines += [f"{subject},{split},20200101_{subject}_{modality}.wav"
              for subject, split in (("a", "val"), ("b", "train"), ("c", "train"))
              for modality in MODALITIES]  # fmt: skip
    (folder / "questions_answers").mkdir(parents=True)
    (folder / "metadata.csv").write_text("\n".join(lines) + f"\n{more}")
    (folder / "questions_answers" / "fever.json").write_text(json.dumps(records))
    (folder / "questions_answers" / "._fever.json").write_bytes(b"\0\5\26\7")
    return folder


def reasons(published: Published) -> str:
    return "\n".join(f"{item}: {reason}" for item, reason in
                     published.set_aside.select("item", "reason").iter_rows())  # fmt: skip


def test_records_become_questions_with_a_row_for_each_recording(tmp_path: Path) -> None:
    rows = read_published(publish(tmp_path, RECORD), "coswara").questions.rows(named=True)
    assert [(row["recording_id"], row["label"]) for row in rows] == [
        ("a_breathing", "yes"), ("a_cough", "no")]  # fmt: skip
    assert rows[0]["template_id"] == "fever/single_verify/1.2"
    assert (rows[0]["family"], rows[0]["kind"]) == ("consultation", "binary")
    assert rows[0]["split"] == "validation"


def test_val_and_validation_are_one_side(tmp_path: Path) -> None:
    published = read_published(publish(tmp_path, RECORD), "coswara")
    assert "called val here and validation in the records" in reasons(published)
    assert published.split_table().rows() == [
        ("coswara", "a", "validation"), ("coswara", "b", "train"), ("coswara", "c", "train"),
    ]  # fmt: skip


def test_apple_double_files_and_subjects_with_few_recordings_are_noted(tmp_path: Path) -> None:
    more = "a,val,20200101_a_._cough.wav\nd,test,20200101_d_cough.wav\n"
    published = read_published(publish(tmp_path, RECORD, more=more), "coswara")
    said = reasons(published)
    assert "20200101_a_._cough.wav: an AppleDouble file of macOS" in said
    assert "d: has 1 recordings where 2 are usual" in said
    assert published.recordings.height == 7


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"answers_list": ["Yes, fever."]}, "has 1 answers for 2 audio files"),
        ({"patient_id": "x"}, "its subject x is not in metadata.csv"),
        ({"question_type": "essay"}, "its question_type is 'essay'"),
        ({"split": "train"}, "its split is 'train' here and 'validation' in metadata.csv"),
        ({"answers_list": None}, "are no lists"),
        ({"audio_filename_list": ["20200101_a_._cough.wav", "20200101_a_song.wav"]},
         "20200101_a_song.wav: fever.json[0] lists it, and it is not in metadata.csv"),
        ({"audio_filename_list": ["20200101_a_._cough.wav", "20200101_a_cough.wav"]},
         "20200101_a_._cough.wav: an AppleDouble file of macOS"),
    ],
)  # fmt: skip
def test_a_faulty_record_is_set_aside_with_its_fault(
    tmp_path: Path, fault: dict[str, Any], said: str
) -> None:
    assert said in reasons(read_published(publish(tmp_path, RECORD | fault), "coswara"))


def test_what_is_no_record_or_asked_twice_is_set_aside(tmp_path: Path) -> None:
    lacking = {key: value for key, value in RECORD.items() if key != "question"}
    published = read_published(publish(tmp_path, RECORD, RECORD, 3, lacking), "coswara")
    said = reasons(published)
    assert published.questions.height == 2
    assert "a_cough: fever/single_verify/1.2 asks it a second time" in said
    assert "fever.json[2]: is no record" in said
    assert "fever.json[3]: lacks question" in said


def test_an_attribute_unknown_to_the_registry_is_kept_without_a_family(tmp_path: Path) -> None:
    published = read_published(publish(tmp_path, RECORD | {"attribute": "aura"}), "coswara")
    assert published.questions["attribute"].to_list() == ["aura", "aura"]
    assert published.questions["family"].null_count() == 2


def test_the_number_is_read_out_of_a_numeric_answer(tmp_path: Path) -> None:
    record = RECORD | {"attribute": "age", "question_type": "open-ended",
                       "answers_list": ["The patient is 28 years old.", "Unknown."]}  # fmt: skip
    published = read_published(publish(tmp_path, record), "coswara")
    assert published.questions["value"].to_list() == [28.0, None]


def test_another_layout_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_published(tmp_path, "coswara")
    assert len(caught.value.problems) == 2
    folder = publish(tmp_path, RECORD)
    (folder / "questions_answers" / "cold.json").write_text("{")
    (folder / "questions_answers" / "cough.json").write_text("{}")
    with pytest.raises(UserError, match=r"cold\.json: can not be read(.|\n)*cough\.json: expected"):
        read_published(folder, "coswara")
    (folder / "metadata.csv").write_text("Patient,Split\n")
    with pytest.raises(UserError):
        read_published(folder, "coswara")


def test_published_questions_become_a_collection(tmp_path: Path) -> None:
    collection = take_over(publish(tmp_path / "published", RECORD), "coswara", tmp_path / "out")
    expected = read_published(tmp_path / "published", "coswara").questions
    assert scan(tmp_path / "out").collect().equals(expected)
    assert collection.facts["corpora"]["coswara"]["questions"][0]["validation"] == 2


def _compared(questions: pl.DataFrame) -> pl.DataFrame:
    """Everything but the ids, which hold the words' names, and what was not published."""
    return questions.select(
        "corpus", "recording_id", "subject_id", "split", "attribute", "question_type", "question",
        "answer", "label",
    ).sort("attribute", "recording_id")  # fmt: skip


def test_the_previews_questions_are_reproduced_from_coswaras_own_tables(
    test_data: Path, tmp_path: Path
) -> None:
    preview = read_published(test_data / "raqa_preview", "coswara")
    preview.split_table().write_csv(tmp_path / "split.csv")
    request = parse_request([
        "coswara", f"paths.data={test_data}", "templates=preview", "datamodule.corpus.missing=drop",
        "split=from_file", f"split.file={tmp_path / 'split.csv'}",
        # recordings as the annotations list them: those that have a quality
        "datamodule.cohort.filters.quality.min=0", "datamodule.cohort.filters.age=null",
        "datamodule.cohort.filters.modality=null",
    ])  # fmt: skip
    build(request, tmp_path / "made", cohort=True)
    made, published = (_compared(table) for table in (scan(tmp_path / "made").collect(),
                                                      preview.questions))  # fmt: skip
    assert published.height == 9 * (134 + 211)
    assert made.rows() == published.rows()


def test_the_faults_of_the_real_preview_are_listed(test_data: Path) -> None:
    published = read_published(test_data / "raqa_preview", "coswara")
    said = reasons(published)
    assert said.count("AppleDouble") == 4
    assert said.count("has 8 recordings where 9 are usual") == 2
    assert said.count("called val here and validation") == 1
    assert published.recordings.height == 24_712
