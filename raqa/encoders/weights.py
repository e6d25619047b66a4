"""Loads weights into a network, strictly: every tensor by name, shape and type, or an error."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn

from raqa.encoders.base import Encoder
from raqa.encoders.checkpoint import Tensors, read_checkpoint
from raqa.encoders.digest import file_sha256
from raqa.encoders.published import Published, given_path
from raqa.errors import UserError
from raqa.pretrained import quiet_generator

RANDOM_SEED = 0
"""Random weights are the same in every run, so that their embeddings can be stored too."""

SHOWN = 3
"""Names that a message lists before it counts the rest."""


@dataclass(frozen=True)
class Layout:
    """How a published checkpoint names what a network holds.

    Attributes:
        rename: from a name in the network to the name in the checkpoint.
        unused: regular expressions of names in the checkpoint that the embedding does not need.
        prefixes: what may stand before every name; the first that fits is taken.
        optional: names that a checkpoint may lack; the network then keeps the value it was
            built with.
    """

    rename: Callable[[str], str] = str
    unused: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ("",)
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """How the tensors of a checkpoint fit a network.

    Attributes:
        state: what fits, by the network's names.
        needed: how many tensors the network has.
        missing, unexpected: names as in the checkpoint.
        misshaped: `name [shape] (expected [shape])`, also where the type is another.
        prefix: what stands before every name and should not, or the other way round.
    """

    state: Tensors
    needed: int
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    misshaped: list[str] = field(default_factory=list)
    prefix: str | None = None

    @property
    def whole(self) -> bool:
        """Whether every tensor has its place and every place its tensor."""
        return not (self.missing or self.unexpected or self.misshaped)


def fit(network: nn.Module, tensors: Tensors, layout: Layout) -> Fit:
    """Match the tensors of a checkpoint with those of a network by name, shape and type."""
    wanted = {layout.rename(name): (name, one) for name, one in network.state_dict().items()}
    prefix = max(layout.prefixes, key=lambda one: sum(one + name in tensors for name in wanted))
    unused = [re.compile(pattern) for pattern in layout.unused]
    state: Tensors = {}
    misshaped = []
    for name, (own, place) in wanted.items():
        given = tensors.get(prefix + name)
        if given is None:
            if name in layout.optional:
                state[own] = place
        elif given.shape == place.shape and given.dtype == place.dtype:
            state[own] = given
        else:
            misshaped.append(f"{prefix + name} {_describe(given)} (expected {_describe(place)})")
    missing = [
        prefix + name
        for name in wanted
        if prefix + name not in tensors and name not in layout.optional
    ]
    unexpected = [
        name
        for name in tensors
        if name.removeprefix(prefix) not in wanted
        and not any(pattern.fullmatch(name.removeprefix(prefix)) for pattern in unused)
    ]
    return Fit(state, len(wanted), missing, unexpected, misshaped, _renamed_prefix(wanted, tensors))


def load_strict(
    network: nn.Module, tensors: Tensors, layout: Layout, *, title: str, source: str | Path
) -> None:
    """Put the tensors of a checkpoint into a network; they are copied.

    Args:
        title: the model, for the message.
        source: the file, for the message.

    Raises:
        UserError: a tensor is missing, unexpected, of another shape or type; all are counted and
            the first of each kind named.
    """
    found = fit(network, tensors, layout)
    if not found.whole:
        raise UserError(_misfit(found, title, source))
    state = {name: tensor.clone() for name, tensor in found.state.items()}
    network.load_state_dict(state, strict=True, assign=True)


def _misfit(found: Fit, title: str, source: str | Path) -> str:
    if found.prefix is not None:
        return f"{source} does not fit {title}: {found.prefix} Rename them, or get the original."
    if len(found.missing) > found.needed / 2:
        return (
            f"{source} is the checkpoint of another model: {len(found.missing)} of the "
            f"{found.needed} tensors of {title} are not in it ({_listed(found.missing)}), "
            f"{len(found.unexpected)} others are ({_listed(found.unexpected)})."
        )
    parts = [
        f"{len(names)} {kind} ({_listed(names)})"
        for kind, names in (
            ("missing", found.missing),
            ("unexpected", found.unexpected),
            ("of another shape or type", found.misshaped),
        )
        if names
    ]
    return f"{source} does not fit {title}: of its tensors {'; '.join(parts)}."


def _describe(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


def _listed(names: list[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _renamed_prefix(wanted: Iterable[str], tensors: Tensors) -> str | None:
    """Say that all names would fit with another prefix, if that is so."""
    wanted = set(wanted)
    longest = max(wanted, key=len)
    for name in tensors:
        if name.endswith(f".{longest}"):
            extra = name.removesuffix(longest)
            if all(extra + one in tensors for one in wanted):
                return f"all its names begin with {extra!r}, which does not belong there."
    held, head, rest = set(tensors), "", longest
    while "." in rest:
        step, _, rest = rest.partition(".")
        head += f"{step}."
        if all(one.startswith(head) and one.removeprefix(head) in held for one in wanted):
            return f"its names lack the prefix {head!r}."
    return None


def randomise(network: nn.Module, seed: int = RANDOM_SEED) -> None:
    """Fill a network with random weights from a generator of its own.

    Matrices and kernels get normal values of variance 1 / inputs, so that signals keep their
    size; scales get 1, offsets 0, tables of positions and tokens normal values of SD 0.02.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            values = torch.empty(parameter.shape)
            if name.endswith("bias"):
                values.zero_()
            elif parameter.ndim < 2:
                values.fill_(1.0)
            elif name.endswith("weight"):
                values.normal_(0, parameter[0].numel() ** -0.5, generator=generator)
            else:
                values.normal_(0, 0.02, generator=generator)
            parameter.copy_(values)


class PretrainedEncoder(Encoder):
    """An encoder with a published checkpoint.

    Attributes:
        published: the checkpoint.
        layout: how it names the tensors of `build_network()`.
    """

    published: ClassVar[Published]
    layout: ClassVar[Layout]

    @classmethod
    @abstractmethod
    def build_network(cls) -> nn.Module:
        """The network as the checkpoint fills it; its values do not matter."""

    @classmethod
    def skeleton(cls) -> nn.Module:
        """The network without values, for comparing names and shapes."""
        with quiet_generator(), torch.device("meta"):
            return cls.build_network()

    def load_network(self, weights: str) -> nn.Module:
        """Build the network and fill it; `self.weights` says with what.

        Args:
            weights: "hub" for the published checkpoint, "random", or a path.

        Raises:
            UserError: the checkpoint can not be had, read, or does not fit.
        """
        with quiet_generator():
            network = self.build_network()
        if weights == "random":
            randomise(network)
            self.weights = "random"
        else:
            path = self.published.path() if weights == "hub" else given_path(weights)
            tensors = read_checkpoint(path)
            load_strict(network, tensors, self.layout, title=self.published.title, source=path)
            self.weights = file_sha256(path)
        return network.requires_grad_(False).eval()
