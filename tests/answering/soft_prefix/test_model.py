"""One seed's model: what its loss is of, what it writes, and what of it can change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from raqa.answering.soft_prefix.batches import Batch, Collate
from raqa.answering.soft_prefix.language_model import LanguageModel
from raqa.answering.soft_prefix.model import SoftPrefixModel
from raqa.answering.soft_prefix.settings import (
    GenerationSettings,
    LoraSettings,
    PromptSettings,
)
from raqa.answering.soft_prefix.tokens import Tokens, tokenise
from raqa.errors import UserError
from raqa.training.scaling import Scaling
from soft_prefix.tiny import MAPPER, pairs

AS_IT_IS = Scaling(np.zeros(6), np.ones(6), 0.0, 1.0)
PREFIXES = 3
SIDE = pairs(4, 0)


def _model(language: LanguageModel, rank: int = 0) -> SoftPrefixModel:
    model = SoftPrefixModel(language, MAPPER, LoraSettings(rank=rank), PREFIXES, (1, 6))
    model.initialise(0)
    return model.eval()


def _batch(language: LanguageModel, tokens: Tokens, rows: Sequence[int]) -> Batch:
    audio = SIDE.audio[:, None]
    collate = Collate(tokens, audio, scaling=AS_IT_IS, model=language, prefixes=PREFIXES)
    return collate(rows)


def test_the_loss_is_that_of_the_answer_after_opening_prefix_and_question(
    language: LanguageModel,
) -> None:
    model, tokens = _model(language), tokenise(SIDE.rows, language, PromptSettings())
    embed = language.network.get_input_embeddings()
    by_hand = []
    for row in range(8):
        heard = model.mapper(torch.from_numpy(SIDE.audio[None, row // 2 : row // 2 + 1]))[0]
        prompt, answer = list(tokens.prompts[row]), list(tokens.answers[row])
        opening = torch.tensor(language.opening, dtype=torch.long)
        whole = torch.cat([embed(opening), heard, embed(torch.tensor(prompt + answer))])
        logs = language.network(inputs_embeds=whole[None]).logits[0].log_softmax(1)
        first = len(whole) - len(answer)
        said = [logs[first + place - 1, token] for place, token in enumerate(answer)]
        by_hand.append(-torch.stack(said).mean().item())
    losses = model(_batch(language, tokens, range(8)))
    assert losses.tolist() == pytest.approx(by_hand, abs=1e-5)


def test_the_question_and_the_audio_change_the_loss_but_carry_none(
    language: LanguageModel,
) -> None:
    model, tokens = _model(language), tokenise(SIDE.rows, language, PromptSettings())
    batch = _batch(language, tokens, range(8))
    losses = model(batch)
    assert not torch.allclose(model(batch._replace(audio=-batch.audio)), losses)
    # Question tokens are read, so that another one changes the loss; but they are not scored.
    assert int(batch.scored.sum()) == sum(map(len, tokens.answers))


@pytest.mark.parametrize("beams", [1, 3])
def test_the_filling_on_the_left_changes_no_text(language: LanguageModel, beams: int) -> None:
    model, tokens = _model(language, 4), tokenise(SIDE.asked.rows, language, PromptSettings())
    settings = GenerationSettings(max_new_tokens=12, beams=beams)
    together = model.answer(_batch(language, tokens, range(8)), settings)
    alone = [model.answer(_batch(language, tokens, [row]), settings)[0] for row in range(8)]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.probability for one in together] == pytest.approx(
        [one.probability for one in alone], rel=1e-4
    )


@pytest.mark.parametrize("beams", [1, 3])
def test_the_probability_is_that_of_the_text_with_its_end(
    language: LanguageModel, beams: int
) -> None:
    model, asked = _model(language), tokenise(SIDE.asked.rows, language, PromptSettings())
    settings = GenerationSettings(max_new_tokens=12, beams=beams)
    with torch.no_grad():  # some answers end, some are cut off
        language.network.get_output_embeddings().weight[language.end] *= 3
    written = model.answer(_batch(language, asked, range(8)), settings)
    said = [one.tokens for one in written]
    ends = [tokens[-1] == language.end for tokens in said]
    assert any(ends)
    assert all(end or len(tokens) == 12 for end, tokens in zip(ends, said, strict=True))
    learnt = Tokens(asked.audio_rows, asked.prompts, said)
    losses = model(_batch(language, learnt, range(8))).tolist()
    expected = [np.exp(-loss * len(one)) for loss, one in zip(losses, said, strict=True)]
    assert [one.probability for one in written] == pytest.approx(expected, rel=1e-3)


def test_greedy_takes_the_most_probable_token_and_beams_find_at_least_as_probable_texts(
    language: LanguageModel,
) -> None:
    model, tokens = _model(language), tokenise(SIDE.asked.rows, language, PromptSettings())
    batch = _batch(language, tokens, range(8))
    greedy, beam = (
        sum(
            np.log(one.probability)
            for one in model.answer(batch, GenerationSettings(max_new_tokens=4, beams=beams))
        )
        for beams in (1, 8)
    )
    assert beam > greedy - 1e-6


def test_no_answer_is_longer_than_allowed(language: LanguageModel) -> None:
    model, tokens = _model(language), tokenise(SIDE.asked.rows, language, PromptSettings())
    batch = _batch(language, tokens, range(8))
    for allowed in (1, 5):
        answers = model.answer(batch, GenerationSettings(max_new_tokens=allowed))
        assert max(len(one.text.split()) for one in answers) == allowed


def test_without_lora_only_the_mapper_is_trained(language: LanguageModel) -> None:
    assert {name.split(".")[0] for name in _model(language).trained} == {"mapper"}


def test_with_lora_its_layers_are_trained_too_and_nothing_else(language: LanguageModel) -> None:
    frozen = {name for name, _ in language.network.named_parameters()}
    model = _model(language, 4)
    of_network = {name for name in model.trained if not name.startswith("mapper.")}
    assert of_network
    assert all("lora_" in name for name in of_network)
    assert not {name.removeprefix("network.") for name in of_network} & frozen


def test_lora_begins_as_no_change_from_the_seed_s_own_generator(language: LanguageModel) -> None:
    tokens = tokenise(SIDE.rows, language, PromptSettings())
    plain = _model(language)(_batch(language, tokens, range(8)))
    before = torch.get_rng_state()
    model = _model(language, 4)
    assert torch.equal(torch.get_rng_state(), before)
    assert model(_batch(language, tokens, range(8))).tolist() == pytest.approx(plain.tolist())
    first = model.trained_arrays()
    model.initialise(1)
    assert not np.array_equal(first["mapper.network.layers.0.weight"],
                              model.trained_arrays()["mapper.network.layers.0.weight"])  # fmt: skip
    model.initialise(0)
    assert all((array == model.trained_arrays()[name]).all() for name, array in first.items())


def test_the_language_model_s_own_dropout_stays_off(language: LanguageModel) -> None:
    model, tokens = _model(language, 4), tokenise(SIDE.rows, language, PromptSettings())
    batch = _batch(language, tokens, range(8))
    still = model(batch)
    model.train()
    model.source.begin(0, torch.device("cpu"), 0)
    for layer in model.network.modules():
        if hasattr(layer, "lora_dropout"):
            layer.lora_dropout["default"].probability = 0.0
    assert torch.equal(model(batch), still)


@pytest.mark.parametrize(
    ("given", "message"),
    [("c_atn", r"there is no c_atn. Did you mean c_attn\?"), ("nowhere", "Choices: c_attn")],
)
def test_layers_that_are_not_there_are_refused(
    given: str, message: str, language: LanguageModel
) -> None:
    if language.network.config.model_type == "llama":
        given, message = "q_prj", r"there is no q_prj. Did you mean q_proj"
    with pytest.raises(UserError, match=message):
        SoftPrefixModel(language, MAPPER, LoraSettings(4, target_modules=(given,)), 1, (1, 6))
