"""An audit: everything decoded, every file used or set aside, files that are the same."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile
from rich.console import Console

from raqa.corpora.audit import AUDIT, Audit, audit_corpus
from raqa.corpora.audit_print import audit_lines, print_audit
from raqa.corpora.coswara import Coswara
from raqa.corpora.coughvid import CoughVid
from raqa.corpora.covid19_cough import Covid19Cough
from raqa.corpora.kauh import Kauh
from raqa.corpora.manifest import Manifest
from raqa.corpora.shortcuts import SHORTCUTS, notable
from raqa.tables import SET_ASIDE


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Two good files, a copy of one with another label, an empty, a broken and an absent one."""
    draw = np.random.default_rng(0)
    for name, rate in (("a", 16_000), ("b", 8_000)):
        soundfile.write(tmp_path / f"{name}.wav", draw.normal(0, 0.1, rate), rate)
    shutil.copy(tmp_path / "a.wav", tmp_path / "copy.wav")
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("not audio")
    (tmp_path / "t.csv").write_text(
        "path,who,age,covid\na.wav,s1,30,yes\nb.wav,s2,31,no\ncopy.wav,s3,40,yes\n"
        "empty.wav,s4,32,no\ntext.wav,s5,33,no\ngone.wav,s6,-1,no\n"
    )
    manifest = Manifest(
        name="mine", table=tmp_path / "t.csv", columns={"subject": "who"},  # type: ignore[arg-type]
        attributes={"age": {"column": "age"}, "covid_status": {"column": "covid"}},  # type: ignore[dict-item]
    )  # fmt: skip
    return audit_corpus(manifest.read())


def row(audit: Audit, name: str) -> dict[str, object]:
    return audit.table.row(by_predicate=pl.col("recording_id") == name, named=True)


def test_every_file_is_usable_or_has_a_reason(audit: Audit) -> None:
    assert audit.table.columns == list(AUDIT)
    assert dict(audit.table.select("recording_id", "usable").rows()) == {
        "a.wav": True, "b.wav": True, "copy.wav": True, "empty.wav": False, "text.wav": False,
    }  # fmt: skip
    assert (audit.table["reason"].is_null() == audit.table["usable"]).all()
    assert (audit.usable, audit.absent) == (3, 1)


def test_what_can_not_be_used_joins_what_the_labels_set_aside(audit: Audit) -> None:
    stages = audit.set_aside.select("stage", "item").rows()
    assert set(stages) == {
        ("audio", "empty.wav"), ("audio", "text.wav"),
        ("layout", "gone.wav"), ("label", "gone.wav"),
    }  # fmt: skip


def test_the_format_is_listed(audit: Audit) -> None:
    facts = ("rate", "seconds", "channels", "codec", "bytes_per_second")
    listed = row(audit, "b.wav")
    assert [listed[name] for name in facts] == [8000, 1, 1, "WAV PCM_16", 16_044]
    assert [row(audit, "empty.wav")[name] for name in facts] == [None] * 5


def test_files_with_the_same_bytes_are_found_with_what_their_labels_say(audit: Audit) -> None:
    assert audit.twins["recording_id"].to_list() == ["a.wav", "copy.wav"]
    assert row(audit, "copy.wav")["conflicts"] == "subject_id: s1 / s3; age: 30.0 / 40.0"
    assert row(audit, "b.wav")["conflicts"] is None


def test_segments_of_one_file_are_not_twins(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.random.default_rng(0).normal(0, 0.1, 16_000), 8_000)
    (tmp_path / "t.csv").write_text("path,from,to\na.wav,0,0.5\na.wav,0.5,2\na.wav,3,4\n")
    columns = {"start_s": "from", "end_s": "to"}
    manifest = Manifest(name="m", table=tmp_path / "t.csv", columns=columns)  # type: ignore[arg-type]
    audit = audit_corpus(manifest.read())
    assert audit.table["seconds"].to_list() == [0.5, 1.5, None]
    assert audit.table["bytes_per_second"].null_count() == 3
    assert audit.twins.is_empty()


def test_the_list_can_be_written_and_progress_watched(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"")
    (tmp_path / "t.csv").write_text("path\na.wav\n")
    steps: list[int] = []
    audit = audit_corpus(Manifest(name="m", table=tmp_path / "t.csv").read(), 1, steps.append)
    written = audit.write(tmp_path / "out" / "audit.csv")
    assert steps == [1]
    assert [path.name for path in written] == [
        "audit.csv", "audit-set-aside.csv", "audit-shortcuts.csv"
    ]  # fmt: skip
    columns = [pl.read_csv(path).columns for path in written]
    assert columns == [list(AUDIT), list(SET_ASIDE), list(SHORTCUTS)]


