"""Any audio model of transformers, tried on tiny ones with random weights."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from raqa import load_encoder
from raqa.encoders.transformers_audio import TransformersAudio
from raqa.errors import UserError

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 64}  # fmt: skip


def _ast(folder: Path) -> None:
    from transformers import ASTConfig, ASTFeatureExtractor, ASTModel

    ASTModel(ASTConfig(**SMALL, max_length=128, num_mel_bins=32)).save_pretrained(folder)
    ASTFeatureExtractor(max_length=128, num_mel_bins=32).save_pretrained(folder)


def _speech(kind: str, *, masks: bool) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        import transformers

        config = getattr(transformers, f"{kind}Config")(
            **SMALL, conv_dim=(16,) * 7, feat_extract_norm="layer" if masks else "group",
            num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
        )  # fmt: skip
        getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
        extractor = transformers.Wav2Vec2FeatureExtractor(return_attention_mask=masks)
        extractor.save_pretrained(folder)

    return save


def _clap(*, fusion: bool) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        from transformers import ClapConfig, ClapFeatureExtractor, ClapModel

        audio = {"hidden_size": 64, "patch_embeds_hidden_size": 8, "depths": [1, 1, 1, 1],
                 "num_attention_heads": [1, 1, 2, 2], "enable_fusion": fusion,
                 "projection_dim": 16}  # fmt: skip
        text = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
                "intermediate_size": 16, "vocab_size": 50, "projection_dim": 16}  # fmt: skip
        config = ClapConfig(text_config=text, audio_config=audio, projection_dim=16)
        ClapModel(config).save_pretrained(folder)
        truncation = "fusion" if fusion else "rand_trunc"
        ClapFeatureExtractor(truncation=truncation).save_pretrained(folder)

    return save


def _whisper(folder: Path) -> None:
    from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperModel

    config = WhisperConfig(
        d_model=32, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32, vocab_size=100,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    )  # fmt: skip
    WhisperModel(config).save_pretrained(folder)
    WhisperFeatureExtractor().save_pretrained(folder)


# Model, sample rate, width, steps of a clip of one second.
MODELS: dict[str, tuple[Callable[[Path], None], int, int, int]] = {
    "ast": (_ast, 16_000, 32, 10),
    "hubert": (_speech("Hubert", masks=False), 16_000, 32, 49),
    "wav2vec2": (_speech("Wav2Vec2", masks=False), 16_000, 32, 49),
    "wavlm": (_speech("WavLM", masks=True), 16_000, 32, 49),
    "clap": (_clap(fusion=False), 48_000, 64, 32),
    "clap_fused": (_clap(fusion=True), 48_000, 64, 32),
    "whisper": (_whisper, 16_000, 32, 50),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models saved as the hub keeps them."""
    found = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for name, (save, *_) in MODELS.items():
            save(folder := tmp_path_factory.mktemp(name))
            found[name] = folder
    return found


def _noise(rate: int, *seconds: float) -> list[NDArray[np.float32]]:
    generator = np.random.default_rng(0)
    return [generator.normal(0, 0.1, round(rate * s)).astype(np.float32) for s in seconds]


@pytest.mark.parametrize("name", MODELS)
def test_rate_width_and_steps_are_the_model_s_own(name: str, folders: dict[str, Path]) -> None:
    _, rate, width, steps = MODELS[name]
    encoder = TransformersAudio(str(folders[name]))
    assert (encoder.sample_rate, encoder.width) == (rate, width)
    clips = _noise(rate, 1.0, 1.0)
    vectors = encoder.embed(clips, rate)
    assert vectors.shape == (2, width)
    frames = TransformersAudio(str(folders[name]), output="frames").embed(clips, rate)
    assert frames.shape == (2, steps, width)
    np.testing.assert_allclose(frames.mean(1), vectors, rtol=1e-4, atol=1e-5)


def test_the_shipped_config_takes_a_folder(folders: dict[str, Path]) -> None:
    encoder = load_encoder("transformers_audio", model=str(folders["hubert"]))
    assert encoder.fingerprint == TransformersAudio(str(folders["hubert"])).fingerprint


@pytest.mark.parametrize("name", MODELS)
def test_an_embedding_does_not_depend_on_its_neighbours(
    name: str, folders: dict[str, Path]
) -> None:
    rate = MODELS[name][1]
    encoder = TransformersAudio(str(folders[name]))
    clips = _noise(rate, 1.0, 0.5, 1.0)
    clips[2] *= 1e-3
    together = encoder.embed(clips, rate)
    for row, clip in zip(together, clips, strict=True):
        alone = encoder.embed([clip], rate)[0]
        assert np.linalg.norm(row - alone) < 1e-4 * np.linalg.norm(alone)


