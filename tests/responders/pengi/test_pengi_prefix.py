"""What GPT-2 continues: 40 vectors of the audio, then 40 of the prompt."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import gelu

from raqa.responders.pengi.decoding import Language
from raqa.responders.pengi.layers import Attention, Mapper, Projection
from raqa.responders.pengi.model import Pengi
from raqa.responders.pengi.network import LAYOUT
from tests.responders.pengi.small import SIZES, SmallPengi, noise, save

PROMPT, OTHER = "question: is there a cough?", "generate"


def test_the_audio_s_vectors_come_first(pengi: Pengi) -> None:
    prefix = pengi.prefix([noise(1), noise(1), noise(1, 1)], [PROMPT, OTHER, PROMPT])
    assert prefix.shape == (3, 80, SIZES.gpt_width)
    heard, read = prefix[:, :40], prefix[:, 40:]
    assert torch.allclose(heard[0], heard[1], atol=1e-5)
    assert torch.allclose(read[0], read[2], atol=1e-5)
    assert (heard[0] - heard[2]).abs().max() > 1e-2
    assert (read[0] - read[1]).abs().max() > 1e-2


def _mapped(pengi: Pengi, monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    """What the two mappers are given."""
    seen: dict[str, Tensor] = {}
    for name in ("audio_mapper", "prompt_mapper"):
        mapper = getattr(pengi.network, name)

        def spy(embedded: Tensor, name: str = name, map_: Any = mapper.forward) -> Tensor:
            seen[name] = embedded
            mapped: Tensor = map_(embedded)
            return mapped

        monkeypatch.setattr(mapper, "forward", spy)
    pengi.prefix([noise(1)], [PROMPT])
    return seen


def test_the_audio_s_embedding_has_length_1_and_the_prompt_s_has_not(
    pengi: Pengi, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _mapped(pengi, monkeypatch)
    assert seen["audio_mapper"].norm() == pytest.approx(1, abs=1e-5)
    assert seen["prompt_mapper"].norm() > 2


def test_a_prompt_is_pooled_at_its_first_end_token(pengi: Pengi) -> None:
    tower = pengi.network.prompt
    tokens = pengi.tokens.read([PROMPT])
    end = SIZES.clip_vocabulary - 1
    first = tokens[0].tolist().index(end)
    assert first < 39
    states = tower.base(input_ids=tokens).last_hidden_state[0]
    wanted = tower.projection(tower.clip_text_projection(states[first]))
    assert torch.allclose(tower(tokens)[0], wanted, atol=1e-5)
    changed = tokens.clone()
    changed[0, first + 1 :] = 3
    assert torch.allclose(tower(changed), tower(tokens), atol=1e-5)
    last = tower.projection(tower.clip_text_projection(states[39]))
    assert (last - wanted).abs().max() > 1e-2


def test_gpt2_sees_nothing_of_the_prompt_but_its_40_vectors(pengi: Pengi) -> None:
    prefix = pengi.prefix([noise(1)], [PROMPT])
    whole = pengi.network.language(inputs_embeds=prefix).last_hidden_state[:, -1]
    wanted = whole @ pengi.network.language.wte.weight.T
    assert torch.allclose(Language(pengi.network, prefix).logits, wanted, atol=1e-5)
    assert torch.allclose(pengi.logits([noise(1)], [PROMPT]), wanted, atol=1e-4)


def test_the_pretrained_parts_keep_their_own_activations(pengi: Pengi) -> None:
    assert pengi.network.prompt.base.config.hidden_act == "quick_gelu"
    assert pengi.network.language.config.activation_function == "gelu_new"
    assert pengi.network.language.config.layer_norm_epsilon == 1e-5
    assert pengi.network.prompt.base.config.layer_norm_eps == 1e-5


def test_a_mapper_s_last_vectors_are_the_prefix() -> None:
    mapper = Mapper(6, 8, 5, layers=0, heads=2)
    torch.nn.init.normal_(mapper.prefix_const)
    assert torch.equal(mapper(torch.ones(2, 6))[1], mapper.prefix_const)


def test_a_mapper_s_attention_has_keys_in_its_first_half() -> None:
    attention = Attention(8, 2)
    with torch.no_grad():
        attention.to_keys_values.weight[:8] = 0  # every position is attended alike
        inputs = torch.randn(1, 5, 8)
        values = attention.to_keys_values(inputs)[..., 8:]
        wanted = attention.project(values.mean(dim=1, keepdim=True)).expand(-1, 5, -1)
        assert torch.allclose(attention(inputs), wanted, atol=1e-5)


def test_a_projection_adds_its_second_layer_before_the_norm() -> None:
    projection = Projection(3, 4)
    inputs = torch.randn(2, 3)
    first = inputs @ projection.linear1.weight.T
    summed = first + gelu(first) @ projection.linear2.weight.T
    assert torch.allclose(projection(inputs), torch.layer_norm(summed, (4,)), atol=1e-5)


def test_one_recording_is_heard_once_for_all_its_questions(
    pengi: Pengi, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[int] = []
    tower = pengi.network.audio
    embed = tower.forward

    def spy(clips: Tensor) -> Tensor:
        heard.append(len(clips))
        return embed(clips)

    monkeypatch.setattr(tower, "forward", spy)
    one, other = noise(1), noise(1, 1)
    prefix = pengi.prefix([one, other, one], [PROMPT, PROMPT, OTHER])
    assert heard == [2]
    assert torch.equal(prefix[0, :40], prefix[2, :40])


@pytest.mark.parametrize(
    "table", ["audio.spectrogram.real", "audio.spectrogram.imaginary", "audio.spectrogram.mel"]
)
def test_the_tables_of_the_spectrogram_are_those_of_the_file(
    table: str, small: SmallPengi, pengi: Pengi, tmp_path: Any
) -> None:
    name = LAYOUT.rename(table)
    tensors = {**small.tensors, name: small.tensors[name] * 3}
    other = small.load(save(tensors, tmp_path / "other.pth"))
    given, usual = (one.logits([noise(1)], [PROMPT]) for one in (other, pengi))
    assert (given - usual).abs().max() > 1e-3
