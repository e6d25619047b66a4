"""M2D computes what the published code computes; every choice in it is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torchaudio
from numpy.typing import NDArray
from torch.nn import functional

from raqa.encoders.m2d import M2D
from raqa.encoders.weights import fit
from raqa.errors import UserError

RATE = 16_000
INPUTS = ("cough2", "short07", "mid3", "long818", "long12", "silence2")
TOLERANCE = 2e-5  # relative L2 of an embedding, as the kit's meta.json has it

Golden = dict[str, NDArray[np.float32]]


def _distance(given: NDArray[np.float32], golden: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(given - golden) / np.linalg.norm(golden))


@pytest.fixture(scope="module")
def encoder(parity_kit: Any) -> M2D:
    return M2D(weights=str(parity_kit.checkpoint("m2d")))


@pytest.fixture(scope="module")
def golden(parity_kit: Any) -> Golden:
    assert parity_kit.meta("m2d")["tolerances"]["emb_rel_l2"] == TOLERANCE
    arrays: Golden = parity_kit.golden("m2d")
    return arrays


def _clip(parity_kit: Any, variant: str, name: str) -> NDArray[np.float32]:
    clip: NDArray[np.float32] = (
        parity_kit.waves[name] if variant == "full" else parity_kit.first_2s(name)
    )
    return clip


@pytest.mark.parametrize("variant", ["seed2", "full"])
@pytest.mark.parametrize("name", INPUTS)
def test_the_network_sees_what_the_reference_s_saw(
    name: str, variant: str, encoder: M2D, parity_kit: Any, golden: Golden
) -> None:
    clip = torch.from_numpy(_clip(parity_kit, variant, name))
    levels = encoder.spectrogram(clip[None])[0].numpy()
    assert levels.shape == golden[f"spec.{variant}.{name}"].shape
    assert np.abs(levels - golden[f"spec.{variant}.{name}"]).max() < 1e-4


SLOW = [(variant, name) for variant in ("seed2", "full") for name in INPUTS]
SLOW = [case for case in SLOW if case not in {("seed2", "cough2"), ("full", "long818")}]


@pytest.mark.parametrize(
    ("variant", "name"),
    [("seed2", "cough2"), ("full", "long818"),
     *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)],
)  # fmt: skip
def test_the_embedding_is_the_reference_s(
    variant: str, name: str, encoder: M2D, parity_kit: Any, golden: Golden
) -> None:
    given = encoder.embed([_clip(parity_kit, variant, name)], RATE)[0]
    assert _distance(given, golden[f"emb.{variant}.{name}"]) < TOLERANCE


@pytest.mark.parametrize(("variant", "name"), [("seed2", "cough2"), ("full", "short07")])
def test_frames_are_the_reference_s_time_steps(
    variant: str, name: str, encoder: M2D, parity_kit: Any, golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(encoder, "output", "frames")
    frames = encoder.embed([_clip(parity_kit, variant, name)], RATE)[0]
    assert frames.shape == golden[f"frames.{variant}.{name}"].shape
    assert _distance(frames, golden[f"frames.{variant}.{name}"]) < TOLERANCE


def test_flat_features_are_the_mean_over_all_patches(parity_kit: Any, golden: Golden) -> None:
    encoder = M2D(weights=str(parity_kit.checkpoint("m2d")), features="flat")
    given = encoder.embed([parity_kit.first_2s("cough2")], RATE)[0]
    assert given.shape == (encoder.width,) == (768,)
    assert _distance(given, golden["emb.seed2_flat.cough2"]) < TOLERANCE


def test_a_checkpoint_without_statistics_needs_them_named(
    parity_kit: Any, golden: Golden, tmp_path: Path
) -> None:
    tensors = parity_kit.tensors("m2d")
    del tensors["norm_stats"]
    torch.save({"model": tensors}, path := tmp_path / "checkpoint-300.pth")
    with pytest.raises(UserError, match=r"holds no norm_stats.*norm_stats=\[-7.1,4.2\]"):
        M2D(weights=str(path))
    encoder = M2D(weights=str(path), norm_stats=(-7.1, 4.2))
    clip = parity_kit.first_2s("cough2")
    levels = encoder.spectrogram(torch.from_numpy(clip)[None])[0].numpy()
    assert np.abs(levels - golden["spec.seed2_nostats.cough2"]).max() < 1e-4
    assert _distance(encoder.embed([clip], RATE)[0], golden["emb.seed2_nostats.cough2"]) < TOLERANCE


@pytest.mark.parametrize("prefix", ["", "backbone.", "module.ar.runtime.backbone."])
def test_the_prefixes_of_training_code_are_known(prefix: str, parity_kit: Any) -> None:
    tensors = {prefix + name: tensor for name, tensor in parity_kit.tensors("m2d").items()}
    found = fit(M2D.skeleton(), tensors, M2D.layout)
    assert found.whole
    assert len(found.state) == 151


def _htk_mel(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    other = torchaudio.transforms.MelSpectrogram(
        RATE, 400, 400, 160, 50.0, 8000.0, n_mels=80, norm="slaney", mel_scale="htk"
    )
    patch.setitem(encoder._modules, "mel", other)


def _zeros_at_the_edges(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(encoder.mel.spectrogram, "pad_mode", "constant")


def _usual_statistics(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    held = encoder.network.norm_stats
    patch.setitem(encoder.network._buffers, "norm_stats", torch.tensor([-7.1, 4.2]).to(held))


def _padding_to_a_fixed_length(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    whole = encoder.network.forward
    patch.setattr(
        encoder.network, "forward", lambda x: whole(functional.pad(x, (0, 160 - x.shape[2])))
    )


def _partial_step_dropped(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    whole = encoder.network.forward
    patch.setattr(encoder.network, "forward", lambda x: whole(x[:, :, : x.shape[2] // 16 * 16]))


def _first_positions_of_the_table(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    table = encoder.network.vit.pos_embed
    steps = 5  # of the clip of 0.7 s
    grid = torch.zeros_like(table[:, 1:]).unflatten(1, (5, 38))
    grid[:, :, :steps] = table[:, 1 : 1 + 5 * steps].unflatten(1, (5, steps))
    other = torch.nn.Parameter(torch.cat([table[:, :1], grid.flatten(1, 2)], 1), False)
    patch.setitem(encoder.network.vit._parameters, "pos_embed", other)


def _bands_from_high_to_low(encoder: M2D, patch: pytest.MonkeyPatch) -> None:
    whole = encoder.network.forward
    patch.setattr(encoder.network, "forward", lambda x: whole(x).flip(1))


@pytest.mark.parametrize(
    "spoil",
    [_htk_mel, _zeros_at_the_edges, _usual_statistics, _padding_to_a_fixed_length,
     _partial_step_dropped, _first_positions_of_the_table, _bands_from_high_to_low],
)  # fmt: skip
def test_another_mel_scale_normalisation_padding_positions_or_pooling_is_noticed(
    spoil: Callable[..., None], encoder: M2D, parity_kit: Any, golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        spoil(encoder, patch)
        spoilt = encoder.embed([parity_kit.waves["short07"]], RATE)[0]
    assert _distance(spoilt, golden["emb.full.short07"]) > 100 * TOLERANCE


@pytest.mark.parametrize("size", [3, 8, pytest.param(64, marks=pytest.mark.slow)])
def test_an_embedding_does_not_depend_on_its_neighbours(
    size: int, encoder: M2D, parity_kit: Any
) -> None:
    generator = np.random.default_rng(size)
    clips = generator.normal(0, 1, (size, RATE)) * generator.uniform(1e-4, 1, (size, 1))
    places = generator.permutation(size)[:2]
    clips[places] = [parity_kit.waves[name][:RATE] for name in ("cough2", "mid3")]
    rows = encoder.embed(list(clips.astype(np.float32)), RATE)
    for place in places:
        alone = encoder.embed([clips[place].astype(np.float32)], RATE)[0]
        assert _distance(rows[place], alone) < 1e-4


def test_clips_of_different_lengths_are_embedded_as_they_are_alone(
    encoder: M2D, parity_kit: Any
) -> None:
    clips = [parity_kit.waves["short07"][:length] for length in (8_000, 4_000, 8_000)]
    rows = encoder.embed(clips, RATE)
    assert _distance(rows[1], encoder.embed([clips[1]], RATE)[0]) < 1e-6
    np.testing.assert_array_equal(rows[0], rows[2])


def test_settings_and_weights_are_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(encoder: M2D, weights: str) -> Any:
        encoder.weights = weights
        network: Any = M2D.build_network()
        network.norm_stats.fill_(1.0)
        return network

    monkeypatch.setattr(M2D, "load_network", load)
    encoders = [
        M2D("random"), M2D("abcd"), M2D("random", output="frames"), M2D("random", features="flat"),
        M2D("random", norm_stats=(-6.5, 3.75)),
    ]  # fmt: skip
    assert len({encoder.fingerprint for encoder in encoders}) == 5
    assert M2D("random").fingerprint == encoders[0].fingerprint


def test_random_weights_are_said_to_be_and_leave_the_global_generator_alone() -> None:
    state, numpy_state = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = M2D(weights="random"), M2D(weights="random")
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002
    assert not first.weights_real
    clip = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    rows = first.embed([clip], RATE)
    assert np.isfinite(rows).all()
    np.testing.assert_array_equal(rows, second.embed([clip], RATE))


def test_a_renamed_missing_or_misshaped_tensor_is_refused_by_name(
    parity_kit: Any, tmp_path: Path
) -> None:
    tensors = parity_kit.tensors("m2d")
    tensors["blocks.3.attn.proj.weights"] = tensors.pop("blocks.3.attn.proj.weight")
    tensors["norm.bias"] = tensors["norm.bias"][:-1]
    torch.save(tensors, path := tmp_path / "checkpoint.pth")
    with pytest.raises(UserError) as caught:
        M2D(weights=str(path))
    for part in ("1 missing (blocks.3.attn.proj.weight)", "1 unexpected", "proj.weights",
                 "norm.bias float32 [767] (expected float32 [768])"):  # fmt: skip
        assert part in str(caught.value)


def test_a_clip_too_short_or_of_another_rate_is_refused_and_the_right_one_named(
    encoder: M2D,
) -> None:
    with pytest.raises(ValueError, match=r"at least 0\.025 s, not 0\.0249375 s"):
        encoder.embed([np.zeros(399, np.float32)], RATE)
    with pytest.raises(ValueError, match="at 16000 Hz, not 44100 Hz"):
        encoder.embed([np.zeros(RATE, np.float32)], 44_100)
    assert encoder.embed([np.zeros(400, np.float32)], RATE).shape == (1, 3840)
