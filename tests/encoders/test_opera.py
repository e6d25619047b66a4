"""The three OPERA encoders compute what the published code computes; every choice is needed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torchaudio
from numpy.typing import NDArray

from raqa.encoders.opera import OperaEncoder
from raqa.encoders.opera_ce import OperaCE
from raqa.encoders.opera_ct import OperaCT
from raqa.encoders.opera_gt import OperaGT
from raqa.errors import UserError

RATE = 16_000
INPUTS = ("cough2", "short07", "mid3", "long818", "long12", "silence2")
KINDS: dict[str, type[OperaEncoder]] = {
    "opera_ct": OperaCT,
    "opera_ce": OperaCE,
    "opera_gt": OperaGT,
}
# The kit's variants: whether the clip is cut to two seconds first, and the setting here.
_CONTRASTIVE = {
    "seed2": (True, "none"),
    "seed2_up": (True, "upstream_2s"),
    "up2": (False, "upstream_2s"),
    "up8": (False, "upstream_8s"),
    "up8_pad0": (False, "upstream_8s_zeros"),
}
VARIANTS = {
    "opera_ct": _CONTRASTIVE,
    "opera_ce": _CONTRASTIVE,
    "opera_gt": {
        "seed2_wavpad": (True, "waveform_8s"),
        "seed2_specpad": (True, "spectrogram_8s"),
        "seed2_nopad": (True, "none"),
        "seed2_up": (True, "upstream"),
        "up818": (False, "upstream"),
    },
}
CASES = [(e, v, i) for e, variants in VARIANTS.items() for v in variants for i in INPUTS]
DEFAULTS = {"opera_ct": "seed2", "opera_ce": "seed2", "opera_gt": "seed2_wavpad"}

Make = Callable[..., OperaEncoder]


@pytest.fixture(scope="module")
def make(parity_kit: Any) -> Make:
    """An encoder with the kit's weights, made once for each padding."""
    made: dict[tuple[str, str, bool, str], OperaEncoder] = {}

    def one(name: str, padding: str, two_seconds: bool = True, output: str = "vector") -> Any:
        key = (name, padding, two_seconds, output)
        if key not in made:
            window = 2.0 if two_seconds else None
            weights = str(parity_kit.checkpoint(name))
            made[key] = KINDS[name](weights, window, padding, output)  # type: ignore[arg-type]
        return made[key]

    return one


def _clip(kit: Any, name: str, two_seconds: bool) -> NDArray[np.float32]:
    clip: NDArray[np.float32] = kit.first_2s(name) if two_seconds else kit.waves[name]
    return clip


def _distance(given: NDArray[np.float32], golden: NDArray[np.float32]) -> float:
    difference = given.astype(np.float64) - golden
    return float(np.linalg.norm(difference) / np.linalg.norm(golden.astype(np.float64)))


