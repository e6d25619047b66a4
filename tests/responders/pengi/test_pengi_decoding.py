"""Beam search by mean log-probability, as Pengi's authors do it, for several items at once."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from raqa.errors import UserError
from raqa.responders.pengi.decoding import Beam, search
from raqa.responders.pengi.model import Pengi
from raqa.responders.pengi.network import PengiNetwork
from tests.responders.pengi.small import SIZES, noise

LENGTH = 7
NEVER = -1


@pytest.fixture(scope="module")
def prefix(pengi: Pengi) -> Tensor:
    """Vectors of 80 words for each of three items; their texts differ."""
    made: Tensor = torch.randn(3, 80, SIZES.gpt_width, generator=torch.Generator().manual_seed(3))
    return made


def plainly(
    network: PengiNetwork, prefix: Tensor, beams: int, temperature: float, most: int, stop: int
) -> list[Beam]:
    """The same search for one item, without side by side and without anything kept.

    A beam is its tokens and the sum of their log-probabilities.
    """
    kept: list[tuple[list[int], float]] = [([], 0.0)]
    for _ in range(most):
        ended = [tokens[-1:] == [stop] for tokens, _ in kept]
        if all(ended):
            break
        candidates = [one for one, end in zip(kept, ended, strict=True) if end]
        for tokens, total in (one for one, end in zip(kept, ended, strict=True) if not end):
            words = network.language.wte(torch.tensor(tokens, dtype=torch.long))
            states = network.language(inputs_embeds=torch.cat([prefix, words])[None])
            logits = network.word_scores(states.last_hidden_state[0, -1])
            added = (logits / temperature).softmax(dim=0).log()
            best = added.topk(beams)
            candidates += [
                ([*tokens, token], total + value)
                for token, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
            ]
        kept = sorted(candidates, key=lambda one: -one[1] / len(one[0]))[:beams]
    found = [Beam(tuple(tokens), total / len(tokens)) for tokens, total in kept]
    return sorted(found, key=lambda beam: -beam.score)


@pytest.mark.parametrize("place", [None, 0, 2], ids=["no_end", "ends_at_once", "ends_later"])
@pytest.mark.parametrize("beams", [1, 3])
# Where one token is nearly certain, a beam that has ended could go on with it at no cost.
@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.05])
def test_the_search_is_the_plain_one_for_every_item(
    temperature: float, beams: int, place: int | None, pengi: Pengi, prefix: Tensor
) -> None:
    network = pengi.network
    stop = NEVER
    if place is not None:
        stop = plainly(network, prefix[0], beams, temperature, LENGTH, NEVER)[-1].tokens[place]
    found = search(
        network, prefix, beams=beams, temperature=temperature, max_new_tokens=LENGTH, stop=stop
    )
    assert len(found) == len(prefix)
    for given, one in zip(found, prefix, strict=True):
        wanted = plainly(network, one, beams, temperature, LENGTH, stop)
        assert [beam.tokens for beam in given] == [beam.tokens for beam in wanted]
        assert [beam.score for beam in given] == pytest.approx(
            [beam.score for beam in wanted], abs=1e-4
        )


def test_a_text_ends_with_its_stop_token_and_nothing_follows(pengi: Pengi, prefix: Tensor) -> None:
    network = pengi.network
    (first, *_), *_ = search(network, prefix, beams=1, temperature=1, max_new_tokens=5, stop=NEVER)
    stop = first.tokens[1]
    assert stop != first.tokens[0]
    (ended, *_), *others = search(
        network, prefix, beams=1, temperature=1, max_new_tokens=5, stop=stop
    )
    assert ended.tokens == first.tokens[:2]
    assert max(len(beams[0].tokens) for beams in others) == 5  # the others went on


def test_the_end_of_text_of_gpt2_ends_nothing(
    pengi: Pengi, prefix: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = pengi.network.word_scores

    def only(token: int) -> None:
        def one(states: Tensor) -> Tensor:
            logits = scores(states)
            logits[:, token] += 100
            return logits

        monkeypatch.setattr(pengi.network, "word_scores", one)

    only(50_256)
    (greedy,) = pengi.generate([noise(1)], ["a"], beams=1, max_new_tokens=4)
    assert greedy[0].tokens == (50_256,) * 4
    only(220)
    (greedy,) = pengi.generate([noise(1)], ["a"], beams=1, max_new_tokens=4)
    assert (greedy[0].tokens, greedy[0].text) == ((220,), " ")


def test_texts_come_best_first_with_their_own_scores(pengi: Pengi) -> None:
    for texts in pengi.generate([noise(1), noise(1, 1)], ["a", "b"], max_new_tokens=4):
        scores = [text.score for text in texts]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)
        assert all(text.text == pengi.tokens.write(text.tokens) for text in texts)


def test_batches_do_not_change_what_is_written(pengi: Pengi) -> None:
    sounds = [noise(1, seed) for seed in range(3)]
    prompts = ["a", "b", "a cough?"]
    together = pengi.generate(sounds, prompts, max_new_tokens=4)
    alone = pengi.generate(sounds, prompts, max_new_tokens=4, batch_size=1)
    pairs = [
        (one.tokens, other.tokens)
        for texts in zip(together, alone, strict=True)
        for one, other in zip(*texts, strict=True)
    ]
    assert len(pairs) == 9
    assert all(one == other for one, other in pairs)
    assert pengi.generate([], []) == []


def test_the_defaults_are_the_paper_s(pengi: Pengi, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, object]] = []

    def spy(network: PengiNetwork, prefix: Tensor, **settings: object) -> list[tuple[Beam, ...]]:
        asked.append((len(prefix), settings))
        return [(Beam((220,), 0.0),)] * len(prefix)

    monkeypatch.setattr("raqa.responders.pengi.model.search", spy)
    pengi.generate([noise(1)] * 9, ["a"] * 9)
    paper = {"beams": 3, "temperature": 1.0, "max_new_tokens": 30, "stop": 220}
    assert asked == [(8, paper), (1, paper)]


def test_settings_out_of_range_are_reported_together(pengi: Pengi) -> None:
    with pytest.raises(UserError) as raised:
        pengi.generate([], [], beams=0, temperature=0, max_new_tokens=49, batch_size=-1)
    assert [problem.split(":")[0] for problem in raised.value.problems] == [
        "responder.beams=0",
        "responder.max_tokens=49",  # 128 positions, 80 of them taken
        "responder.batch_size=-1",
        "responder.temperature=0",
    ]


def test_waveforms_and_prompts_pair_up(pengi: Pengi) -> None:
    with pytest.raises(ValueError, match="1 waveforms and 2 prompts"):
        pengi.generate([noise(1)], ["a", "b"])
