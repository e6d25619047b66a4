"""Pengi as others use it: recordings and prompts in, texts out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from raqa.audio.waveform import Waveform
from raqa.encoders.checkpoint import read_checkpoint
from raqa.encoders.digest import file_sha256
from raqa.encoders.weights import load_strict
from raqa.errors import UserError
from raqa.pretrained import quiet_generator
from raqa.responders.pengi.audio import clip_heard
from raqa.responders.pengi.decoding import STOP, Beam, Language, search
from raqa.responders.pengi.network import LAYOUT, TIED, PengiNetwork, Sizes
from raqa.responders.pengi.published import CLIP, GPT2, HOW_TO_GET
from raqa.responders.pengi.tokens import Tokens


@dataclass(frozen=True)
class Written:
    """A text that Pengi wrote.

    Attributes:
        text: as the authors' code returns it; it may end in a space, which is the stop token.
        tokens: GPT-2's, the stop token included.
        score: mean log-probability by token.
    """

    text: str
    tokens: tuple[int, ...]
    score: float


class Pengi:
    """The published audio-language model (Deshmukh et al. 2023), asked and never trained.

    It hears seven seconds of a recording; of a longer one a part that the recording's content
    and `crop_seed` choose, a shorter one again and again.

    Args:
        network: with its weights.
        tokens: the two tokenizers.
        fingerprint: SHA-256 of the checkpoint.
        crop_seed: chooses other parts of long recordings.
        device: "cpu", "cuda", ...
    """

    revision = 1  # raise when the same weights and inputs begin to give other numbers

    def __init__(
        self,
        network: PengiNetwork,
        tokens: Tokens,
        fingerprint: str,
        crop_seed: int = 0,
        device: str = "cpu",
    ) -> None:
        self.network = network.requires_grad_(False).eval().to(device)
        self.tokens = tokens
        self.fingerprint = fingerprint
        self.crop_seed = crop_seed
        self.device = torch.device(device)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        clip_tokenizer: str = CLIP,
        gpt2_tokenizer: str = GPT2,
        crop_seed: int = 0,
        device: str = "cpu",
        sizes: Sizes | None = None,
    ) -> Pengi:
        """Read the published checkpoint; nothing in it is executed.

        Args:
            path: the file base.pth.
            clip_tokenizer, gpt2_tokenizer: names on huggingface.co, or folders.
            sizes: of another configuration than "base".

        Raises:
            UserError: the file is absent, damaged or another model's, or a tokenizer is.
        """
        path, sizes = Path(path).expanduser(), sizes or Sizes()
        if not path.is_file():
            raise UserError(f"There is no checkpoint of Pengi at {path}. {HOW_TO_GET}")
        tokens = Tokens.load(clip_tokenizer, gpt2_tokenizer, "main", sizes)
        return cls(load_network(path, sizes), tokens, file_sha256(path), crop_seed, device)

    @torch.inference_mode()
    def prefix(self, waveforms: Sequence[Waveform], prompts: Sequence[str]) -> Tensor:
        """Compute what GPT-2 continues, `[items, 80, 768]`: audio first, then the prompt.

        Args:
            waveforms: one for each prompt; any rate and length.
            prompts: verbatim; no template is put around them.

        Raises:
            AudioError: a waveform holds no samples.
        """
        # Questions about one recording often stand side by side: it is heard once.
        distinct = list({id(one): one for one in waveforms}.values())
        place = {id(one): row for row, one in enumerate(distinct)}
        clips = np.stack([clip_heard(one, self.crop_seed) for one in distinct])
        heard = self.network.audio(torch.from_numpy(clips).to(self.device))
        rows = [place[id(one)] for one in waveforms]
        return self.network.prefix(heard[rows], self.tokens.read(prompts).to(self.device))

    @torch.inference_mode()
    def logits(self, waveforms: Sequence[Waveform], prompts: Sequence[str]) -> Tensor:
        """Score every token as the first one of the text, `[items, 50257]`."""
        return Language(self.network, self.prefix(waveforms, prompts)).logits

    @torch.inference_mode()
    def generate(
        self,
        waveforms: Sequence[Waveform],
        prompts: Sequence[str],
        *,
        beams: int = 3,
        temperature: float = 1.0,
        max_new_tokens: int = 30,
        batch_size: int = 8,
    ) -> list[tuple[Written, ...]]:
        """Write a text for each recording and prompt; the defaults are those of RA-QA's paper.

        Args:
            waveforms, prompts: as for `prefix`.
            beams: texts kept in the search; 1 is greedy.
            temperature: divides the logits; it flattens the search's scores, nothing is drawn.
            max_new_tokens: after which a text is cut.
            batch_size: items at a time.

        Returns:
            for each item its texts, the best first.

        Raises:
            UserError: a setting is out of range.
            AudioError: a waveform holds no samples.
        """
        self._check(beams, temperature, max_new_tokens, batch_size)
        if len(waveforms) != len(prompts):
            raise ValueError(f"{len(waveforms)} waveforms and {len(prompts)} prompts")
        written: list[tuple[Written, ...]] = []
        for rows in _slices(len(prompts), batch_size):
            found = search(
                self.network,
                self.prefix(waveforms[rows], prompts[rows]),
                beams=beams,
                temperature=temperature,
                max_new_tokens=max_new_tokens,
                stop=STOP,
            )
            written += [tuple(self._written(beam) for beam in item) for item in found]
        return written

    def _written(self, beam: Beam) -> Written:
        return Written(self.tokens.write(beam.tokens), beam.tokens, beam.score)

    def _check(self, beams: int, temperature: float, max_new_tokens: int, batch_size: int) -> None:
        """Compare every setting with what can be done."""
        sizes = self.network.sizes
        room = sizes.gpt_positions - 2 * sizes.prefix
        limits = {
            "beams": (beams, sizes.gpt_vocabulary),
            "max_tokens": (max_new_tokens, room),
            "batch_size": (batch_size, math.inf),
        }
        problems = [
            f"responder.{name}={given}: a number from 1 to {most} is expected."
            for name, (given, most) in limits.items()
            if not 1 <= given <= most
        ]
        if not (math.isfinite(temperature) and temperature > 0):
            problems.append(
                f"responder.temperature={temperature}: a number above 0 is expected; Pengi draws "
                "nothing, so use 1, as its authors do."
            )
        if problems:
            raise UserError(problems)


def load_network(path: Path, sizes: Sizes) -> PengiNetwork:
    """Build the network and fill it from a checkpoint, every tensor by name, shape and type.

    Raises:
        UserError: the file can not be read or is another model's.
    """
    tensors = read_checkpoint(path)
    with quiet_generator():
        network = PengiNetwork(sizes)
    load_strict(network, tensors, LAYOUT, title="Pengi (base)", source=path)
    for prefix in LAYOUT.prefixes:
        head = tensors.get(prefix + TIED)
        words = network.language.wte.weight
        if head is not None and not torch.equal(head, words):
            raise UserError(
                f"{path} does not fit Pengi (base): {TIED} differs from GPT-2's word vectors, "
                "which Pengi uses for both."
            )
    return network


def _slices(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, start + size)
