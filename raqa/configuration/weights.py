"""Published weights by encoder: what there is, fetching it ahead of time, checking a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.utils import get_class
from omegaconf import OmegaConf

from raqa.configuration.folder import config_folder, group_choices
from raqa.errors import UserError, neighbours

if TYPE_CHECKING:
    from raqa.encoders.published import Published


@dataclass(frozen=True)
class Checkpoint:
    """A published checkpoint: which encoder takes it, what is known of it, where it is here."""

    encoder: str
    published: Published
    cached: Path | None


def list_weights() -> list[Checkpoint]:
    """Every encoder with a published checkpoint of its own; nothing is fetched or hashed."""
    return [
        Checkpoint(name, known.published, known.published.source.cached())
        for name, known in _encoders().items()
    ]


def fetch_weights(name: str) -> Path:
    """Fetch an encoder's published checkpoint, for a machine without a network; the file.

    Raises:
        UserError: there is no such encoder, or its checkpoint can not be had.
    """
    known = _encoders()
    if name not in known:
        raise UserError(f"There are no published weights {name!r}. {neighbours(name, known)}")
    path: Path = known[name].published.path()
    return path


def check_weights(path: Path) -> str:
    """Load a file strictly into every encoder until one takes it.

    Returns:
        the encoder's name.

    Raises:
        UserError: no encoder takes it; the message says for each what does not fit.
    """
    from raqa.encoders.checkpoint import read_checkpoint

    read_checkpoint(path)  # a file that is no checkpoint is refused once, not once an encoder
    problems: list[str] = []
    for name, encoder in _encoders().items():
        try:
            encoder(weights=str(path))
        except UserError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
        else:
            return name
    raise UserError(problems)


def _encoders() -> dict[str, Any]:
    """The classes of the encoders that have a published checkpoint, by name in conf/encoder."""
    found = {}
    for name in group_choices("encoder"):
        node = OmegaConf.load(config_folder() / "encoder" / f"{name}.yaml")
        kind = get_class(node._target_)
        if hasattr(kind, "published"):
            found[name] = kind
    return found
