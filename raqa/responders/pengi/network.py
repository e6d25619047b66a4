"""Pengi's network: audio and prompt become 80 vectors, which GPT-2 continues."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from raqa.encoders.opera_ct import HtsAt, htsat_name
from raqa.encoders.weights import Layout
from raqa.responders.pengi.audio import LogMel
from raqa.responders.pengi.layers import Mapper, Projection

PROMPT_TOKENS = 40
"""Tokens of a prompt, its start and its end among them; longer ones are cut."""

STAGES = 4


@dataclass(frozen=True)
class Sizes:
    """How large the parts are; the defaults are those of the published configuration "base".

    Attributes:
        audio_*: HTS-AT, the width being that of its first stage.
        clip_*: the text half of CLIP ViT-B/16.
        joint: width of the embeddings of audio and prompt.
        gpt_*: GPT-2 base.
        prefix, mapper_*: vectors that each mapper makes, and its layers.
    """

    audio_width: int = 96
    audio_depths: tuple[int, ...] = (2, 2, 6, 2)
    audio_heads: tuple[int, ...] = (4, 8, 16, 32)
    clip_vocabulary: int = 49_408
    clip_width: int = 512
    clip_layers: int = 12
    clip_heads: int = 8
    joint: int = 1024
    gpt_vocabulary: int = 50_257
    gpt_width: int = 768
    gpt_layers: int = 12
    gpt_heads: int = 12
    gpt_positions: int = 1024
    prefix: int = 40
    mapper_layers: int = 4
    mapper_heads: int = 8


class AudioTower(nn.Module):
    """From seven seconds to an embedding of length 1."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.spectrogram = LogMel()
        self.htsat = HtsAt(sizes.audio_width, sizes.audio_depths, sizes.audio_heads)
        self.projection = Projection(sizes.audio_width << (STAGES - 1), sizes.joint)

    def forward(self, clips: Tensor) -> Tensor:
        """Embed `[clips, 308700]` samples at 44.1 kHz as `[clips, joint]`."""
        tokens = self.htsat(self.spectrogram(clips))
        return normalize(self.projection(tokens.mean(dim=(1, 2))), dim=1)


class PromptTower(nn.Module):
    """From a prompt's tokens to an embedding, whose length is NOT brought to 1.

    In training the authors normalise it; in the wrapper that they publish for inference they do
    not, and this follows the wrapper.
    """

    def __init__(self, sizes: Sizes) -> None:
        from transformers import CLIPTextConfig, CLIPTextModel

        super().__init__()
        self.base = CLIPTextModel(
            CLIPTextConfig(
                vocab_size=sizes.clip_vocabulary,
                hidden_size=sizes.clip_width,
                intermediate_size=4 * sizes.clip_width,
                num_hidden_layers=sizes.clip_layers,
                num_attention_heads=sizes.clip_heads,
                max_position_embeddings=77,
                hidden_act="quick_gelu",
                layer_norm_eps=1e-5,
                bos_token_id=sizes.clip_vocabulary - 2,
                eos_token_id=sizes.clip_vocabulary - 1,
                pad_token_id=sizes.clip_vocabulary - 1,
            )
        )
        self.clip_text_projection = nn.Linear(sizes.clip_width, sizes.clip_width, bias=False)
        self.projection = Projection(sizes.clip_width, sizes.joint)

    def forward(self, tokens: Tensor) -> Tensor:
        """Embed `[prompts, 40]` tokens as `[prompts, joint]`.

        A prompt's vector is that of its first end token, which has the highest number of all.
        Attention looks back only, so the end tokens that fill a prompt up have no effect.
        """
        states = self.base(input_ids=tokens).last_hidden_state
        pooled = states[torch.arange(len(tokens), device=tokens.device), tokens.argmax(dim=1)]
        embedded: Tensor = self.projection(self.clip_text_projection(pooled))
        return embedded


