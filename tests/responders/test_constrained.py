"""A local model that is held to a schema says JSON of it, whatever it would rather say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from raqa.errors import UserError
from raqa.judges.rubrics import RUBRICS
from raqa.responders import constrained
from raqa.responders.base import Prompt, Response
from raqa.responders.constrained import JsonOnly, bounded, vocabulary
from raqa.responders.transformers import TransformersResponder

pytest.importorskip("llguidance", reason="the optional extra judges is not installed")
SCHEMAS = [RUBRICS["facts"].schema, RUBRICS["open"].schema]
TOKENS = 400
CHOICE = {"type": "object", "properties": {"answer": {"enum": ["left lung", "right lung"]}},
          "required": ["answer"], "additionalProperties": False}  # fmt: skip


def _bytes_tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({"<end>": 0, **{s: n + 1 for n, s in enumerate(signs)}}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<end>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")


def _byte_model(folder: Path) -> Path:
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _bytes_tokenizer()
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=len(tokenizer), n_embd=32, n_layer=1, n_head=2, n_positions=512,
            eos_token_id=0, bos_token_id=0, initializer_range=0.5,
        )  # fmt: skip
        GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def _say(folder: Path, prompts: Sequence[Prompt], **changes: Any) -> list[Response]:
    responder = TransformersResponder(str(folder), max_tokens=40, **changes)

    async def run() -> list[Response]:
        async with responder.session() as session:
            return await asyncio.gather(*(session.respond(prompt) for prompt in prompts))

    return asyncio.run(run())


def test_a_random_model_says_valid_json_and_others_in_the_batch_what_they_like(
    tmp_path: Path,
) -> None:
    folder = _byte_model(tmp_path / "model")
    free = Prompt("free", "What do you hear?")
    held = [Prompt(f"{n}", f"Choose number {n}.", schema=CHOICE) for n in range(3)]
    said = _say(folder, [*held, free], batch_size=4)
    for response in said[:3]:
        assert json.loads(response.text or "")["answer"] in {"left lung", "right lung"}
        assert response.finish == "stop"
    (alone,) = _say(folder, [free])
    assert said[-1].text == alone.text
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(alone.text or "")


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_model_that_would_go_on_for_ever_closes_its_object_within_its_tokens(
    schema: dict[str, Any],
) -> None:
    tokenizer = _bytes_tokenizer()
    words = vocabulary(tokenizer, [0])
    generator = torch.Generator().manual_seed(0)
    letters = torch.zeros(len(tokenizer) + 3)
    letters[tokenizer("abcdefghijklmnopqrstuvwxyz")["input_ids"]] = 9.0
    for _ in range(3):
        holding = JsonOnly(words, [schema], prompt=1, max_tokens=TOKENS)
        ids = torch.zeros((1, 1), dtype=torch.long)
        for _ in range(TOKENS):
            scores = letters + torch.randn((1, len(letters)), generator=generator)
            ids = torch.cat([ids, holding(ids, scores).argmax(1, keepdim=True)], dim=1)
            if ids[0, -1] == 0:
                break
        assert ids[0, -1] == 0
        text = tokenizer.decode(ids[0, 1:-1])
        assert set(json.loads(text)) == set(schema["properties"])


def test_free_texts_are_bounded_and_others_left_as_they_are() -> None:
    schema = {
        "properties": {
            "a": {"type": "string"},
            "b": {"enum": ["x"], "type": "string"},
            "c": {"type": "string", "maxLength": 3},
            "d": {"type": "string"},
        }
    }
    fields = bounded(schema, 100)["properties"]
    assert fields["a"]["maxLength"] == fields["d"]["maxLength"] == 25
    assert {name: fields[name] for name in "bc"} == {
        name: schema["properties"][name] for name in "bc"
    }
    assert "maxLength" not in schema["properties"]["a"]


def test_a_schema_that_is_none_and_a_missing_library_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    words = vocabulary(_bytes_tokenizer(), [0])
    with pytest.raises(ValueError, match="type"):
        JsonOnly(words, [{"type": "no such type", "properties": {}}], prompt=0, max_tokens=10)
    monkeypatch.setitem(sys.modules, "llguidance.hf", None)
    with pytest.raises(UserError, match=r"pip install 'raqa\[judges\]'"):
        constrained.vocabulary(_bytes_tokenizer(), [0])
