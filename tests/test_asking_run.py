"""Runs that only ask: without embeddings, an encoder, or anything to learn from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from raqa.ask import ask_files
from raqa.configuration.overrides import compose_choices
from raqa.configuration.unused import without_unused
from raqa.main import main
from raqa.reports.report import report
from raqa.reports.run_folder import read_run, rescore
from raqa.reports.run_tables import Run
from raqa.run import prepare
from tests.responders.asking import tone
from tests.responders.fake_server import MODEL, Reply, serving

DEMO = ("seeds=1", "datamodule.corpus.subjects=12")
ASKING = ("task=qa", "head=zero_shot", "responder=random", *DEMO)
NO_ENCODER = "encoder=opera_ct"
"""Its weights are not here: a run that needed it would fail."""

Command = Callable[..., str]


def _run(tmp_path: Path, *overrides: str) -> Run:
    main([*ASKING, f"paths.runs={tmp_path / 'runs'}", f"paths.cache={tmp_path / 'cache'}",
          *overrides])  # fmt: skip
    (found,) = (path for path in (tmp_path / "runs").iterdir() if path.name != "splits")
    return read_run(found)


def _all_on_test(tmp_path: Path, *overrides: str) -> tuple[str, str]:
    """A split that leaves nothing to learn from."""
    config, choices = compose_choices([*ASKING, f"paths.cache={tmp_path / 'cache'}", *overrides])
    subjects = prepare(config, choices).recordings[0].table.select("corpus", "subject_id").unique()
    file = tmp_path / "all_on_test.csv"
    subjects.with_columns(side=pl.lit("test")).write_csv(file)
    return ("split=from_file", f"split.file={file}")


def test_nothing_is_embedded_and_no_encoder_is_built(tmp_path: Path) -> None:
    run = _run(tmp_path, NO_ENCODER)
    kept = {path.name for path in (tmp_path / "cache" / "embeddings").iterdir()}
    assert kept <= {"hashes"}
    known = run.provenance
    assert (known.encoder, known.encoder_fingerprint, known.clip) == ("none", None, None)
    assert run.config["encoder"] is None
    assert run.path.name.startswith("demo-questions-zero_shot_random_audio-within-")


def test_the_choice_of_encoder_clip_and_extraction_is_no_part_of_a_run_that_only_asks(
    tmp_path: Path,
) -> None:
    def name(*overrides: str) -> str:
        config, choices = compose_choices(
            [*ASKING, f"paths.cache={tmp_path / 'cache'}", *overrides]
        )
        once = prepare(config, choices)
        again = prepare(*without_unused(config, choices))
        assert once.folder.path == again.folder.path
        return once.folder.path.name

    names = {name(), name(NO_ENCODER), name("clip=whole"), name("embed.precision=float16")}
    assert len(names) == 1
    assert name("head.hearing.given=none") not in names


def test_a_test_side_is_enough_and_what_training_would_tell_is_undefined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _run(tmp_path, *_all_on_test(tmp_path))
    shown = " ".join(capsys.readouterr().out.split())
    scores = run.answering
    assert (scores.recordings["train"], scores.recordings["test"]) == (0, 36)
    assert scores.answers.all.counts.unscored == 0
    assert scores.answers.all.labels is not None
    assert scores.answers.all.labels.accuracy.mean.defined
    assert scores.prior is None
    assert run.answered is not None
    assert run.answered.prior is None
    numbers = scores.answers.all.numbers
    assert numbers is not None
    for undefined in (scores.difference, scores.prior_headline, numbers.relative_mae.mean,
                      scores.answers.part("attribute", "age").numbers.median_mae):  # type: ignore[union-attr]  # fmt: skip
        assert not undefined.defined
        assert "training" in str(undefined.reason)
    assert scores.against_baseline == "undecided"
    assert "no question prior" in shown
    assert "No training side" in shown
    assert rescore(run) == scores
    report([tmp_path / "runs"], tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "no question is about a training recording" in page


def test_it_can_be_asked_again_in_words_without_having_learnt_any(tmp_path: Path) -> None:
    run = _run(tmp_path, "responder=constant", "responder.text=Rain.", *_all_on_test(tmp_path))
    files = [tone(tmp_path / "own.wav", 300), tmp_path / "nowhere.wav"]
    replies = ask_files(run.path, files, "Does it rain?", tmp_path / "cache")
    assert replies.taken is None
    assert set(replies.possible["answer"]) == {"Rain."}


@pytest.mark.parametrize("asked", [("task=qa", "head=majority"), ("task=sex", *ASKING[1:3])])
def test_what_needs_training_says_so(asked: tuple[str, ...], tmp_path: Path, raqa: Command) -> None:
    places = [f"paths.runs={tmp_path / 'runs'}", f"paths.cache={tmp_path / 'cache'}"]
    said = raqa("train", *asked, *DEMO, *places, *_all_on_test(tmp_path), status=2)
    assert "train 0, validation 0, test 36" in said
    assert "task=qa head=zero_shot" in said


def test_a_recording_that_can_not_be_used_is_set_aside_with_the_questions_about_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    rows = [(f"{one}.wav", f"s{one}", "female" if one % 2 else "male", "test") for one in range(6)]
    pl.DataFrame(rows, schema=["file", "who", "sex", "side"], orient="row").write_csv(table)
    for name, *_ in rows[1:]:
        tone(tmp_path / name, 300)
    (tmp_path / "0.wav").write_bytes(b"RIFF")
    with serving(lambda *_: Reply(text="yes")) as server:
        main(["task=qa", "head=zero_shot", "responder=openai", f"responder.model={MODEL}",
              f"responder.base_url={server.url}", "seeds=1", "datamodule=manifest",
              f"datamodule.corpus.table={table}", "datamodule.corpus.columns.path=file",
              "datamodule.corpus.columns.subject=who", "datamodule.corpus.columns.split=side",
              "+datamodule.corpus.attributes.sex={column: sex}", f"paths.runs={tmp_path / 'runs'}",
              f"paths.cache={tmp_path / 'cache'}"])  # fmt: skip
    (found,) = (path for path in (tmp_path / "runs").iterdir() if path.name != "splits")
    run = read_run(found)
    counts = run.answering.answers.all.counts
    assert counts.unscored == 0
    assert "0.wav" not in run.answered.questions["recording_id"]  # type: ignore[union-attr]
    assert run.fold["recording_id"].sort().to_list() == [name for name, *_ in rows[1:]]
    (row,) = run.set_aside.rows(named=True)
    assert (row["stage"], row["item"]) == ("audio", "0.wav")
    assert (
        row["value"]
        == f"{pl.read_csv(run.path / 'head/usage.csv').height - counts.questions} questions"
    )
    assert row["reason"].startswith("the recording can not be used")
    assert "the recording can not be used" in " ".join(capsys.readouterr().out.split())


def test_heads_say_whether_they_use_embeddings_and_learn() -> None:
    from raqa.answering.fusion import FusionHead
    from raqa.responders.head import ZeroShotHead

    assert (FusionHead.uses_embeddings, FusionHead.learns) == (True, True)
    assert (ZeroShotHead.uses_embeddings, ZeroShotHead.learns) == (False, False)
