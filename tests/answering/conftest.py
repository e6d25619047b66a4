"""A tiny text encoder, and questions about tones that only listening can answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from raqa.answering.base import AUDIO_ROW, QuestionPairs
from raqa.tables import QUESTIONS

WORDS = ["does", "the", "subject", "have", "a", "cough", "wheeze", "?", "age", "what", "is",
         "pitch", "loudness", "high", "count"]  # fmt: skip


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def tone_questions(
    subjects: int, seed: int, *, heard: bool = True, first: int = 0
) -> QuestionPairs:
    """Three questions about each tone: its pitch, its loudness, and a number.

    The recording decides, the question says about which; `heard=False` shuffles the audio, so
    that nothing in it tells the answers.
    """
    random = np.random.default_rng(seed)
    pitch, loudness = random.integers(0, 2, (2, subjects))
    count = random.normal(10, 3, subjects)
    audio = np.stack([2.0 * pitch - 1, 2.0 * loudness - 1, (count - 10) / 3], axis=1)
    audio = np.concatenate([audio, np.zeros((subjects, 5))], axis=1)
    audio += random.normal(0, 0.2, audio.shape)
    if not heard:
        audio = audio[random.permutation(subjects)]
    rows = []
    for subject in range(subjects):
        name = f"s{first + subject:05d}"
        shared = {"corpus": "tones", "recording_id": name, "subject_id": name,
                  "family": "acoustic", AUDIO_ROW: subject}  # fmt: skip
        for attribute, known in (("pitch", pitch), ("loudness", loudness)):
            rows.append(
                {**shared, "qa_id": f"{name}/{attribute}", "attribute": attribute,
                 "kind": "binary", "question_type": "single_verify",
                 "template_id": f"{attribute}/single_verify/1", "asked_label": "yes",
                 "question": f"does the subject have high {attribute} ?",
                 "answer": "Yes." if known[subject] else "No.",
                 "label": "yes" if known[subject] else "no"}
            )  # fmt: skip
        rows.append(
            {**shared, "qa_id": f"{name}/count", "attribute": "count", "kind": "numeric",
             "question_type": "open_ended", "template_id": "count/open_ended/1",
             "question": "what is the count ?", "answer": f"It is {count[subject]:.1f}.",
             "value": float(count[subject]), "unit": "count"}
        )  # fmt: skip
    schema = {**QUESTIONS, AUDIO_ROW: pl.Int64}
    return QuestionPairs(audio.astype(np.float32), pl.DataFrame(rows, schema=schema))


@pytest.fixture(scope="session")
def tones() -> dict[str, QuestionPairs]:
    """The three sides of a set whose answers are in the audio."""
    return {
        "train": tone_questions(200, 0),
        "validation": tone_questions(50, 1, first=1000),
        "test": tone_questions(100, 2, first=2000),
    }
