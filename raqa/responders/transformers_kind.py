"""Which class of transformers a checkpoint is for, and whether that class hears or sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raqa.errors import UserError
from raqa.pretrained import load_pretrained, quiet_library
from raqa.responders.base import Input

SETTING = "responder.model"


@dataclass(frozen=True, eq=False)
class Kind:
    """A class and the configuration that it is built from.

    Attributes:
        model: the name or folder, for messages.
        hears: whether it takes waveforms.
        sees: whether it takes images.
    """

    model: str
    model_class: Any
    config: Any
    hears: bool
    sees: bool

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What a model of this class can be given of a recording."""
        able: dict[Input, bool] = {
            "audio": self.hears,
            "spectrogram": self.sees,
            "both": self.hears and self.sees,
            "none": True,
        }
        return tuple(name for name, can in able.items() if can)

    @property
    def context(self) -> float:
        """Tokens that prompt and response may have together; infinite where it says nothing."""
        named = getattr(self.config.get_text_config(), "max_position_embeddings", None)
        return float("inf") if named is None else float(named)


def known_kind(model: str, revision: str) -> Kind | None:
    """The kind of a model whose configuration is on this machine; None: it is not, or is no good.

    What is wrong with it is said when it is loaded.
    """
    from transformers import AutoConfig

    try:
        with quiet_library():
            config = AutoConfig.from_pretrained(model, revision=revision, local_files_only=True)
        return _kind(model, config)
    except (OSError, ValueError, ImportError, KeyError, UserError):
        return None


def find_kind(model: str, revision: str) -> Kind:
    """The kind of a model; its configuration is fetched where it is not on this machine.

    Raises:
        UserError: there is no such model, or it is of no class that can be asked.
    """
    from transformers import AutoConfig

    return _kind(model, load_pretrained(AutoConfig.from_pretrained, model, revision,
                                        setting=SETTING))  # fmt: skip


def _kind(model: str, config: Any) -> Kind:
    from transformers.models.auto import modeling_auto as known

    # Of a model that also speaks, only the part that thinks: no speech is loaded or made.
    config = getattr(config, "thinker_config", config)
    # Audio Flamingo stands among models from text to text. Real ones of these, which have an
    # encoder for what is asked, continue no prompt.
    mappings = (
        known.MODEL_FOR_MULTIMODAL_LM_MAPPING,
        known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
        known.MODEL_FOR_CAUSAL_LM_MAPPING,
    )
    suited = [mapping[type(config)] for mapping in mappings if type(config) in mapping]
    if not suited or config.is_encoder_decoder:
        raise UserError(
            f"{SETTING}={model}: no class of transformers continues a prompt with a model of type "
            f"{config.model_type}. Choose an audio-text, image-text or text model."
        )
    model_class: Any = suited[0]
    taken = model_class.input_modalities
    return Kind(model, model_class, config, "audio" in taken, "image" in taken)
