"""From a recording to what a responder is given of it, opened once for all questions about it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass as plain
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.audio.clip import ClipPolicy
from raqa.audio.decode import REVISION, decode
from raqa.audio.resample import resample
from raqa.audio.waveform import AudioError
from raqa.responders.base import Heard, Input, Responder
from raqa.responders.spectrogram import SpectrogramSettings, spectrogram_image

_WHOLE = ClipPolicy(length_s=30.0, part="first", padding="none")


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Hearing:
    """What of a recording is given.

    Attributes:
        given: the waveform, its spectrogram, both, or nothing.
        rate: of the waveform in Hz; None: that of the responder, or without one the recording's
            own, which the spectrogram always is of.
        clip: which part; 30 s is what most audio-language models hear at most.
        image: of the spectrogram.
    """

    given: Input = "audio"
    rate: Annotated[int, Field(ge=4000, le=192_000)] | None = None
    clip: ClipPolicy = _WHOLE
    image: SpectrogramSettings = field(default_factory=SpectrogramSettings)

    def of(self, responder: Responder) -> Hearing:
        """The same for a responder, which says at what rate it hears where that is not set."""
        return self if self.rate is not None else replace(self, rate=responder.rate)

    @property
    def facts(self) -> dict[str, Any]:
        """What decides the waveform and the image of a file's content, as plain JSON values."""
        facts: dict[str, Any] = {"given": self.given}
        if self.given != "none":
            facts |= {"decoding": REVISION, "clip": dict(self.clip.settings)}
        if self.given in {"audio", "both"}:
            facts["rate"] = self.rate
        if self.given in {"spectrogram", "both"}:
            facts["image"] = self.image.facts
        return facts

    def hear(self, path: Path, start_s: float | None, end_s: float | None) -> Heard:
        """Open a recording, or a segment of it.

        Raises:
            AudioError: it can not be used.
        """
        own = self.clip.apply(decode(path, start_s, end_s))
        heard = shown = None
        if self.given in {"audio", "both"}:
            heard = own if self.rate is None else resample(own, self.rate)
        if self.given in {"spectrogram", "both"}:
            shown = spectrogram_image(own, self.image)
        return Heard(heard, shown)


@plain
class Recordings:
    """Recordings that are opened in threads when they are first asked for, the latest kept.

    Attributes:
        files: FILES columns.
        most: how many are kept.
    """

    hearing: Hearing
    files: pl.DataFrame
    most: int
    _open: OrderedDict[int, asyncio.Task[Heard | AudioError]] = field(default_factory=OrderedDict)

    async def hear(self, row: int) -> Heard | AudioError:
        """What is given of the recording in a row, or why it can not be used."""
        if row not in self._open:
            self._open[row] = asyncio.create_task(asyncio.to_thread(self._hear, row))
            while len(self._open) > self.most:
                self._open.popitem(last=False)
        return await asyncio.shield(self._open[row])

    def _hear(self, row: int) -> Heard | AudioError:
        path, start_s, end_s = self.files.row(row)
        try:
            heard = self.hearing.hear(Path(path), start_s, end_s)
            heard.wav  # noqa: B018 - encoded here, in a thread, and kept
        except AudioError as error:
            return error
        return heard
