"""Linear heads and perceptrons: shapes, initialisation, dropout, each seed's from its streams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from torch import nn

from raqa.heads.mlp import MLPHead, StackedMLP

WIDTH = 12


def the_first(model: StackedMLP) -> nn.Sequential:
    """Seed 0's model as plain modules."""
    layers: list[nn.Module] = []
    for weight, bias in zip(model.weights, model.biases, strict=True):
        linear = nn.Linear(weight.shape[2], weight.shape[1])
        linear.weight.data, linear.bias.data = weight[0].data, bias[0, 0].data
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@pytest.mark.parametrize(
    ("hidden", "shapes"),
    [
        ((), [(1, WIDTH)]),
        ((5,), [(5, WIDTH), (1, 5)]),
        (("width",), [(WIDTH, WIDTH), (1, WIDTH)]),
        ((7, "width", 3), [(7, WIDTH), (WIDTH, 7), (3, WIDTH), (1, 3)]),
    ],
)
def test_hidden_layers_have_the_asked_units(
    hidden: Sequence[int | str], shapes: Sequence[tuple[int, int]]
) -> None:
    model = MLPHead(hidden=hidden).build(WIDTH, [3, 1])
    assert [tuple(weight.shape) for weight in model.weights] == [(2, *shape) for shape in shapes]
    assert model.seeds == (3, 1)


@pytest.mark.parametrize("hidden", [(), (5,), (5, 4)])
def test_it_computes_what_plain_layers_compute(hidden: tuple[int, ...]) -> None:
    model = MLPHead(hidden=hidden).build(WIDTH, [0, 1])
    inputs = torch.linspace(-2, 2, 2 * 9 * WIDTH).view(2, 9, WIDTH)
    expected = the_first(model)(inputs[0]).squeeze(1)
    assert model(inputs).shape == (2, 1, 9)
    assert torch.allclose(model(inputs)[0, 0], expected, atol=1e-6)


def test_it_has_as_many_outputs_as_asked() -> None:
    model = MLPHead(hidden=(5,)).build(WIDTH, [0, 1], outputs=3)
    inputs = torch.linspace(-2, 2, 2 * 9 * WIDTH).view(2, 9, WIDTH)
    assert model(inputs).shape == (2, 3, 9)
    assert torch.allclose(model(inputs)[0].T, the_first(model)(inputs[0]), atol=1e-6)


def test_it_is_initialised_as_a_linear_layer_is() -> None:
    model = MLPHead(hidden=(400,)).build(100, [0, 1])
    for parameter, bound in [
        (model.weights[0], 0.1),
        (model.biases[0], 0.1),
        (model.weights[1], 0.05),
    ]:
        assert parameter.abs().max() <= bound
        assert parameter.abs().max() > 0.98 * bound
        assert parameter.std().item() == pytest.approx(bound / 3**0.5, rel=0.05)


def test_a_seed_starts_the_same_alone_and_among_others() -> None:
    head = MLPHead(hidden=(5,))
    alone, among = head.build(WIDTH, [3]), head.build(WIDTH, [0, 3, 7])
    for one, many in zip(alone.parameters(), among.parameters(), strict=True):
        assert torch.equal(one[0], many[1])
        assert not torch.equal(many[0], many[1])


def test_dropout_is_each_seeds_own_and_only_in_training() -> None:
    head = MLPHead(hidden=(50,), dropout=0.3)
    alone, among = head.build(WIDTH, [3]), head.build(WIDTH, [0, 3])
    inputs = torch.ones(2, 8, WIDTH)
    # Two steps: the second mask goes on where the first one ended.
    for _ in range(2):
        outputs = among(inputs)
        assert torch.allclose(alone(inputs[:1])[0], outputs[1], atol=1e-6)
        assert outputs[1].std() > 0  # equal inputs, differing masks
    assert alone.eval()(inputs[:1]).std() < 1e-6


def test_dropout_drops_its_share_and_keeps_the_mean() -> None:
    model = MLPHead(hidden=(1000,), dropout=0.3).build(WIDTH, [0])
    factors = model._dropout_factors(torch.empty(1, 64, 1000))
    assert (factors == 0).float().mean() == pytest.approx(0.3, abs=0.01)
    assert factors.unique().tolist() == pytest.approx([0, 1 / 0.7])


@pytest.mark.parametrize("activation", ["relu", "gelu", "tanh"])
def test_every_activation_is_another_model(activation: str) -> None:
    inputs = torch.linspace(-2, 2, WIDTH).view(1, 1, WIDTH)
    relu = MLPHead(hidden=(5,)).build(WIDTH, [0])(inputs)
    other = MLPHead(hidden=(5,), activation=activation).build(WIDTH, [0])(inputs)
    assert torch.equal(relu, other) == (activation == "relu")


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden": (0,)},
        {"hidden": ("wide",)},
        {"dropout": 1.0},
        {"dropout": -0.1},
        {"activation": "relus"},
        {"units": 5},
    ],
)
def test_a_wrong_setting_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        MLPHead(**wrong)


def test_building_neither_reads_nor_moves_a_global_generator() -> None:
    head = MLPHead(hidden=("width",), dropout=0.3)
    built = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        model = head.build(WIDTH, [0, 1])
        model(torch.ones(2, 4, WIDTH))
        assert torch.equal(torch.get_rng_state(), before)
        built.append(model)
    for one, other in zip(built[0].parameters(), built[1].parameters(), strict=True):
        assert torch.equal(one, other)


def test_weights_survive_versions() -> None:
    """Numbers published with a seed must come again: these are part of the contract."""
    model = MLPHead().build(3, [0])
    assert np.allclose(model.weights[0].detach().numpy(), [0.0564, -0.2514, 0.0443], atol=1e-4)
