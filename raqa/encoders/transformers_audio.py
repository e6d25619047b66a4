"""Any audio model of transformers as an encoder: AST, CLAP, HuBERT, WavLM, wav2vec 2.0, ..."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, Literal

import numpy as np
import torch
from pydantic import validate_call
from torch import Tensor, nn

from raqa.encoders.base import Encoder, OutputKind
from raqa.encoders.transformers_files import load_extractor, load_model
from raqa.errors import UserError
from raqa.pretrained import digest_tensors, quiet_generator

TRANSIENT = frozenset({"_name_or_path", "transformers_version", "dtype", "architectures"})
"""Parts of a configuration that change no number."""

TOWERS = ("audio_model", "audio_tower", "audio_encoder")
"""What transformers calls the audio part of a model that has others."""

PROBE_S = 1.0
"""A clip of this length is embedded once, to learn the width and that the model gives one."""


class TransformersAudio(Encoder):
    """The last hidden states of an audio model, over the steps of time that hold the clip.

    The model's own feature extractor prepares the audio, on the CPU. Where it fills clips up to a
    fixed length (AST, Whisper), the steps that hold nothing but filling are left out. The rows of
    a spectrogram's patches (AST, CLAP) are averaged, so that what is left runs over time.

    Args:
        model: a name on huggingface.co, or a folder in the same layout.
        weights: "hub": the model's own; "random": untrained, of the same shape.
        revision: branch, tag or commit of the name.
        output: "vector": the mean over time; "frames": one vector for every step of time.

    Raises:
        UserError: there is no such model, it can not be had, lacks weights, or is none for audio.
    """

    min_s = 0.025  # one analysis window of all of them

    @validate_call
    def __init__(
        self,
        model: str,
        weights: Literal["hub", "random"] = "hub",
        revision: str = "main",
        output: OutputKind = "vector",
    ) -> None:
        super().__init__()
        self.name = model
        self.output = output
        self._extractor = load_extractor(model, revision)
        self.sample_rate = int(self._extractor.sampling_rate)
        whole = load_model(model, revision, random=weights == "random")
        self._config = whole.config
        self.network = _audio_part(whole).requires_grad_(False).eval()
        self.weights = "random" if weights == "random" else digest_tensors(self.network)
        self.width = self._probe()

    @property
    def settings(self) -> Mapping[str, Any]:
        """The kind of model, and digests of its configuration and its feature extractor's."""
        return {
            "model_type": self._config.model_type,
            "config": _digest(self._config.to_dict()),
            "extractor": _digest(self._extractor.to_dict()),
        }

    @property
    def longest_s(self) -> float | None:
        """Seconds that the feature extractor fills clips up to; None: it takes any length."""
        extractor = self._extractor
        if self._config.model_type == "audio-spectrogram-transformer":
            return float(extractor.max_length * 0.01)  # frames of 10 ms
        samples = getattr(extractor, "nb_max_samples", getattr(extractor, "n_samples", None))
        return None if samples is None else float(samples / extractor.sampling_rate)

    @property
    def _repeats(self) -> bool:
        """Whether clips are filled up with themselves (CLAP), so that all steps hold sound."""
        return getattr(self._extractor, "padding", None) in {"repeat", "repeatpad"}

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` as `[clips, width]`, or as frames `[clips, time, width]`.

        Raises:
            UserError: the clips are longer than the model can hear.
        """
        self.check_input(waveforms)
        seconds = waveforms.shape[1] / self.sample_rate
        longest = self.longest_s
        if longest is not None and seconds > longest:
            raise UserError(
                f"{self.name} hears at most {longest:g} s and would drop the rest of a clip of "
                f"{seconds:g} s; set clip.length_s={longest:g} or less."
            )
        steps = self._time_steps(self._hidden_states(waveforms))
        if longest is not None and not self._repeats:
            steps = steps[:, : math.ceil(steps.shape[1] * seconds / longest)]
        return steps.mean(1) if self.output == "vector" else steps

    def _hidden_states(self, waveforms: Tensor) -> Tensor:
        """What the network's last layer gives, in the model's own order."""
        place = next(self.network.parameters())
        # CLAP's extractor draws lots, HuBERT's layers whether they would be skipped in training.
        with quiet_generator(), _quiet_numpy_generator():
            result = self.network(
                **{
                    name: value.to(place) if value.is_floating_point() else value.to(place.device)
                    for name, value in self._inputs(waveforms).items()
                }
            )
        states: Tensor = result.last_hidden_state
        return states

    def _inputs(self, waveforms: Tensor) -> dict[str, Tensor]:
        """What the feature extractor makes of the clips, as far as the network takes it."""
        inputs = self._extractor(
            list(waveforms.cpu().numpy()), sampling_rate=self.sample_rate, return_tensors="pt"
        )
        if "is_longer" in inputs:
            # With feature fusion, CLAP's extractor declares one clip of a batch, drawn by lot,
            # longer than it is.
            inputs["is_longer"] = torch.zeros_like(inputs["is_longer"])
        if "attention_mask" in inputs and inputs["attention_mask"].all():
            # Clips of a batch have one length. WavLM warns of a mask, attention is slower with it.
            del inputs["attention_mask"]
        accepted = signature(self.network.forward).parameters
        return {name: value for name, value in inputs.items() if name in accepted}

    def _time_steps(self, states: Tensor) -> Tensor:
        """Put hidden states into `[clips, time, width]`."""
        if states.ndim == 4:  # CLAP: [clips, width, mel, time]
            return states.mean(2).transpose(1, 2)
        if self._config.model_type == "audio-spectrogram-transformer":
            # Two tokens of the whole clip stand first; patches run along time, row by row.
            bins, patch = self._config.num_mel_bins, self._config.patch_size
            rows = (bins - patch) // self._config.frequency_stride + 1
            clips, tokens, width = states.shape
            return states[:, 2:].reshape(clips, rows, (tokens - 2) // rows, width).mean(1)
        return states

    def _probe(self) -> int:
        """The width of the model's hidden states."""
        silence = torch.zeros(1, round(PROBE_S * self.sample_rate))
        try:
            with torch.inference_mode():
                steps = self._time_steps(self._hidden_states(silence))
        except (AttributeError, TypeError, ValueError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0] if str(error) else type(error).__name__
            raise UserError(
                f"{self.name} ({self._config.model_type}) can not serve as an encoder: it does "
                f"not turn audio alone into hidden states ({reason})."
            ) from error
        return int(steps.shape[2])


def _audio_part(model: Any) -> nn.Module:
    """The part of a model that hears: an encoder, without text and without decoder."""
    if getattr(model.config, "is_encoder_decoder", False):
        encoder: nn.Module = model.get_encoder()
        return encoder
    for name in TOWERS:
        tower = getattr(model, name, None)
        if isinstance(tower, nn.Module):
            return tower
    part: nn.Module = model
    return part


@contextmanager
def _quiet_numpy_generator() -> Iterator[None]:
    """Keep libraries from moving NumPy's global generator."""
    state = np.random.get_state()  # noqa: NPY002 - the library draws from the global generator
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _digest(configuration: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in configuration.items() if key not in TRANSIENT}
    text = json.dumps(kept, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else str(value)