def test_an_audit_of_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("path\na.wav\n")
    audit = audit_corpus(Manifest(name="m", table=tmp_path / "t.csv").read())
    assert next(audit_lines(audit)) == "m: 0 of 0 recordings can be used; 1 more have no file"


def test_the_printed_audit_names_reasons_and_conflicts(audit: Audit) -> None:
    out = io.StringIO()
    print_audit(audit, Console(file=out, width=60))
    text = out.getvalue()
    assert "mine: 3 of 5 recordings can be used; 1 more have no file" in text
    assert "16,000 Hz × 2, 8,000 Hz × 1" in text
    assert "2 in 1 groups; in 1 of these the labels differ" in text
    assert "a.wav = copy.wav: subject_id: s1 / s3; age: 30.0 / 40.0" in text
    assert "empty.wav" in text


def test_the_real_coswara_files_are_all_accounted_for(test_data: Path) -> None:
    recordings = Coswara(root=test_data / "coswara").read()
    audit = audit_corpus(recordings)
    assert audit.table.height == recordings.table["audio"].sum()
    assert (
        audit.set_aside.filter(pl.col("reason").str.contains("header without samples")).height > 0
    )
    silent = audit.table.filter(~pl.col("usable"))
    assert silent["reason"].unique().to_list() == ["every sample is zero"]
    assert set(silent["recording_id"]) == {
        "htQzROl26OWQpIYFDzv11F79PLR2_cough-shallow",
        "U98J2q0NnycYzzUS2BYZpUa55X83_cough-shallow",
        "KGWBaTNrJmUgzGZw5Xh2ICSHVu92_breathing-deep",
    }
    assert audit.table["seconds"].is_nan().any() is False


def test_the_real_webm_without_a_duration_decodes(test_data: Path) -> None:
    audit = audit_corpus(CoughVid(root=test_data / "coughvid").read())
    assert (audit.usable, audit.absent) == (1, 20071)
    assert audit.table["seconds"][0] > 1


def test_the_real_call_centre_files_hold_twins_with_opposite_labels(test_data: Path) -> None:
    audit = audit_corpus(Covid19Cough(root=test_data / "covid19_cough").read())
    assert audit.table.height == 283
    assert audit.table.filter(~pl.col("usable")).select("recording_id", "reason").rows() == [
        ("098d66e5-bda6-4e99-b787-ab890046c44b", "a tag with no audio after it")
    ]
    conflicts = audit.twins.unique("content")["conflicts"]
    assert len(conflicts) == 19
    assert conflicts.str.contains("covid_status: negative / positive").all()
    assert not conflicts.str.contains("subject_id").any()


def test_the_real_call_centre_files_tell_the_label_by_their_format(test_data: Path) -> None:
    audit = audit_corpus(Covid19Cough(root=test_data / "covid19_cough").read())
    first = notable(audit.shortcuts).row(0, named=True)
    assert (first["attribute"], first["property"]) == ("covid_status", "sample rate + channels")
    assert first["strength"] == pytest.approx(0.43, abs=0.01)
    assert first["by_format"] > 0.7 > first["by_constant"]
    out = io.StringIO()
    print_audit(audit, Console(file=out, width=80))
    assert "covid_status sample rate + channels     0.43 <0.001" in out.getvalue()
    assert "8,000 Hz, 2 ch: positive 108, negative 44" in out.getvalue()


def test_the_real_stethoscope_files_hold_one_sound_under_two_patients(test_data: Path) -> None:
    audit = audit_corpus(Kauh(root=test_data / "kauh").read())
    assert (audit.usable, audit.absent) == (93, 243)
    twins = audit.twins.filter(pl.col("conflicts").str.contains("diagnosis: asthma / healthy"))
    assert sorted(twins["recording_id"]) == ["BP100", "BP101", "DP100", "DP101"]
    assert audit.disagreements["item"].len() == 6
    lines = list(audit_lines(audit))
    assert "facts that two sources of the corpus state differently: 6 in 6 recordings" in lines
    assert "set aside: nothing" in lines  # they are not told twice


def test_unusable_files_are_no_twins_however_alike(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.wav").write_bytes(b"")
    (tmp_path / "t.csv").write_text("path\na.wav\nb.wav\n")
    assert audit_corpus(Manifest(name="m", table=tmp_path / "t.csv").read()).twins.is_empty()
