"""HeAR computes what the published code computes; every choice in it is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torchaudio
from numpy.typing import NDArray

from raqa.encoders import hear as module
from raqa.encoders.hear import Hear
from raqa.encoders.hear_spectrogram import scale, stretch
from raqa.encoders.weights import fit
from raqa.errors import UserError

RATE = 16_000
INPUTS = ("cough2", "short07", "mid3", "long818", "long12", "silence2")


def _distance(given: NDArray[np.float32], golden: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(given - golden) / np.linalg.norm(golden))


@pytest.fixture(scope="module")
def encoder(parity_kit: Any) -> Iterator[Hear]:
    """HeAR with the kit's weights, 1.2 GB, let go of at the end of this file."""
    loaded = Hear(weights=str(parity_kit.checkpoint("hear")))
    yield loaded
    parity_kit.checkpoint("hear").unlink()


@pytest.fixture
def golden(parity_kit: Any) -> dict[str, NDArray[np.float32]]:
    arrays: dict[str, NDArray[np.float32]] = parity_kit.golden("hear")
    return arrays


@pytest.mark.parametrize("name", INPUTS)
def test_the_network_sees_what_the_reference_s_saw(
    name: str, parity_kit: Any, golden: dict[str, NDArray[np.float32]]
) -> None:
    clip = torch.from_numpy(parity_kit.first_2s(name))[None]
    image = module.HearSpectrogram()(scale(clip))[0, 0].numpy()
    tolerance = parity_kit.meta("hear")["tolerances"]["spec_max_abs"]
    assert np.abs(image - golden[f"spec.seed2.{name}"]).max() < tolerance


@pytest.mark.parametrize(
    "name", ["cough2", *(pytest.param(name, marks=pytest.mark.slow) for name in INPUTS[1:])]
)
def test_the_embedding_is_the_reference_s(
    name: str, encoder: Hear, parity_kit: Any, golden: dict[str, NDArray[np.float32]]
) -> None:
    tolerances = parity_kit.meta("hear")["tolerances"]
    tolerance = tolerances.get(f"emb_rel_l2_{name}", tolerances["emb_rel_l2"])
    given = encoder.embed([parity_kit.first_2s(name)], RATE)[0]
    assert _distance(given, golden[f"emb.seed2.{name}"]) < tolerance