def _seen(encoder: Any, clip: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the network sees: [pieces, frames, 64]."""
    wave = torch.from_numpy(clip)
    whole = encoder.padding in {"none", "waveform_8s", "spectrogram_8s"}
    pieces = [wave] if whole else encoder.clips_heard(wave)
    show = getattr(encoder, "spectrograms", encoder.spectrogram)
    with torch.inference_mode():
        return torch.cat([show(piece[None]) for piece in pieces]).numpy()


def _mark(case: tuple[str, str, str]) -> Any:
    encoder, variant, name = case
    quick = name in {"cough2", "short07"} and (
        encoder == "opera_ce" or variant == DEFAULTS[encoder]
    )
    return pytest.param(*case, marks=[] if quick else [pytest.mark.slow])


@pytest.mark.parametrize(("name", "variant", "wave"), CASES)
def test_the_network_sees_what_the_reference_s_saw(
    name: str, variant: str, wave: str, make: Make, parity_kit: Any
) -> None:
    two_seconds, padding = VARIANTS[name][variant]
    golden = parity_kit.golden(name)[f"spec.{variant}.{wave}"]
    seen = _seen(make(name, padding, two_seconds), _clip(parity_kit, wave, two_seconds))
    assert seen.reshape(golden.shape).shape == golden.shape
    tolerance = parity_kit.meta(name)["tolerances"]["spec_max_abs"]
    assert np.abs(seen.reshape(golden.shape) - golden).max() < tolerance


@pytest.mark.parametrize(("name", "variant", "wave"), [_mark(case) for case in CASES])
def test_the_embedding_is_the_reference_s(
    name: str, variant: str, wave: str, make: Make, parity_kit: Any
) -> None:
    two_seconds, padding = VARIANTS[name][variant]
    encoder = make(name, padding, two_seconds)
    given = encoder.embed([_clip(parity_kit, wave, two_seconds)], RATE)[0]
    golden = parity_kit.golden(name)[f"emb.{variant}.{wave}"]
    assert given.shape == golden.shape == (encoder.width,)
    assert _distance(given, golden) < parity_kit.meta(name)["tolerances"]["emb_rel_l2"]


def _htk_mel(encoder: Any) -> None:
    encoder.spectrogram.mel = torchaudio.functional.melscale_fbanks(
        513, 50.0, 8000.0, 64, RATE, norm="slaney", mel_scale="htk"
    )


def _no_scaling(encoder: Any) -> None:
    scaled = encoder.spectrogram.forward
    encoder.spectrogram.forward = lambda waves: scaled(waves) * 2 - 1


def _time_reversed(encoder: Any) -> None:
    seen = encoder.spectrogram.forward
    encoder.spectrogram.forward = lambda waves: seen(waves).flip(1)


def _padded_in_front(encoder: Any) -> None:
    embed = encoder.embed_waveforms
    encoder.embed_waveforms = lambda waves: embed(waves.roll(RATE, dims=1))


def _positions_moved(encoder: Any) -> None:
    """Positions of the transformers; the network that has none gets its first kernels moved."""
    names = ("pos_embed", "relative_position_bias_table", "conv_stem")
    moved = [
        one
        for name, one in encoder.named_parameters()
        if one.ndim > 1 and any(part in name for part in names)
    ]
    assert moved
    for table in moved:
        table.data = table.data.roll(1, dims=-2)


def _other_pooling(encoder: Any) -> None:
    """The maximum over the last layer's places instead of their mean."""
    if isinstance(encoder, OperaCE):
        features = encoder.network.forward
        encoder.network.forward = lambda seen: features(seen).amax(dim=(2, 3), keepdim=True)
    else:
        embed = encoder.embed_waveforms
        encoder.output = "frames"
        encoder.embed_waveforms = lambda waves: embed(waves).amax(dim=1)


BREAKS = (
    _htk_mel, _no_scaling, _time_reversed, _padded_in_front, _positions_moved, _other_pooling
)  # fmt: skip


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__.strip("_"))
@pytest.mark.parametrize("name", list(KINDS))
def test_the_check_notices_what_is_done_differently(
    name: str, broken: Callable[..., None], make: Make, parity_kit: Any
) -> None:
    # Two seconds leave OPERA-CE's last layer one place, whose mean and maximum are the same.
    pooled = name == "opera_ce" and broken is _other_pooling
    variant = "up8" if pooled else DEFAULTS[name]
    two_seconds, padding = VARIANTS[name][variant]
    encoder = copy.deepcopy(make(name, padding, two_seconds))
    broken(encoder)
    given = encoder.embed([_clip(parity_kit, "cough2", two_seconds)], RATE)[0]
    golden = parity_kit.golden(name)[f"emb.{variant}.cough2"]
    tolerance = parity_kit.meta(name)["tolerances"]["emb_rel_l2"]
    assert given.shape != golden.shape or _distance(given, golden) > 5 * tolerance


def test_paddings_of_opera_gt_are_far_apart(parity_kit: Any, make: Make) -> None:
    clip = parity_kit.first_2s("cough2")
    wave, none = (make("opera_gt", one).embed([clip], RATE)[0] for one in ("waveform_8s", "none"))
    assert _distance(none, wave) > 0.5


@pytest.mark.parametrize("size", [3, pytest.param(8, marks=pytest.mark.slow),
                                  pytest.param(64, marks=pytest.mark.slow)])  # fmt: skip
