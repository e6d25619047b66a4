"""From a recording to what a responder is given of it, opened once for all questions about it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass as plain
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.audio.clip import ClipPolicy
from raqa.audio.decode import REVISION, decode
from raqa.audio.resample import resample
from raqa.audio.spoken import SpokenQuestions
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
        spoken: how questions that are not written are spoken after that part; of these the
            spectrogram is at least at a rate at which speech is understood.
    """

    given: Input = "audio"
    rate: Annotated[int, Field(ge=4000, le=192_000)] | None = None
    clip: ClipPolicy = _WHOLE
    image: SpectrogramSettings = field(default_factory=SpectrogramSettings)
    spoken: SpokenQuestions = field(default_factory=SpokenQuestions)

    def of(self, responder: Responder) -> Hearing:
        """The same for a responder, which says at what rate it hears where that is not set."""
        return self if self.rate is not None else replace(self, rate=responder.rate)

    @property
    def facts(self) -> dict[str, Any]:
        """What decides the waveform and the image of a file's content, as plain JSON values.

        How questions are spoken is not in it: it decides nothing about those that are written.
        """
        facts: dict[str, Any] = {"given": self.given}
        if self.given != "none":
            facts |= {"decoding": REVISION, "clip": dict(self.clip.settings)}
        if self.given in {"audio", "both"}:
            facts["rate"] = self.rate
        if self.given in {"spectrogram", "both"}:
            facts["image"] = self.image.facts
        return facts

    def hear(self, place: Place) -> Heard:
        """Open a recording, or a segment of it, and speak what is to be spoken after it.

        Raises:
            AudioError: it can not be used, or the question can not be spoken.
            UserError: no question can.
        """
        own = self.clip.apply(decode(place.path, place.start_s, place.end_s))
        if place.aloud is not None:
            own = self.spoken.after(own, *place.aloud)
        heard = shown = None
        if self.given in {"audio", "both"}:
            heard = own if self.rate is None else resample(own, self.rate)
        if self.given in {"spectrogram", "both"}:
            shown = spectrogram_image(own, self.image)
        return Heard(heard, shown)


@plain(frozen=True)
class Place:
    """Where something is heard.

    Attributes:
        start_s, end_s: of a segment; None: the whole file.
        aloud: a question and its options, spoken after it; None: nothing is.
    """

    path: Path
    start_s: float | None = None
    end_s: float | None = None
    aloud: tuple[str, tuple[str, ...]] | None = None


@plain
class Recordings:
    """Recordings that are opened in threads when they are first asked for, the latest kept.

    Attributes:
        places: where each row is heard.
        most: how many are kept.
    """

    hearing: Hearing
    places: Sequence[Place]
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
        try:
            heard = self.hearing.hear(self.places[row])
            heard.wav  # noqa: B018 - encoded here, in a thread, and kept
        except AudioError as error:
            return error
        return heard
