"""An encoder by its name, for use from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.errors import UserError, neighbours

if TYPE_CHECKING:
    from raqa.encoders.base import Encoder


def load_encoder(
    name: str,
    *,
    weights: str | Path | None = None,
    config_folder: str | Path | None = None,
    **settings: Any,
) -> Encoder:
    """Load an encoder with the settings of its file in conf/encoder.

    Args:
        name: the file's name, for example "opera_ct".
        weights: "hub" (the published checkpoint), a path, or "random"; None: as in the file.
        config_folder: a folder with an encoder/ of your own files, as for --config-dir.
        settings: other settings of the file that shall have another value.

    Returns:
        the encoder; `encoder.embed(waveforms, sample_rate=16000)` gives `[clips, width]`.

    Raises:
        UserError: there is no such encoder or setting, a value is wrong, or the weights can not
            be had.

    Example:
        >>> encoder = load_encoder("mel_stats")
        >>> encoder.embed([np.zeros(32_000, np.float32)], sample_rate=16_000).shape
        (1, 450)
    """
    folders = [] if config_folder is None else [Path(config_folder).resolve()]
    config = compose_config([f"encoder={name}"], folders)
    changed = settings if weights is None else {"weights": str(weights), **settings}
    known = [str(key) for key in config.encoder if key != "_target_"]
    problems = [
        f"encoder {name} has no setting {key}. {neighbours(key, known)}"
        for key in changed
        if key not in known
    ]
    if problems:
        raise UserError(problems)
    for key, value in changed.items():
        OmegaConf.update(config, f"encoder.{key}", value)
    encoder: Encoder = build_node(config, "encoder")
    return encoder