class PengiNetwork(nn.Module):
    """All of Pengi that writes text."""

    def __init__(self, sizes: Sizes) -> None:
        from transformers import GPT2Config, GPT2Model

        super().__init__()
        self.sizes = sizes
        self.audio = AudioTower(sizes)
        self.prompt = PromptTower(sizes)
        mapper = (
            sizes.joint, sizes.gpt_width, sizes.prefix, sizes.mapper_layers, sizes.mapper_heads
        )  # fmt: skip
        self.audio_mapper = Mapper(*mapper)
        self.prompt_mapper = Mapper(*mapper)
        self.language = GPT2Model(
            GPT2Config(
                vocab_size=sizes.gpt_vocabulary,
                n_positions=sizes.gpt_positions,
                n_embd=sizes.gpt_width,
                n_layer=sizes.gpt_layers,
                n_head=sizes.gpt_heads,
                activation_function="gelu_new",
                layer_norm_epsilon=1e-5,
                bos_token_id=sizes.gpt_vocabulary - 1,
                eos_token_id=sizes.gpt_vocabulary - 1,
            )
        )

    def prefix(self, heard: Tensor, tokens: Tensor) -> Tensor:
        """Make what GPT-2 continues: first the audio's vectors, then the prompt's.

        Args:
            heard: `[items, joint]` from the audio tower.
            tokens: `[items, 40]` of the prompts.

        Returns:
            `[items, 80, width]`.
        """
        read = self.prompt(tokens)
        return torch.cat([self.audio_mapper(heard), self.prompt_mapper(read)], dim=1)

    def word_scores(self, states: Tensor) -> Tensor:
        """Turn GPT-2's states `[..., width]` into logits `[..., vocabulary]`, by tied weights."""
        scores: Tensor = states @ self.language.wte.weight.T
        return scores


_HTSAT = "audio_encoder.base.htsat"
_PLACES = {
    "audio.spectrogram.real": f"{_HTSAT}.spectrogram_extractor.stft.conv_real.weight",
    "audio.spectrogram.imaginary": f"{_HTSAT}.spectrogram_extractor.stft.conv_imag.weight",
    "audio.spectrogram.mel": f"{_HTSAT}.logmel_extractor.melW",
    "audio.projection": "audio_encoder.projection",
    "prompt.base.text_model": "caption_encoder.base",  # a level that older releases have
    "prompt": "caption_encoder",
    "audio_mapper": "caption_decoder.audio_project",
    "prompt_mapper": "caption_decoder.text_project",
    "language": "caption_decoder.gpt.transformer",
}
"""Beginnings of names in the network and in the checkpoint; the first that fits is taken."""


def published_name(name: str) -> str:
    """The checkpoint's name of one of the network's tensors."""
    if name.startswith("audio.htsat."):
        return f"{_HTSAT}.{htsat_name(name.removeprefix('audio.htsat.'))}"
    own = next(own for own in _PLACES if f"{name}.".startswith(f"{own}."))
    return _PLACES[own] + name.removeprefix(own)


TIED = "caption_decoder.gpt.lm_head.weight"
"""A second copy of GPT-2's word vectors; `model.Pengi.load` checks that it is one."""

LAYOUT = Layout(
    rename=published_name,
    unused=(
        # Both are computed from the window's size.
        r"audio_encoder\.base\.htsat\..*\.(attn_mask|relative_position_index)",
        # HTS-AT's own classifier of sounds.
        r"audio_encoder\.base\.htsat\.(tscam_conv|head)\.(weight|bias)",
        # Tables of causal masks and positions, which transformers has ceased to store.
        r"caption_decoder\.gpt\.transformer\.h\.\d+\.attn\.(masked_)?bias",
        r"caption_encoder\.base\.embeddings\.position_ids",
        TIED.replace(".", r"\."),
    ),
    prefixes=("", "module."),
)
"""How base.pth names the tensors, with or without what training on several GPUs puts before."""