@pytest.mark.parametrize("name", MODELS)
def test_nothing_moves_the_global_generators(name: str, folders: dict[str, Path]) -> None:
    state, numpy_state = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    for weights in ("hub", "random"):
        encoder = TransformersAudio(str(folders[name]), weights=weights)
        encoder.embed(_noise(encoder.sample_rate, 0.5), encoder.sample_rate)
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002


def test_silence_that_the_extractor_adds_does_not_count_in_the_mean(
    folders: dict[str, Path],
) -> None:
    clips = _noise(16_000, 0.5)
    encoder = TransformersAudio(str(folders["whisper"]), output="frames")
    assert encoder.embed(clips, 16_000).shape == (1, 25, 32)
    encoder = TransformersAudio(str(folders["ast"]), output="frames")
    assert encoder.embed(clips, 16_000).shape == (1, 5, 32)


def test_masks_of_whole_clips_change_nothing(folders: dict[str, Path]) -> None:
    from transformers import Wav2Vec2Model

    encoder = TransformersAudio(str(folders["wav2vec2"]), output="frames")
    (clip,) = _noise(16_000, 1.0)
    scaled = torch.from_numpy((clip - clip.mean()) / np.sqrt(clip.var() + 1e-7))[None]
    model = Wav2Vec2Model.from_pretrained(folders["wav2vec2"]).eval()
    with torch.inference_mode():
        states = model(scaled, attention_mask=torch.ones(1, len(clip))).last_hidden_state
    np.testing.assert_allclose(encoder.embed([clip], 16_000), states, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "longest"), [("ast", 1.28), ("clap", 10.0), ("whisper", 30.0)])
def test_a_clip_that_would_be_cut_or_cropped_at_random_is_refused(
    name: str, longest: float, folders: dict[str, Path]
) -> None:
    encoder = TransformersAudio(str(folders[name]))
    assert encoder.longest_s == longest
    with pytest.raises(UserError, match=rf"hears at most {longest:g} s.*clip.length_s={longest:g}"):
        encoder.embed(_noise(encoder.sample_rate, longest + 0.1), encoder.sample_rate)


def test_weights_and_configuration_are_part_of_the_fingerprint(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    from transformers import HubertModel

    first = TransformersAudio(str(folders["hubert"]))
    assert TransformersAudio(str(folders["hubert"])).fingerprint == first.fingerprint
    random = TransformersAudio(str(folders["hubert"]), weights="random")
    assert (random.weights, random.weights_real) == ("random", False)
    for name in ("config.json", "preprocessor_config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((folders["hubert"] / name).read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-3}))
    other = TransformersAudio(str(tmp_path))
    assert other.weights == first.weights
    assert len({first.fingerprint, random.fingerprint, other.fingerprint}) == 3
    model = HubertModel.from_pretrained(tmp_path)
    model.encoder.layer_norm.bias.data.add_(1)
    model.save_pretrained(tmp_path)
    assert TransformersAudio(str(tmp_path)).weights != first.weights


def test_weights_that_do_not_fit_are_refused_by_name(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    for name in ("config.json", "preprocessor_config.json"):
        (tmp_path / name).write_bytes((folders["hubert"] / name).read_bytes())
    tensors = load_file(folders["hubert"] / "model.safetensors")
    lost = tensors.pop("encoder.layers.0.final_layer_norm.weight")
    tensors["encoder.layers.1.final_layer_norm.weight"] = torch.cat([lost, lost])
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError) as caught:
        TransformersAudio(str(tmp_path))
    assert "1 missing (encoder.layers.0.final_layer_norm.weight)" in str(caught.value)
    assert "1 of another shape (encoder.layers.1.final_layer_norm.weight)" in str(caught.value)


def test_a_text_model_is_refused(tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel

    BertModel(BertConfig(**SMALL, vocab_size=50)).save_pretrained(tmp_path)
    with pytest.raises(UserError, match=r"encoder.model=.* can not be loaded"):
        TransformersAudio(str(tmp_path))


def test_without_a_network_a_name_fails_within_seconds_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import huggingface_hub

    def unreachable(*_args: Any, **_options: Any) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", unreachable)
    start = time.monotonic()
    with pytest.raises(UserError) as caught:
        TransformersAudio("nobody/no-such-audio-model")
    assert time.monotonic() - start < 10
    for part in ("nobody/no-such-audio-model", "Name or service not known", "hf download"):
        assert part in str(caught.value)
