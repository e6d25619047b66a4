"""Questions and answers as tokens, and whether the language model has room for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from raqa.answering.base import AUDIO_ROW
from raqa.answering.soft_prefix.language_model import LanguageModel
from raqa.answering.soft_prefix.settings import PromptSettings
from raqa.errors import UserError


@dataclass(frozen=True)
class Tokens:
    """Rows of one side: a recording, the tokens of its question, those of the answer to learn.

    Attributes:
        audio_rows: which row of the audio each is about.
        prompts: from after the prefix up to where the answer begins.
        answers: with the end token; empty where an answer is to be given.
    """

    audio_rows: Sequence[int]
    prompts: Sequence[Sequence[int]]
    answers: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.prompts)

    def length(self, row: int) -> int:
        """Tokens of a row."""
        return len(self.prompts[row]) + len(self.answers[row])


def tokenise(rows: pl.DataFrame, model: LanguageModel, prompt: PromptSettings) -> Tokens:
    """Turn rows with or without answers into tokens.

    Args:
        rows: `question` and AUDIO_ROW; with `answer` only where answers are to be learnt.

    Raises:
        UserError: the chat template is asked for and there is none.
    """
    questions: list[str] = rows["question"].to_list()
    distinct = list(dict.fromkeys(questions))
    prompts = dict(zip(distinct, _prompts(distinct, model, prompt), strict=True))
    answers: list[list[int]] = [[] for _ in questions]
    if "answer" in rows.columns:
        answers = _answers(rows["answer"].to_list(), model, spaced=not prompt.chat)
    return Tokens(rows[AUDIO_ROW].to_list(), [prompts[one] for one in questions], answers)


def check_room(tokens: Tokens, model: LanguageModel, *, before: int, after: int) -> None:
    """Refuse rows that the language model has no positions for.

    Args:
        before: tokens that stand before every question: the opening and the prefix.
        after: tokens that an answer may become long.

    Raises:
        UserError: counting the rows and naming the longest.
    """
    if model.context is None:
        return
    sizes = [
        before + len(prompt) + max(after, len(answer))
        for prompt, answer in zip(tokens.prompts, tokens.answers, strict=True)
    ]
    long = [size for size in sizes if size > model.context]
    if long:
        raise UserError(
            f"{len(long)} of {len(sizes)} questions need more positions than the language model's "
            f"{model.context}: the longest needs {max(long)}, for {before} before the question, "
            f"the question and its answer. Shorten head.prompt.text or the questions, lower "
            "head.prefixes or head.generation.max_new_tokens, or choose a model with more."
        )


def _prompts(
    questions: Sequence[str], model: LanguageModel, prompt: PromptSettings
) -> list[list[int]]:
    texts = [prompt.ask(question) for question in questions]
    if prompt.chat:
        if not model.tokenizer.chat_template:
            raise UserError(
                "head.prompt.chat=true: the tokenizer of this language model has no chat template. "
                "Set head.prompt.chat=false, or choose a model that was tuned to chat."
            )
        texts = [
            model.tokenizer.apply_chat_template(
                [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
            )
            for text in texts
        ]
    found = _plain(texts, model)
    opening = list(model.opening)
    # Some chat templates write the opening themselves; it stands before the prefix.
    return [one[len(opening) :] if one[: len(opening)] == opening else one for one in found]


def _answers(answers: Sequence[str], model: LanguageModel, *, spaced: bool) -> list[list[int]]:
    distinct = list(dict.fromkeys(answers))
    texts = [f" {answer}" if spaced else answer for answer in distinct]
    tokens = dict(zip(distinct, _plain(texts, model), strict=True))
    return [[*tokens[answer], model.end] for answer in answers]


def _plain(texts: Sequence[str], model: LanguageModel) -> list[list[int]]:
    """Tokens of texts, nothing added; the prompt and the answer are never merged into one."""
    if not texts:
        return []
    # Longer texts than the model reads are refused by check_room, not warned of here.
    found: list[list[int]] = model.tokenizer(list(texts), add_special_tokens=False, verbose=False)[
        "input_ids"
    ]
    return found