@pytest.mark.slow
def test_only_the_scaling_over_a_whole_call_tells_the_reference_s_batches_from_ours(
    encoder: Hear, parity_kit: Any, golden: dict[str, NDArray[np.float32]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    clips = [parity_kit.first_2s(name) for name in ("cough2", "long818", "long12")]
    ours = encoder.embed(clips, RATE)
    monkeypatch.setattr(module, "scale", lambda clips: stretch(clips, clips.min(), clips.max()))
    theirs = encoder.embed(clips, RATE)
    assert all(map(lambda *pair: _distance(*pair) < 2e-5, theirs, golden["emb.batch3"]))
    assert 1e-3 < _distance(ours, golden["emb.batch3"]) < 0.1
    image = encoder.spectrogram(module.scale(torch.from_numpy(np.stack(clips))))
    assert np.abs(image[:, 0].numpy() - golden["spec.batch3"]).max() < 5e-4


@pytest.mark.slow
def test_frames_are_the_patch_tokens_after_the_last_norm(
    encoder: Hear, parity_kit: Any, golden: dict[str, NDArray[np.float32]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(encoder, "output", "frames")
    frames = encoder.embed([parity_kit.first_2s("cough2")], RATE)
    assert frames.shape == (1, 96, 1024)
    assert _distance(frames[0], golden["trace.last_hidden_state"][1:]) < 2e-5


def _image(clip: NDArray[np.float32], front_end: module.HearSpectrogram) -> NDArray[np.float32]:
    image: NDArray[np.float32] = front_end(module.scale(torch.from_numpy(clip)[None]))[0, 0].numpy()
    return image


def _slaney_bands(front_end: module.HearSpectrogram, _patch: pytest.MonkeyPatch) -> None:
    front_end.bands = torchaudio.functional.melscale_fbanks(201, 0, 8000, 128, RATE, None, "slaney")


def _logarithm(front_end: module.HearSpectrogram, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(front_end, "normalise", lambda energy: (energy + 1e-6).log())


def _windows_half_a_step_later(
    front_end: module.HearSpectrogram, patch: pytest.MonkeyPatch
) -> None:
    whole = front_end.forward
    patch.setattr(front_end, "forward", lambda scaled: whole(scaled.roll(-80, 1)))


def _padding_after_scaling(_front_end: module.HearSpectrogram, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module, "scale", lambda clips: scale(clips) * (clips != 0))


def _peak_scaling(_front_end: module.HearSpectrogram, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(module, "scale", lambda clips: clips / clips.abs().amax(1, keepdim=True))


@pytest.mark.parametrize(
    "spoil",
    [_slaney_bands, _logarithm, _windows_half_a_step_later, _padding_after_scaling, _peak_scaling],
)
def test_another_mel_scale_normalisation_or_padding_is_noticed(
    spoil: Callable[..., None], parity_kit: Any, golden: dict[str, NDArray[np.float32]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    clip, wanted = parity_kit.first_2s("short07"), golden["spec.seed2.short07"]
    tolerance = parity_kit.meta("hear")["tolerances"]["spec_max_abs"]
    front_end = module.HearSpectrogram()
    assert np.abs(_image(clip, front_end) - wanted).max() < tolerance
    spoil(front_end, monkeypatch)
    assert np.abs(_image(clip, front_end) - wanted).max() > 10 * tolerance


@pytest.mark.slow
@pytest.mark.parametrize("part", ["positions", "pooling", "activation"])
def test_other_positions_another_pooling_or_activation_is_noticed(
    part: str, encoder: Hear, parity_kit: Any, golden: dict[str, NDArray[np.float32]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    network: Any = encoder.network
    if part == "positions":  # laid out along mel first
        table = network.embeddings.position_embeddings
        grid = table[:, 1:].unflatten(1, (8, 12)).transpose(1, 2).flatten(1, 2)
        turned = torch.nn.Parameter(torch.cat([table[:, :1], grid], 1), requires_grad=False)
        monkeypatch.setitem(network.embeddings._parameters, "position_embeddings", turned)
    elif part == "pooling":
        pooler = network.pooler
        monkeypatch.setattr(pooler, "forward", lambda tokens: pooler.dense(tokens[:, 1:].mean(1)))
    else:
        for layer in network.layers:
            monkeypatch.setattr(layer.mlp.activation_fn, "forward", torch.nn.functional.gelu)
    given = encoder.embed([parity_kit.first_2s("short07")], RATE)[0]
    assert _distance(given, golden["emb.seed2.short07"]) > 1e-4


def test_what_the_network_sees_of_a_clip_does_not_depend_on_its_neighbours(parity_kit: Any) -> None:
    clips = torch.from_numpy(np.stack([parity_kit.first_2s(name) for name in INPUTS]))
    front_end = module.HearSpectrogram()
    together = front_end(scale(clips))
    for image, clip in zip(together, clips, strict=True):
        assert torch.allclose(image, front_end(scale(clip[None]))[0], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 8, 64])
def test_nor_does_an_embedding(size: int, encoder: Hear, parity_kit: Any) -> None:
    generator = np.random.default_rng(size)
    clips = generator.normal(0, 1, (size, 2 * RATE)) * generator.uniform(1e-4, 1, (size, 1))
    places = generator.permutation(size)[:3]
    clips[places] = [parity_kit.first_2s(name) for name in INPUTS[:3]]
    rows = encoder.embed(list(clips.astype(np.float32)), RATE)
    for place in places:
        alone = encoder.embed([clips[place].astype(np.float32)], RATE)[0]
        assert _distance(rows[place], alone) < 1e-4


def _published_shapes(parity_kit: Any) -> dict[str, torch.Tensor]:
    spec = json.loads((parity_kit.folder / "hear" / "params.json").read_text())["tensors"]
    return {one["name"]: torch.empty(one["shape"], device="meta") for one in spec}


@pytest.mark.parametrize("prefix", ["", "vit."])
def test_every_tensor_of_the_published_file_has_its_place(prefix: str, parity_kit: Any) -> None:
    tensors = {prefix + name: one for name, one in _published_shapes(parity_kit).items()}
    found = fit(Hear.skeleton(), tensors, Hear.layout)
    assert found.whole
    assert len(found.state) == 392


def test_a_tensor_that_is_missing_unexpected_or_misshaped_is_named(parity_kit: Any) -> None:
    tensors = _published_shapes(parity_kit)
    query = "encoder.layer.5.attention.attention.query.weight"
    tensors["decoder.weight"] = tensors.pop(query)
    tensors["pooler.dense.weight"] = torch.empty(1024, 1024, device="meta")
    found = fit(Hear.skeleton(), tensors, Hear.layout)
    assert found.missing == [query]
    assert found.unexpected == ["decoder.weight"]
    assert found.misshaped == [
        "pooler.dense.weight float32 [1024, 1024] (expected float32 [512, 1024])"
    ]


@pytest.mark.slow
def test_random_weights_are_said_to_be_and_leave_the_global_generator_alone() -> None:
    state = torch.get_rng_state()
    encoder = Hear(weights="random")
    assert torch.equal(torch.get_rng_state(), state)
    assert not encoder.weights_real
    clip = np.random.default_rng(0).normal(0, 0.1, 2 * RATE).astype(np.float32)
    rows = encoder.embed([clip], RATE)
    assert np.isfinite(rows).all()
    del encoder
    np.testing.assert_array_equal(rows, Hear(weights="random").embed([clip], RATE))


@pytest.mark.parametrize("samples", [31_999, 32_001])
def test_a_clip_of_another_length_is_refused_and_the_right_one_named(samples: int) -> None:
    with torch.device("meta"):
        encoder = Hear.__new__(Hear)
        torch.nn.Module.__init__(encoder)
    with pytest.raises(ValueError, match=f"Hear takes clips of 2 s at 16000 Hz, not {samples}"):
        encoder.forward(torch.zeros(1, samples))


def test_gated_weights_that_are_not_here_name_the_licence_page_and_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from raqa.download.http import FetchError
    from raqa.encoders.sources import HubFile

    def refuse(_source: HubFile) -> Path:
        raise FetchError("401 Client Error", access=True)

    monkeypatch.setattr(HubFile, "cached", lambda _source: None)
    monkeypatch.setattr(HubFile, "fetch", refuse)
    with pytest.raises(UserError) as caught:
        Hear(weights="hub")
    for part in ("https://huggingface.co/google/hear-pytorch", "hf auth login",
                 "raqa weights fetch hear"):  # fmt: skip
        assert part in str(caught.value)
