"""Tiny language models made on the spot, and a set of questions that needs audio and question.

Which of two attributes is asked stands in the question; the answer is in the audio, of which one
value decides about each attribute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import torch

from raqa.answering.base import AUDIO_ROW, QuestionPairs
from raqa.answering.soft_prefix.settings import LanguageModelSettings, MapperSettings
from raqa.tables import QUESTIONS

QUESTION_WORDS = ["Question", "Answer", ":", "what", "is", "the", "of", "recording", "heard",
                  "in", "this", "?", "cough", "breath", "long"]  # fmt: skip
ANSWER_WORDS = ["It", "a", "dry", "wet", "calm", "fast", "and", "clear", "."]
CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] }} {{ message['content'] }}"
    "{% endfor %}{% if add_generation_prompt %} Answer :{% endif %}"
)
MAPPER = MapperSettings(kind="mlp", hidden=32, dropout=0.0)


def tiny_model(
    folder: Path,
    kind: Literal["gpt2", "llama"] = "gpt2",
    *,
    words: tuple[str, ...] = (),
    chat: str | None = None,
) -> LanguageModelSettings:
    """Save a tiny language model with a tokenizer of whole words.

    The GPT-2 has no padding token, as the real one; the Llama has one and begins with a token of
    its own.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["<end>", "<begin>", "<pad>", "<unknown>"]
    vocabulary = {w: i for i, w in enumerate([*special, *QUESTION_WORDS, *ANSWER_WORDS, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unknown>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    extra = {}
    if kind == "llama":
        extra = {"bos_token": "<begin>", "pad_token": "<pad>"}
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<begin> $A", special_tokens=[("<begin>", 1)]
        )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<end>",
        unk_token="<unknown>",
        chat_template=chat,
        **extra,
    ).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        _network(kind, len(vocabulary)).save_pretrained(folder)
    return LanguageModelSettings(str(folder))


def _network(kind: str, words: int) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

    if kind == "gpt2":
        return GPT2LMHeadModel(
            GPT2Config(vocab_size=words, n_positions=64, n_embd=32, n_layer=2, n_head=2,
                       bos_token_id=0, eos_token_id=0, initializer_range=0.2)
        )  # fmt: skip
    return LlamaForCausalLM(
        LlamaConfig(vocab_size=words, max_position_embeddings=64, hidden_size=32,
                    intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
                    num_key_value_heads=1, bos_token_id=1, eos_token_id=0, pad_token_id=2,
                    initializer_range=0.2)
    )  # fmt: skip


def pairs(recordings: int, seed: int, *, frames: int = 1) -> QuestionPairs:
    """Two questions about each recording; values 0 and 1 of the audio decide the answers."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, (recordings, 2))
    audio = random.normal(0, 0.3, (recordings, frames, 6))
    audio[:, :, :2] += 2 * truth[:, None, :] - 1
    rows = []
    for row in range(recordings):
        dry = ("dry", "wet")[truth[row, 0]]
        calm = ("calm", "fast")[truth[row, 1]]
        rows += [
            _row(row, "cough", "what is the cough of this recording ?", dry, f"It is {dry} ."),
            _row(row, "breath", "what is the breath heard in the long recording ?", calm,
                 f"It is a {calm} and clear breath ."),
        ]  # fmt: skip
    heard = audio[:, 0] if frames == 1 else audio
    return QuestionPairs(heard.astype(np.float32), pl.DataFrame(rows, schema=_SCHEMA))


_SCHEMA = {**QUESTIONS, AUDIO_ROW: pl.Int64}


def _row(row: int, attribute: str, question: str, label: str, answer: str) -> dict[str, Any]:
    return {
        "qa_id": f"here/{row}/{attribute}", "corpus": "here", "recording_id": str(row),
        "subject_id": str(row), "attribute": attribute, "question_type": "open_ended",
        "template_id": f"{attribute}/open_ended/0", "question": question, "answer": answer,
        "label": label, AUDIO_ROW: row,
    }  # fmt: skip
