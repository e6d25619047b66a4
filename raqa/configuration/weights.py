"""Published weights by encoder or responder: what there is, fetching it, checking a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.utils import get_class

from raqa.configuration.build import target_of
from raqa.configuration.folder import group_choices
from raqa.errors import UserError, neighbours

if TYPE_CHECKING:
    from raqa.encoders.published import Published


@dataclass(frozen=True)
class Checkpoint:
    """A published checkpoint: who takes it, what is known of it, where it is here."""

    name: str
    published: Published
    cached: Path | None


def list_weights() -> list[Checkpoint]:
    """Everything with a published checkpoint of its own; nothing is fetched or hashed."""
    return [
        Checkpoint(name, kind.published, kind.published.source.cached())
        for name, (_, kind) in _takers().items()
    ]


def fetch_weights(name: str) -> Path:
    """Fetch a published checkpoint, for a machine without a network; the file.

    Args:
        name: of the encoder or responder.

    Raises:
        UserError: there is none of this name, or its checkpoint can not be had.
    """
    known = _takers()
    if name not in known:
        raise UserError(f"There are no published weights {name!r}. {neighbours(name, known)}")
    path: Path = known[name][1].published.path()
    return path


def check_weights(path: Path) -> str:
    """Load a file strictly into everything that takes weights until one does.

    Returns:
        which choice does: encoder=NAME or responder=NAME.

    Raises:
        UserError: nothing takes it; the message says for each what does not fit.
    """
    from raqa.encoders.checkpoint import read_checkpoint

    read_checkpoint(path)  # a file that is no checkpoint is refused once, not once an encoder
    problems: list[str] = []
    for name, (group, kind) in _takers().items():
        try:
            _load(kind, path)
        except UserError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
        else:
            return f"{group}={name}"
    raise UserError(problems)


def _load(kind: Any, path: Path) -> None:
    """Load a file strictly.

    Raises:
        UserError: it does not fit.
    """
    if hasattr(kind, "load_weights"):
        kind.load_weights(path)
    else:
        kind(weights=str(path))


def _takers() -> dict[str, tuple[str, Any]]:
    """By name the config group and the class of everything that has a published checkpoint."""
    found = {}
    for group in ("encoder", "responder"):
        for name in group_choices(group):
            kind = get_class(target_of(group, name))
            if getattr(kind, "published", None) is not None:
                found[name] = (group, kind)
    return found