@pytest.mark.parametrize("name", list(KINDS))
def test_an_embedding_does_not_depend_on_its_neighbours(
    name: str, size: int, make: Make, parity_kit: Any
) -> None:
    encoder = make(name, VARIANTS[name][DEFAULTS[name]][1])
    generator = np.random.default_rng(size)
    noises = generator.normal(0, 0.1, (size - 2, 2 * RATE)).astype(np.float32)
    clips = [parity_kit.first_2s("cough2"), parity_kit.first_2s("silence2"), *noises]
    order = generator.permutation(size)
    together = encoder.embed([clips[place] for place in order], RATE)
    for row, place in enumerate(order[:8]):
        alone = encoder.embed([clips[place]], RATE)[0]
        assert _distance(together[row], alone) < 1e-4


@pytest.mark.parametrize("name", list(KINDS))
def test_frames_are_a_sequence_with_a_fingerprint_of_its_own(name: str, make: Make) -> None:
    padding = VARIANTS[name][DEFAULTS[name]][1]
    frames = make(name, padding, output="frames")
    clip = np.random.default_rng(0).normal(0, 0.1, 2 * RATE).astype(np.float32)
    embedded = frames.embed([clip], RATE)
    assert embedded.ndim == 3
    assert embedded.shape[2] == frames.width
    assert frames.fingerprint != make(name, padding).fingerprint


@pytest.mark.parametrize("name", list(KINDS))
def test_a_wrong_length_or_rate_names_the_right_one(name: str, make: Make) -> None:
    encoder = make(name, VARIANTS[name][DEFAULTS[name]][1])
    clip = np.zeros(RATE, np.float32)
    with pytest.raises(ValueError, match="takes clips of 2 s at 16000 Hz"):
        encoder.embed([clip], RATE)
    with pytest.raises(ValueError, match="takes audio at 16000 Hz, not 44100 Hz"):
        encoder.embed([clip], 44_100)


@pytest.mark.parametrize("name", list(KINDS))
def test_random_weights_are_the_same_each_time_and_leave_the_global_generator(name: str) -> None:
    before = torch.get_rng_state()
    first, second = (KINDS[name](weights="random") for _ in range(2))  # type: ignore[call-arg]
    assert torch.equal(before, torch.get_rng_state())
    assert not first.weights_real
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", list(KINDS))
def test_the_checkpoint_of_another_encoder_is_refused(name: str, parity_kit: Any) -> None:
    other = {"opera_ct": "opera_ce", "opera_ce": "opera_gt", "opera_gt": "opera_ct"}[name]
    with pytest.raises(UserError, match="is the checkpoint of another model"):
        KINDS[name](weights=str(parity_kit.checkpoint(other)))  # type: ignore[call-arg]


@pytest.mark.parametrize("name", list(KINDS))
def test_a_missing_renamed_or_misshaped_tensor_is_named(
    name: str, parity_kit: Any, tmp_path: Any
) -> None:
    tensors = parity_kit.tensors(name)
    path = tmp_path / "wrong.ckpt"
    used = _used(KINDS[name], tensors)
    gone = dict(tensors)
    del gone[used]
    torch.save({"state_dict": gone}, path)
    with pytest.raises(UserError, match=r"1 missing \(.*" + used.rpartition(".")[2]):
        KINDS[name](weights=str(path))  # type: ignore[call-arg]
    torch.save({"state_dict": {**tensors, used: tensors[used].reshape(1, -1)[:, :1]}}, path)
    with pytest.raises(UserError, match="1 of another shape or type"):
        KINDS[name](weights=str(path))  # type: ignore[call-arg]


def _used(kind: Any, tensors: dict[str, Any]) -> str:
    """A tensor that the encoder needs and that has more than one value."""
    names = (kind.layout.rename(name) for name in kind.skeleton().state_dict())
    wanted = {prefix + name for name in names for prefix in kind.layout.prefixes}
    return next(name for name, one in tensors.items() if one.ndim > 1 and name in wanted)
