"""Prompts become 40 of CLIP's tokens; GPT-2's tokens become text."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.errors import UserError
from raqa.responders.pengi.decoding import STOP
from raqa.responders.pengi.model import Pengi
from tests.responders.pengi.small import SIZES, SmallPengi

START, END = SIZES.clip_vocabulary - 2, SIZES.clip_vocabulary - 1


def test_a_prompt_has_a_start_an_end_and_is_filled_up_with_ends(pengi: Pengi) -> None:
    words, empty = pengi.tokens.read(["a cough?", ""]).tolist()
    assert len(words) == len(empty) == 40
    assert words[0] == empty[0] == START
    assert words[8:] == [END] * 32  # seven characters
    assert END not in words[:8]
    assert empty[1:] == [END] * 39


def test_a_long_prompt_is_cut_and_keeps_its_end(pengi: Pengi) -> None:
    fits, cut = "a" * 38, "a" * 39
    for row in pengi.tokens.read([fits, cut]).tolist():
        assert len(row) == 40
        assert row[38] != END
        assert row[39] == END
    assert pengi.tokens.cut([fits, cut]) == [False, True]


def test_the_stop_token_is_a_lone_space_and_not_the_end_of_text(pengi: Pengi) -> None:
    numbers = pengi.tokens.gpt2(" <|endoftext|>")["input_ids"]
    assert numbers == [STOP, 50_256]
    assert STOP == 220


def test_text_is_the_authors_with_the_stop_token_and_without_spaces_before_stops(
    pengi: Pengi,
) -> None:
    numbers = pengi.tokens.gpt2(" a dog barks , it's loud . ")["input_ids"]
    assert numbers[-1] == STOP
    assert pengi.tokens.write(numbers) == " a dog barks, it's loud. "


def test_tokenizers_of_other_models_are_refused_together(small: SmallPengi) -> None:
    swapped = {"clip_tokenizer": small.folder / "gpt2", "gpt2_tokenizer": small.folder / "clip"}
    with pytest.raises(UserError) as raised:
        small.load(**{name: str(folder) for name, folder in swapped.items()})
    first, second = raised.value.problems
    assert first.startswith("responder.clip_tokenizer begins")
    assert second.startswith("responder.gpt2_tokenizer has 82 tokens")


def test_a_tokenizer_that_can_not_be_had_says_how_to_get_it(
    small: SmallPengi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match=r"responder\.gpt2_tokenizer=no/such.*hf download no/such"):
        small.load(gpt2_tokenizer="no/such")
