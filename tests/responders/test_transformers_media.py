"""Presets of models that hear or see, on tiny random models of their classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from raqa.audio.clip import ClipPolicy
from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.main import main
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from raqa.responders.base import Input
from raqa.responders.spectrogram import SpectrogramSettings
from raqa.responders.transformers import TransformersResponder
from raqa.responders.transformers_model import load_model
from raqa.responders.transformers_reader import load_reader
from tests.responders.asking import ask, asked, choice, outcomes, question, tone
from tests.responders.tiny_media import TINY

Tiny = Callable[[str], Path]

HERE = ("responder.dtype=float32", "responder.device=cpu", "responder.max_tokens=6")
GIVEN: list[tuple[str, Input]] = [
    ("qwen2_audio", "audio"),
    ("audio_flamingo_3", "audio"),
    ("qwen2_5_omni", "audio"),
    ("qwen2_5_omni", "spectrogram"),
    ("qwen2_5_omni", "both"),
    ("llava_onevision", "spectrogram"),
    ("medgemma", "spectrogram"),
]


def preset(name: str, folder: Path, *changes: str) -> TransformersResponder:
    """A shipped preset with a tiny model in the place of the published one."""
    overrides = [f"responder={name}", f"responder.model={folder}", *HERE, *changes]
    responder = build_node(compose_config(overrides), "responder")
    assert isinstance(responder, TransformersResponder)
    return responder


def hear(responder: TransformersResponder, rows: Any, folder: Path, given: Input) -> Any:
    """Ask about recordings of different length and pitch."""
    clip = ClipPolicy(length_s=1.9, padding="none")
    small = SpectrogramSettings(width=300, height=300)
    return ask(rows, responder, folder, given, clip=clip, image=small)


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two questions of different length about each of three recordings of different length."""
    folder = tmp_path_factory.mktemp("tones")
    paths = [
        tone(folder / f"{hertz}.wav", hertz, seconds)
        for hertz, seconds in ((300, 0.3), (900, 1.0), (2500, 1.9))
    ]
    texts = ("what is heard ?", "is a wheeze heard in the recording ? yes no yes no")
    rows = [question(f"q{row}{n}", row, question=texts[n]) for row in range(3) for n in (0, 1)]
    return asked(rows, paths)


@pytest.mark.parametrize(("name", "given"), GIVEN)
def test_a_batch_says_what_each_says_alone(
    name: str, given: Input, tiny_media: Tiny, questions: Any, tmp_path: Path
) -> None:
    alone, together = (
        hear(preset(name, tiny_media(name), f"responder.batch_size={size}"), questions,
             tmp_path / str(size), given)
        for size in (1, 6)
    )  # fmt: skip
    assert outcomes(alone) == outcomes(together) == {"answered": 6}
    assert alone.answers.equals(together.answers)
    assert alone.usage["tokens_in"].equals(together.usage["tokens_in"])
    said = together.answers["response"].to_list()
    for same_words in (said[::2], said[1::2]):
        assert len(set(same_words)) >= 2  # it hears or sees


@pytest.mark.parametrize("name", TINY)
def test_each_is_its_own_baseline_that_hears_nothing(
    name: str, tiny_media: Tiny, questions: Any, tmp_path: Path
) -> None:
    found = hear(preset(name, tiny_media(name)), questions, tmp_path, "none")
    assert outcomes(found) == {"answered": 6}
    said = found.answers["response"].to_list()
    for same_words in (said[::2], said[1::2]):
        assert len(set(same_words)) == 1


def test_a_chain_about_a_recording_is_one_conversation(tiny_media: Tiny, tmp_path: Path) -> None:
    turns = [choice(f"t{turn}", question_type="multi_turn", chain="x", turn=turn)
             for turn in (1, 2, 3)]  # fmt: skip
    sound = [tone(tmp_path / "a.wav", 300)]
    responder = preset("audio_flamingo_3", tiny_media("audio_flamingo_3"))
    told = hear(responder, asked(turns, sound, {"t1": "A", "t2": "B"}), tmp_path, "audio")
    own = hear(responder, asked(turns, sound), tmp_path, "audio")
    for found in (told, own):
        assert outcomes(found) == {"answered": 3}
        first, second, third = found.usage["tokens_in"].to_list()
        assert first < second < third
        assert third < 3 * first  # it is heard once
    assert own.usage["from_store"].to_list() == [True, False, False]


