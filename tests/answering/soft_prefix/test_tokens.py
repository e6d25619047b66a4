"""What the language model reads: the question as text, the answer with its end."""

from __future__ import annotations

import polars as pl
import pytest

from raqa.answering.base import AUDIO_ROW
from raqa.answering.soft_prefix.language_model import LanguageModel, load_language_model
from raqa.answering.soft_prefix.settings import LanguageModelSettings, PromptSettings
from raqa.answering.soft_prefix.tokens import check_room, tokenise
from raqa.errors import UserError
from soft_prefix.tiny import CHAT, pairs


def _rows(question: str, answer: str | None = None) -> pl.DataFrame:
    row = {"question": question, AUDIO_ROW: 0}
    return pl.DataFrame([row if answer is None else {**row, "answer": answer}])


def _text(language: LanguageModel, tokens: object) -> str:
    return str(language.tokenizer.decode(tokens))


def test_the_prompt_holds_the_question_and_the_answer_ends(language: LanguageModel) -> None:
    tokens = tokenise(_rows("what is the cough ?", "It is dry ."), language, PromptSettings())
    (prompt,), (answer,) = tokens.prompts, tokens.answers
    assert _text(language, prompt) == "Question : what is the cough ? Answer :"
    assert _text(language, answer[:-1]) == "It is dry ."
    assert answer[-1] == language.end


def test_a_begin_token_is_the_language_model_s_own_habit(language: LanguageModel) -> None:
    begins = language.network.config.model_type == "llama"
    assert language.opening == ((1,) if begins else ())
    tokens = tokenise(_rows("what ?"), language, PromptSettings())
    assert 1 not in tokens.prompts[0]  # it stands before the prefix, not after it


def test_a_missing_padding_token_is_made_up_for(language: LanguageModel) -> None:
    assert language.padding == (2 if language.tokenizer.pad_token_id == 2 else language.end)


def test_what_is_asked_has_no_answer_in_it(language: LanguageModel) -> None:
    tokens = tokenise(pairs(3, 0).asked.rows, language, PromptSettings())
    assert tokens.answers == [[]] * 6


def test_a_chat_template_is_used_if_asked_for(
    tiny_models: dict[str, LanguageModelSettings],
) -> None:
    language, chat = load_language_model(tiny_models["llama"]), PromptSettings("{question}", True)
    with pytest.raises(UserError, match="no chat template"):
        tokenise(_rows("what ?"), language, chat)
    language.tokenizer.chat_template = CHAT
    tokens = tokenise(_rows("what ?", "It"), language, chat)
    # "user" is no word of this tokenizer; the begin token stands before the prefix.
    assert _text(language, tokens.prompts[0]) == "<unknown> what ? Answer :"


def test_questions_without_room_are_counted_and_refused(language: LanguageModel) -> None:
    rows = pl.concat([_rows("what is this ?"), _rows("cough " * 30)])
    tokens = tokenise(rows, language, PromptSettings())
    check_room(tokens, language, before=3, after=27)  # 3 + 34 + 27 are the 64 that it has
    with pytest.raises(UserError, match="1 of 2 questions need more positions.* 64: .* needs 65"):
        check_room(tokens, language, before=4, after=27)
