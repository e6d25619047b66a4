"""Pengi asked as a responder: as RA-QA asks it, kept, the same in batches as alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from raqa.answering.base import Asked
from raqa.errors import UserError
from raqa.responders.evaluate import Evaluated
from raqa.responders.hearing import Hearing
from raqa.responders.pengi.model import Pengi
from raqa.responders.pengi.responder import PengiResponder
from raqa.responders.pengi.tokens import Tokens
from raqa.responders.usage import usage_text
from tests.responders.asking import ask, asked, outcomes, question
from tests.responders.pengi.small import SIZES, SmallPengi, SmallResponder, noise, responder, save

TEXTS = ("a cough?", "which of: crackle, wheeze?")
SOUNDS = ((1.5, 8_000), (7, 44_100), (9, 16_000))
"""Seconds and rate: repeated, as it is, cut."""


@pytest.fixture
def sounds(tmp_path: Path) -> list[Path]:
    made = []
    for number, (seconds, rate) in enumerate(SOUNDS):
        wave = noise(seconds, number, rate)
        path = tmp_path / f"{number}.wav"
        soundfile.write(path, wave.samples, wave.rate, subtype="FLOAT")
        made.append(path)
    return made


@pytest.fixture
def questions(sounds: list[Path]) -> Asked:
    rows = [
        question(f"q{row}{n}", row, question=text)
        for row in range(len(sounds))
        for n, text in enumerate(TEXTS)
    ]
    return asked(rows, sounds)


def _kept_scores(folder: Path) -> list[float]:
    """Of the best text of every response that is kept."""
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    return [json.loads(json.loads(line)["raw"])[0]["score"] for line in lines]


def _said(found: Evaluated) -> list[str]:
    return [str(text) for text in found.answers["response"]]


def test_answers_are_what_pengi_writes_about_the_recording_as_it_is(
    small: SmallPengi, pengi: Pengi, questions: Asked, tmp_path: Path
) -> None:
    found = ask(questions, responder(small), tmp_path / "s", "audio")
    waves = [noise(seconds, n, rate) for n, (seconds, rate) in enumerate(SOUNDS) for _ in TEXTS]
    wanted = pengi.generate(waves, 3 * TEXTS, max_new_tokens=6, batch_size=1)
    assert outcomes(found) == {"answered": 6}
    assert _said(found) == [written[0].text.strip() for written in wanted]
    scores = [written[0].score for written in wanted]
    assert len({round(score, 5) for score in scores}) == 6
    assert sorted(_kept_scores(tmp_path / "s")) == pytest.approx(sorted(scores), abs=1e-5)


def test_a_batch_says_what_each_says_alone(
    small: SmallPengi, questions: Asked, tmp_path: Path
) -> None:
    alone, together = (
        ask(questions, responder(small, batch_size=size), tmp_path / str(size), "audio")
        for size in (1, 8)
    )
    assert alone.answers.equals(together.answers)


def test_the_same_questions_again_load_no_model_and_new_ones_are_all_that_is_asked(
    small: SmallPengi, questions: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    generate = Pengi.generate

    def spy(self: Pengi, waveforms: Any, prompts: Any, **settings: Any) -> Any:
        written.extend(prompts)
        return generate(self, waveforms, prompts, **settings)

    monkeypatch.setattr(Pengi, "generate", spy)
    half = Asked(questions.audio, questions.rows.head(4), questions.files)
    ask(half, responder(small), tmp_path / "s", "audio")
    found = ask(questions, responder(small), tmp_path / "s", "audio")
    assert len(written) == 6
    assert found.usage["from_store"].sum() == 4
    monkeypatch.setattr(SmallResponder, "_load", None)
    again = ask(questions, responder(small), tmp_path / "s", "audio")
    assert again.answers.equals(found.answers)


def test_where_nothing_is_given_it_hears_silence(
    small: SmallPengi, pengi: Pengi, questions: Asked, tmp_path: Path
) -> None:
    from raqa.audio.waveform import Waveform

    silence = Waveform(np.zeros(44_100, np.float32), 44_100)
    found = ask(questions, responder(small), tmp_path, "none")
    wanted = [pengi.generate([silence], [text], max_new_tokens=6)[0][0] for text in TEXTS]
    assert _said(found) == 3 * [one.text.strip() for one in wanted]
    scores = sorted(one.score for one in wanted)
    assert sorted(_kept_scores(tmp_path)) == pytest.approx(scores, abs=1e-5)
    with pytest.raises(UserError, match="takes audio, none"):
        ask(questions, responder(small), tmp_path, "spectrogram")


def test_the_prompt_is_the_question_with_what_it_offers_and_no_instruction(
    small: SmallPengi,
) -> None:
    pengi = responder(small)
    row = question("q", question="Which: dry or wet?", options=["dry", "wet"])
    assert pengi.wording(row, "audio") == "Which: dry or wet?"
    row["question"] = "Which is heard?"
    assert pengi.wording(row, "none") == "Which is heard? Options: dry, wet."
    assert pengi.wording(question("q", question="A cough?"), "audio") == "A cough?"


def test_prompts_that_are_cut_are_counted(small: SmallPengi, tmp_path: Path) -> None:
    texts = ("a" * 38, "a" * 39, "b" * 50)  # a token a character
    rows = [question(f"q{n}", question=text) for n, text in enumerate(texts)]
    found = ask(asked(rows), responder(small), tmp_path)
    assert found.usage["cut"].to_list() == [False, True, True]
    assert "of 2 prompts only the beginning was read" in usage_text(found.usage)


def test_every_beam_is_kept_with_its_score(small: SmallPengi, pengi: Pengi, tmp_path: Path) -> None:
    ask(asked([question("q", question=TEXTS[0])]), responder(small), tmp_path)
    (kept,) = (json.loads(path.read_text()) for path in tmp_path.glob("*.jsonl"))
    beams = json.loads(kept["raw"])
    assert len(beams) == 3
    assert beams[0]["text"].strip() == kept["text"]
    assert beams[0]["score"] >= beams[1]["score"] >= beams[2]["score"]
    assert (kept["finish"], kept["tokens_out"]) == ("length", 6)


@pytest.mark.parametrize(
    "changes",
    [{"beams": 1}, {"temperature": 2.0}, {"max_tokens": 5}, {"crop_seed": 1}],
    ids=str,
)
def test_other_decoding_or_another_part_of_recordings_is_another_responder(
    small: SmallPengi, changes: dict[str, Any]
) -> None:
    assert responder(small, **changes).identity != responder(small).identity


def test_what_changes_no_answer_changes_no_identity(small: SmallPengi, tmp_path: Path) -> None:
    copy = tmp_path / "copy.pth"
    copy.write_bytes(small.checkpoint.read_bytes())
    assert responder(small, batch_size=2, checkpoint=copy).identity == responder(small).identity


def test_other_weights_or_tokenizers_are_another_responder(
    small: SmallPengi, tmp_path: Path
) -> None:
    usual = responder(small).identity
    other = save(
        {name: tensor * 2 for name, tensor in small.tensors.items()}, tmp_path / "other.pth"
    )
    assert responder(small, checkpoint=other).identity["checkpoint"] != usual["checkpoint"]
    folder = tmp_path / "clip"
    folder.mkdir()
    for path in (small.folder / "clip").iterdir():
        text = path.read_text()
        if path.name == "tokenizer.json":
            tokens = json.loads(text)
            words = tokens["model"]["vocab"]
            words["a"], words["b"] = words["b"], words["a"]
            text = json.dumps(tokens)
        (folder / path.name).write_text(text)
    changed = responder(small, clip_tokenizer=str(folder)).identity
    assert changed["tokenizers"] != usual["tokenizers"]


def test_reading_prompts_does_not_change_the_tokenizers_fingerprint(small: SmallPengi) -> None:
    usual = responder(small)
    fresh = Tokens.load(usual.clip_tokenizer, usual.gpt2_tokenizer, "main", SIZES)
    fresh.read(["a" * 50])
    assert fresh.fingerprint == usual.identity["tokenizers"]


def test_all_that_is_absent_is_told_at_once_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    missing = PengiResponder(clip_tokenizer="no/clip", gpt2_tokenizer=str(tmp_path / "gpt2"))
    with pytest.raises(UserError) as raised:
        missing.check(Hearing())
    checkpoint, clip, gpt2 = raised.value.problems
    assert "is not set" in checkpoint
    assert "`raqa weights fetch pengi` fetches base.pth (2.2 GB" in checkpoint
    assert clip.startswith("responder.clip_tokenizer=no/clip")
    assert gpt2.startswith(f"responder.gpt2_tokenizer={tmp_path / 'gpt2'}")
    wrong = tmp_path / "none.pth"
    with pytest.raises(UserError, match=rf"responder.checkpoint={wrong} is no file"):
        PengiResponder(checkpoint=wrong).check(Hearing())


def test_another_models_file_is_named_with_what_does_not_fit(
    small: SmallPengi, tmp_path: Path
) -> None:
    tensors = {name: one for name, one in small.tensors.items() if "caption_encoder" not in name}
    other = save(tensors, tmp_path / "base_no_text_enc.pth")
    with pytest.raises(UserError, match=rf"{other} does not fit Pengi \(base\).*caption_encoder"):
        ask(asked([question("q")]), responder(small, checkpoint=other), tmp_path / "s")


def test_a_setting_out_of_range_is_named(small: SmallPengi, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"responder.max_tokens=99: a number from 1 to 48"):
        ask(asked([question("q")]), responder(small, max_tokens=99), tmp_path)


def test_what_was_fetched_is_taken_where_no_file_is_given(
    small: SmallPengi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path))
    place = tmp_path / "weights" / "pengi" / "base.pth"
    place.parent.mkdir(parents=True)
    place.write_bytes(small.checkpoint.read_bytes())
    assert responder(small, checkpoint=None).identity == responder(small).identity