def test_a_longer_recording_is_more_tokens(
    tiny_media: Tiny, questions: Any, tmp_path: Path
) -> None:
    responder = preset("audio_flamingo_3", tiny_media("audio_flamingo_3"))
    found = hear(responder, questions, tmp_path, "audio")
    spent = found.usage.filter(pl.col("qa_id").str.ends_with("0"))["tokens_in"].to_list()
    # 40 ms a token: 0.3, 1 and 1.9 s, of the very same words
    assert [round((longer - spent[0]) * 0.04, 1) for longer in spent] == [0.0, 0.7, 1.6]


@pytest.mark.parametrize("name", [name for name, given in GIVEN if given == "audio"])
def test_the_shortest_recording_there_is_is_heard_as_in_a_batch(
    name: str, tiny_media: Tiny, tmp_path: Path
) -> None:
    # Qwen2-Audio's class takes a single token of sound for the mark of processors before it.
    shortest = 0.1 if name == "qwen2_audio" else 0.05
    paths = [tone(tmp_path / "short.wav", 900, shortest), tone(tmp_path / "long.wav", 900, 1.5)]
    rows = [question(f"q{row}", row, question="what is heard ?") for row in (0, 1)]
    responder = preset(name, tiny_media(name))
    together = hear(responder, asked(rows, paths), tmp_path / "together", "audio")
    alone = hear(responder, asked(rows[:1], paths), tmp_path / "alone", "audio")
    assert (together.usage["reason"].to_list(), alone.usage["reason"].to_list()) == (
        [None] * 2, [None],
    )  # fmt: skip
    assert together.answers["response"].n_unique() == 2
    assert alone.answers["response"][0] == together.answers["response"][0]


@pytest.mark.slow
def test_a_preset_answers_a_run_and_the_run_again(tiny_media: Tiny, tmp_path: Path) -> None:
    def run(*changes: str) -> Run:
        runs = tmp_path / f"runs{len(changes)}"
        main(
            ["task=qa", "head=zero_shot", "seeds=1", "datamodule.corpus.subjects=20",
             "responder=qwen2_audio", f"responder.model={tiny_media('qwen2_audio')}", *HERE,
             "head.hearing.clip.length_s=2", f"paths.runs={runs}",
             f"paths.cache={tmp_path / 'cache'}", *changes]
        )  # fmt: skip
        (found,) = (path for path in runs.iterdir() if path.name != "splits")
        return read_run(found)

    first, again = run(), run("responder.batch_size=3")
    assert first.provenance.head.startswith("zero_shot_qwen2_audio")
    assert first.predictions.height > 20
    assert first.predictions["response"].n_unique() > 10
    assert again.predictions.equals(first.predictions)
    usage = [pl.read_csv(one.path / "head" / "usage.csv") for one in (first, again)]
    assert set(usage[0]["outcome"]) == {"answered"}
    assert [one["from_store"].all() for one in usage] == [False, True]


def test_of_a_model_that_speaks_only_the_part_that_thinks_is_loaded(tiny_media: Tiny) -> None:
    folder = tiny_media("qwen2_5_omni")
    reader = load_reader(str(folder), "main", None)
    model = load_model(reader, "main", max_tokens=4, dtype="float32", device="cpu")
    assert type(model.network).__name__ == "Qwen2_5OmniThinkerForConditionalGeneration"
    from safetensors.torch import load_file

    kept = load_file(folder / "model.safetensors")
    assert model.network.lm_head.weight.equal(kept["thinker.lm_head.weight"])
    assert any(name.startswith("talker.") for name in kept)
    thinking = sum(kept[name].numel() for name in kept if name.startswith("thinker."))
    assert sum(one.numel() for one in model.network.parameters()) == thinking


def test_weights_and_what_is_heard_are_in_the_precision_that_was_asked_for(
    tiny_media: Tiny, questions: Any, tmp_path: Path
) -> None:
    import torch

    folder = tiny_media("audio_flamingo_3")
    reader = load_reader(str(folder), "main", None)
    model = load_model(reader, "main", max_tokens=4, dtype="bfloat16", device="cpu")
    assert {one.dtype for one in model.network.parameters()} == {torch.bfloat16}
    responder = preset("audio_flamingo_3", folder, "responder.dtype=bfloat16")
    assert outcomes(hear(responder, questions, tmp_path, "audio")) == {"answered": 6}
