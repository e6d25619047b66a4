"""Loads what transformers publishes: a folder or the cache first, only then the network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raqa.errors import UserError

if TYPE_CHECKING:
    from torch import nn

PATIENCE_S = 5.0
"""How long a server may take to answer before a run that needs its file gives up."""

SHOWN = 3
"""Names that a message lists before it counts the rest."""


def load_pretrained(
    loader: Callable[..., Any], model: str, revision: str, *, setting: str, **options: Any
) -> Any:
    """Call `from_pretrained` of a class, without the network where that is possible.

    Args:
        model: a name on huggingface.co, or a folder in the same layout.
        setting: the user's setting that names the model, for messages.

    Raises:
        UserError: there is no such model, or it can not be had or read.
    """
    try:
        if Path(model).is_dir():
            with _no_progress():
                return loader(model, **options)
        try:
            with _no_progress():
                return loader(model, revision=revision, local_files_only=True, **options)
        except OSError:  # the cache lacks it, or a part of it
            _check_reachable(model, revision, setting)
        return loader(model, revision=revision, **options)
    except ImportError as error:  # the library names the package, then where to read on
        named = first_line(error).split(". ")[0]
        raise UserError(f"{setting}={model} needs a package: {named}.") from error
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"{setting}={model} can not be loaded: {first_line(error)}.") from error


def load_weights(
    loader: Callable[..., Any],
    model: str,
    revision: str,
    *,
    setting: str,
    spare: tuple[str, ...] = (),
    remedy: str = "",
    dtype: str = "float32",
    **options: Any,
) -> Any:
    """Load a network whole: every tensor of it is in the checkpoint.

    Args:
        spare: parts of the network that a checkpoint may lack, since nothing reads them.
        remedy: a sentence for the message.
        dtype: of its weights, as torch names it, whatever the checkpoint's is.

    Raises:
        UserError: as load_pretrained does, or the weights do not fit the configuration.
    """
    import torch

    with quiet_generator():
        network, report = load_pretrained(
            loader,
            model,
            revision,
            setting=setting,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # they are refused below, by name
            dtype=getattr(torch, dtype),
            **options,
        )
    missing = [
        name for name in report["missing_keys"] if not set(spare).intersection(name.split("."))
    ]
    wrong = [str(entry[0]) for entry in report["mismatched_keys"]]
    if missing or wrong:
        parts = [
            f"{len(names)} {kind} ({', '.join(sorted(names)[:SHOWN])})"
            for kind, names in (("missing", missing), ("of another shape", wrong))
            if names
        ]
        fault = f"the weights of {model} do not fit its configuration: {'; '.join(parts)}."
        raise UserError(f"{fault} {remedy}".strip())
    return network


@contextmanager
def quiet_generator() -> Iterator[None]:
    """Keep initialisers of libraries from moving torch's global generator."""
    import torch

    with torch.random.fork_rng(devices=[]):
        yield


def digest_tensors(network: nn.Module) -> str:
    """SHA-256 of all names and values; files of one model can be split in several ways."""
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {list(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()


def first_line(error: BaseException) -> str:
    """The first line of an error's text, without the stop at its end."""
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".:") if text else type(error).__name__


@contextmanager
def quiet_library() -> Iterator[None]:
    """Keep transformers from warning of what publishers wrote into their files."""
    from transformers.utils import logging as library_logging

    logging: Any = library_logging
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


@contextmanager
def _no_progress() -> Iterator[None]:
    """Hide the library's progress bars where nothing is fetched."""
    from transformers.utils import logging as library_logging

    logging: Any = library_logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _check_reachable(model: str, revision: str, setting: str) -> None:
    """Fail within seconds where there is no network; the library would try for minutes."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    try:
        get_hf_file_metadata(
            hf_hub_url(model, "config.json", revision=revision), timeout=PATIENCE_S
        )
    except Exception as error:  # the library's errors and those of whichever client it uses
        raise UserError(
            f"{setting}={model}: there is no such folder, the cache of huggingface.co does "
            f"not hold it, and it can not be fetched ({first_line(error)}). Check the name and "
            f"its access, or where there is a network run `hf download {model}` with the same "
            "cache."
        ) from error
