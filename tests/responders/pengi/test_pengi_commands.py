"""Pengi on the command line: fetched, checked, asked by a run."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.responders.pengi.responder import PengiResponder
from tests.conftest import Command
from tests.responders.pengi.small import SIZES, SmallPengi


@pytest.mark.slow  # every encoder is built to see whether the file fits
def test_a_file_can_be_checked_before_it_is_asked(
    raqa: Command, small: SmallPengi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PengiResponder, "sizes", SIZES)
    shown = raqa("weights", "check", str(small.checkpoint))
    assert shown == f"{small.checkpoint} fits responder=pengi"
    assert "pengi Pengi (base) 2.2 GB." in raqa("weights", "list")


def test_a_run_without_weights_ends_before_any_work(
    raqa: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shown = raqa("train", *_run(tmp_path), status=2)
    assert "`raqa weights fetch pengi`" in shown
    assert not (tmp_path / "cache" / "embeddings").exists()


def test_a_run_asks_pengi(
    raqa: Command, small: SmallPengi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PengiResponder, "sizes", SIZES)
    shown = raqa(
        "train", *_run(tmp_path), f"responder.checkpoint={small.checkpoint}",
        f"responder.clip_tokenizer={small.folder / 'clip'}", "responder.max_tokens=1",
        f"responder.gpt2_tokenizer={small.folder / 'gpt2'}", "head.hearing.given=none",
    )  # fmt: skip
    assert "prompts only the beginning was read" in shown
    (run,) = (tmp_path / "runs").glob("demo-*-zero_shot_pengi_none-*")
    usage = pl.read_csv(run / "head" / "usage.csv")
    assert set(usage["outcome"]) == {"answered"}
    assert usage["cut"].any()


def _run(tmp_path: Path) -> list[str]:
    return ["task=qa", "head=zero_shot", "responder=pengi", f"paths.runs={tmp_path / 'runs'}",
            f"paths.cache={tmp_path / 'cache'}", "datamodule.corpus.subjects=40",
            "seeds=1"]  # fmt: skip
