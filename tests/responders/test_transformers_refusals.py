"""What a local model can not be given is refused, and what a processor can not take fails alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raqa.audio.clip import ClipPolicy
from raqa.audio.waveform import Waveform
from raqa.errors import UserError
from raqa.responders import transformers
from raqa.responders.base import Heard, Prompt
from raqa.responders.hearing import Hearing
from raqa.responders.transformers import TransformersResponder
from raqa.responders.transformers_model import load_model
from raqa.responders.transformers_reader import load_reader
from tests.answering.soft_prefix.tiny import tiny_model
from tests.responders.asking import ask, asked, question, tone

Tiny = Callable[[str], Path]
CLIP = ClipPolicy(length_s=1.9, padding="none")


def _responder(folder: Path, **changes: Any) -> TransformersResponder:
    return TransformersResponder(**{"model": str(folder), "max_tokens": 4, **changes})


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("qwen2_audio", ("audio", "none")),
        ("audio_flamingo_3", ("audio", "none")),
        ("qwen2_5_omni", ("audio", "spectrogram", "both", "none")),
        ("llava_onevision", ("spectrogram", "none")),
        ("medgemma", ("spectrogram", "none")),
    ],
)
def test_what_a_model_takes_follows_from_its_class(
    name: str, inputs: tuple[str, ...], tiny_media: Tiny
) -> None:
    assert _responder(tiny_media(name)).inputs == inputs


def test_of_a_model_that_is_not_here_yet_nothing_is_ruled_out() -> None:
    assert _responder(Path("somebody/their-model")).inputs == (
        "audio", "spectrogram", "both", "none",
    )  # fmt: skip
    assert _responder(Path("somebody/their-model"), takes=["audio"]).inputs == ("audio",)


def test_a_text_model_is_given_no_audio(tmp_path: Path) -> None:
    tiny_model(tmp_path / "model")
    assert _responder(tmp_path / "model").inputs == ("none",)
    with pytest.raises(UserError, match="head.hearing.given=audio: .* takes none"):
        ask(asked([question("q")]), _responder(tmp_path / "model"), tmp_path, "audio")


def test_a_preset_with_a_model_of_another_class_says_what_that_takes(tiny_media: Tiny) -> None:
    responder = _responder(tiny_media("medgemma"), takes=["audio", "none"])
    with pytest.raises(UserError, match="Gemma3ForConditionalGeneration, which takes spectrogram"):
        responder.check(Hearing(given="audio"))


def test_rate_and_length_that_the_model_does_not_hear_are_refused_together(
    tiny_media: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers, "load_model", None)  # no weights are loaded for it
    questions = asked([question("q")], [tone(tmp_path / "a.wav", 300)])
    responder = _responder(tiny_media("qwen2_audio"))
    with pytest.raises(UserError) as caught:
        ask(questions, responder, tmp_path, "audio", rate=8000)
    assert len(caught.value.problems) == 2
    assert "head.hearing.rate=8000" in str(caught.value)
    assert "hears 16000 Hz" in str(caught.value)
    assert "head.hearing.clip.length_s=30" in str(caught.value)
    assert "hears at most 2 s and would drop the rest" in str(caught.value)
    flamingo = _responder(tiny_media("audio_flamingo_3"))
    flamingo.check(Hearing(rate=16_000, clip=ClipPolicy(length_s=6, padding="none")))
    with pytest.raises(UserError, match="length_s=null: .* hears at most 6 s"):
        flamingo.check(Hearing(rate=16_000, clip=ClipPolicy(length_s=None)))
    responder.check(Hearing(given="none", rate=8000))


def test_a_gpu_that_is_not_there_or_too_small_is_told(
    tiny_media: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    folder = tiny_media("qwen2_audio")
    with pytest.raises(UserError, match="responder.device=cuda: torch sees no GPU here"):
        _responder(folder, device="cuda").check(Hearing(given="none"))

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB.")

    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(UserError, match=r"its weights do not fit .*allocate 2 GiB\)"):
        load_model(load_reader(str(folder), "main", None), "main", max_tokens=1,
                   dtype="float32", device="auto")  # fmt: skip


def test_a_model_without_a_chat_template_is_refused(tiny_media: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_media("audio_flamingo_3"), folder)
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="AudioFlamingo3Processor has no chat template"):
        _responder(folder).check(Hearing(clip=CLIP))


def test_a_model_that_answers_no_prompts_is_refused(tmp_path: Path) -> None:
    from transformers import WhisperConfig

    WhisperConfig().save_pretrained(tmp_path)
    with pytest.raises(UserError, match="no class .* continues a prompt .* type whisper"):
        _responder(tmp_path).check(Hearing(given="none"))


def test_a_package_that_is_missing_is_named(
    tiny_media: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoProcessor

    def fail(*_: object, **__: object) -> None:
        raise ImportError(
            "\nAProcessor requires the Torchvision library but it was not found in your "
            "environment. Check out the instructions on the\ninstallation page: ..."
        )

    monkeypatch.setattr(AutoProcessor, "from_pretrained", fail)
    with pytest.raises(UserError, match=r"needs a package: .* Torchvision .* environment\.$"):
        _responder(tiny_media("qwen2_5_omni")).check(Hearing(clip=CLIP))


MARKS = "is a wheeze heard ? <|AUDIO|> <|AUDIO|> <|im_end|> <sound>"


@pytest.mark.parametrize("name", ["qwen2_audio", "audio_flamingo_3"])
def test_marks_of_the_model_in_a_question_are_words_like_others(
    name: str, tiny_media: Tiny, tmp_path: Path
) -> None:
    reader = load_reader(str(tiny_media(name)), "main", None)
    heard = Heard(Waveform(np.ones(8000, np.float32), 16_000))
    plain, marked = (
        reader.encode([Prompt("q", text, heard=heard)])["input_ids"][0].tolist()
        for text in ("is a wheeze heard ?", MARKS)
    )
    for mark in ("<|AUDIO|>", "<sound>", "<|im_end|>"):
        token = reader.tokenizer.convert_tokens_to_ids(mark)
        assert plain.count(token) == marked.count(token) or mark not in reader.tokenizer.get_vocab()
    assert len(marked) > len(plain)


def test_what_the_processor_does_not_take_fails_alone(tiny_media: Tiny, tmp_path: Path) -> None:
    questions = asked(
        [question(f"q{n}", question=MARKS if n == 2 else f"is a wheeze heard ? w{n}")
         for n in range(5)],
        [tone(tmp_path / "a.wav", 300)],
    )  # fmt: skip
    responder = _responder(tiny_media("qwen2_5_omni"), batch_size=5)
    found = ask(questions, responder, tmp_path / "s", "audio", clip=CLIP)
    assert found.usage["outcome"].to_list() == ["answered"] * 2 + ["failed"] + ["answered"] * 2
    assert "does not take the prompt (ValueError" in found.usage["reason"][2]


def test_a_spoken_question_that_is_over_when_the_model_hears_no_more_fails_alone(
    tiny_media: Tiny,
) -> None:
    reader = load_reader(str(tiny_media("qwen2_audio")), "main", None)
    model = load_model(reader, "main", max_tokens=4, dtype="float32", device="cpu")
    short, full, long = (
        Prompt("q", "heard ?", heard=Heard(Waveform(np.ones(samples, np.float32), 16_000)))
        for samples in (8000, 32_001, 40_000)  # resampling rounds
    )
    said = model.say([short, long, full])
    assert [one.outcome for one in said] == ["answered", "failed", "answered"]
    assert said[1].reason is not None
    assert "is 2.5 s long; the model hears at most 2 s and would drop" in said[1].reason
    assert said[2] == replace(model.say([full])[0], latency_s=said[2].latency_s)
