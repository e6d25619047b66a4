"""A run whose head asks a model that others trained."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.ask import ask_files
from raqa.errors import UserError
from raqa.main import main
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from tests.responders.asking import tone
from tests.responders.fake_server import MODEL, Reply, serving

DEMO = ("datamodule.corpus.subjects=40", "head=zero_shot", "seeds=2")


def _run(tmp_path: Path, *overrides: str) -> Run:
    runs = tmp_path / f"runs{len(list(tmp_path.iterdir()))}"
    main([*DEMO, f"paths.runs={runs}", f"paths.cache={tmp_path / 'cache'}", *overrides])
    (found,) = (path for path in runs.iterdir() if path.name != "splits")
    return read_run(found)


def test_a_run_asks_about_test_recordings_and_can_be_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-a-run")
    with serving(lambda *_: Reply(text="I would say: no.")) as server:
        settings = ("task=qa", "responder=openai", f"responder.model={MODEL}",
                    f"responder.base_url={server.url}")  # fmt: skip
        run = _run(tmp_path, *settings)
        assert run.answered is not None
        test = run.answered.questions.filter(pl.col("split") == "test")
        assert len(server.asked) == test.height
        assert {part["type"] for body in server.bodies for part in body["messages"][0]["content"]} \
            == {"input_audio", "text"}  # fmt: skip
        again = _run(tmp_path, *settings, "responder.pace.concurrency=2")
        assert len(server.asked) == test.height
        sound = tone(tmp_path / "own.wav", 300)
        replies = ask_files(run.path, [sound], "Does it rain?", tmp_path / "cache")
        assert "Does it rain?" in server.texts()[-1]
    assert replies.possible["answer"].to_list() == ["I would say: no."]
    assert again.path.name == run.path.name
    assert "-zero_shot_fake_model_without_weights_audio-" in run.path.name
    assert again.predictions.equals(run.predictions)
    assert set(run.predictions["response"]) == {"I would say: no."}
    assert run.predictions.height == 2 * test.height
    usage = pl.read_csv(run.path / "head" / "usage.csv")
    assert usage["qa_id"].to_list() == sorted(test["qa_id"])
    assert not any(
        b"sk-secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_a_label_can_be_asked_for_without_the_recording(tmp_path: Path) -> None:
    run = _run(tmp_path, "task=sex", "responder=constant", "responder.text=female",
               "head.hearing.given=none")  # fmt: skip
    assert set(run.predictions["prediction"]) == {0.0}
    assert run.provenance.head == "zero_shot_constant_none"


def test_a_zero_shot_head_is_loaded_only_for_who_was_asked(tmp_path: Path) -> None:
    from raqa.responders.head import FittedZeroShot, ZeroShotHead
    from raqa.responders.plain import ConstantResponder

    yes, no = (ZeroShotHead(ConstantResponder(text)) for text in ("yes", "no"))
    FittedZeroShot(yes, (0,)).save(tmp_path)
    assert yes.load(tmp_path, [0, 1]).seeds == (0, 1)
    with pytest.raises(UserError, match="another responder"):
        no.load(tmp_path, [0])
    with pytest.raises(UserError, match="There is no zero-shot head"):
        no.load(tmp_path / "nowhere", [0])


def test_hostile_answers_about_a_label_are_set_aside_harmlessly(tmp_path: Path) -> None:
    hostile = "=HYPERLINK(A)\x1b[J" + "x" * 10_000
    with serving(lambda *_: Reply(text=hostile)) as server:
        run = _run(tmp_path, "task=age", "responder=openai", f"responder.model={MODEL}",
                   f"responder.base_url={server.url}", "head.hearing.given=none")  # fmt: skip
    values = run.set_aside.filter(stage="answer")["value"].to_list()
    assert values
    assert all(value.startswith("'=HYPERLINK(A)[J") and len(value) < 600 for value in values)
