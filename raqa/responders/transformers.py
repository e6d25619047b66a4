"""Local models of transformers, by name or folder: audio, images and words in, words out.

What a model takes follows from its class. Models of words alone hear nothing: they show what the
wording of questions gives away, and are the baseline of audio models that are built on them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass as checked

from raqa.embeddings.hashes import content_hash
from raqa.errors import UserError
from raqa.pretrained import quiet_library
from raqa.responders.base import Input, Pace, Responder, Session
from raqa.responders.batches import Batches
from raqa.responders.transformers_kind import SETTING, known_kind
from raqa.responders.transformers_model import find_device, load_model
from raqa.responders.transformers_reader import Reader, load_reader

if TYPE_CHECKING:
    from raqa.responders.hearing import Hearing

ADAPTER = 2
"""Raised when the same prompt begins to be put in another way; responses are kept under it."""

_ALL: tuple[Input, ...] = ("audio", "spectrogram", "both", "none")


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class TransformersResponder(Responder):
    """An audio-text, image-text or text model on this machine, decoded greedily.

    Attributes:
        model: a name on huggingface.co, or a folder in the same layout.
        revision: branch, tag or commit of the name; a branch may move, a commit can not.
        takes: what it may be given of a recording; None: whatever its class takes.
        system: what is said before every prompt, where the model has a chat template.
        max_tokens: the most new tokens of a response.
        batch_size: prompts at a time, padded on the left; changes no answer.
        dtype: of weights and arithmetic.
        device: auto takes a GPU where there is one.
    """

    model: Annotated[str, Field(min_length=1)]
    revision: str = "main"
    takes: Annotated[tuple[Input, ...], Field(min_length=1)] | None = None
    system: str | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 64
    batch_size: Annotated[int, Field(ge=1)] = 8
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    converses: ClassVar[bool] = True
    fetched: ClassVar[tuple[str, ...]] = ("model",)

    @field_validator("model", mode="before")
    @classmethod
    def _chosen(cls, value: object) -> object:
        if value is None:
            raise UserError(f"{SETTING}: set it to a name on huggingface.co, or a folder.")
        return value

    @cached_property
    def inputs(self) -> tuple[Input, ...]:  # type: ignore[override]
        """What it may be given; anything, as long as the model is not on this machine."""
        if self.takes is not None:
            return self.takes
        kind = known_kind(self.model, self.revision)
        return _ALL if kind is None else kind.inputs

    @property
    def pace(self) -> Pace:  # type: ignore[override]
        """As many at a time as fill a batch while the next one gathers."""
        return Pace(concurrency=min(2 * self.batch_size, 1024), attempts=1)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Model (of a folder: its files with their content), revision, prompts and decoding.

        Class, processor and chat template are the model's, so they need no mention of their own.
        """
        folder = Path(self.model)
        files = _hashes(folder) if folder.is_dir() else None
        return {
            "responder": "transformers",
            "adapter": ADAPTER,
            "model": self.model if files is None else folder.resolve().name,
            "revision": self.revision if files is None else files,
            "system": self.system,
            "max_tokens": self.max_tokens,
            "dtype": self.dtype,
        }

    @cached_property
    def _reader(self) -> Reader:
        with quiet_library():
            return load_reader(self.model, self.revision, self.system)

    def check(self, hearing: Hearing) -> None:
        """Refuse what the model can not be given, before its weights are loaded.

        Raises:
            UserError: it can not be given this, or can not be had or asked at all.
        """
        find_device(self.device)
        if faults := list(self._reader.faults(hearing)):
            raise UserError(faults)

    def with_room(self, max_tokens: int) -> TransformersResponder:
        """With a limit that is not below this one."""
        return replace(self, max_tokens=max(self.max_tokens, max_tokens))

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Load the model.

        Raises:
            UserError: it can not be had, or can not be asked.
        """
        with quiet_library():
            model = load_model(
                self._reader, self.revision,
                max_tokens=self.max_tokens, dtype=self.dtype, device=self.device,
            )  # fmt: skip
        batches = Batches(model, self.batch_size)
        try:
            yield batches
        finally:
            await batches.close()


def _hashes(folder: Path) -> dict[str, str]:
    """Content of every file by its place in the folder; hidden ones are of other programs."""
    found = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in place.parts):
            status = path.stat()
            found[place.as_posix()] = _hash(path.resolve(), status.st_size, status.st_mtime_ns)
    return found


@lru_cache(maxsize=4096)
def _hash(path: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001
    """A file's content, read once in a process as long as it does not change."""
    return content_hash(path)
