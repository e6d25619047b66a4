"""A recording with a question spoken after it: what is heard where no question is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.audio.resample import resample
from raqa.audio.speech import Espeak, Synthesiser, spoken
from raqa.audio.waveform import Waveform

REVISION = 1
"""Raised when the same recording and text begin to give other samples; responses are kept under
it."""

LOWEST_RATE = 16_000
"""In Hz. Speech is not understood at the 4 kHz of some recordings; these are raised to it."""

_LETTER_PAUSE_S = 0.2
_FADE_S = 0.01
_PEAK = 0.98

Decibels = Annotated[float, Field(ge=-60, le=-6, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class SpokenQuestions:
    """How questions are spoken after recordings.

    Speech is as loud as the recording (RMS), but within what is heard well and does not clip.

    Attributes:
        pause_s: between the recording and the question.
        option_pause_s: before each option.
        quietest_db, loudest_db: the RMS that speech is held within, in dB of full scale.
    """

    synthesiser: Synthesiser = field(default_factory=Espeak)
    pause_s: Seconds = 1.0
    option_pause_s: Seconds = 0.6
    quietest_db: Decibels = -30.0
    loudest_db: Decibels = -18.0

    def __post_init__(self) -> None:
        if self.quietest_db > self.loudest_db:
            raise ValueError(f"quietest_db={self.quietest_db:g} is above {self.loudest_db:g}")

    @property
    def facts(self) -> dict[str, Any]:
        """What decides the samples for a recording and a text, as plain JSON values."""
        return {
            "synthesiser": dict(self.synthesiser.identity),
            "pause_s": self.pause_s,
            "option_pause_s": self.option_pause_s,
            "quietest_db": self.quietest_db,
            "loudest_db": self.loudest_db,
            "revision": REVISION,
        }

    def check(self) -> None:
        """Speak a letter, so that what is missing is said before any work.

        Raises:
            UserError: something is missing, or there is no such voice.
        """
        spoken(self.synthesiser, "A.")

    def after(self, recording: Waveform, question: str, options: Sequence[str]) -> Waveform:
        """The recording, a pause, the question, and each option after its letter.

        Args:
            options: at most 26 texts.

        Returns:
            at the recording's rate, or LOWEST_RATE where that is lower.

        Raises:
            AudioError: a text can not be spoken.
            UserError: nothing can.
        """
        own = _faded(resample(recording, max(recording.rate, LOWEST_RATE)))
        parts = [(self.pause_s, question)]
        for place, text in enumerate(options):
            # "A. wheeze" in one breath would be "a wheeze".
            parts += [(self.option_pause_s, f"{chr(ord('A') + place)}."), (_LETTER_PAUSE_S, text)]
        pieces: list[NDArray[np.float32]] = []
        for pause_s, text in parts:
            said = resample(spoken(self.synthesiser, text), own.rate)
            pieces += [np.zeros(round(pause_s * own.rate), np.float32), said.samples]
        gain = self._gain(np.concatenate(pieces[1::2]), own.samples)
        return Waveform(
            np.concatenate([own.samples, *(gain * piece for piece in pieces)]), own.rate
        )

    def _gain(self, voice: NDArray[np.float32], recording: NDArray[np.float32]) -> np.float32:
        """What speech is multiplied by to be as loud as the recording."""
        low, high = (10 ** (level / 20) for level in (self.quietest_db, self.loudest_db))
        wanted = np.clip(_rms(recording), low, high)
        return np.float32(min(wanted / _rms(voice), _PEAK / float(np.abs(voice).max())))


def _faded(recording: Waveform) -> Waveform:
    """The recording without the click of its end, which would sound like a crackle."""
    fade = np.linspace(1, 0, round(_FADE_S * recording.rate), dtype=np.float32)
    samples = recording.samples.copy()
    samples[-len(fade) :] *= fade[-len(samples) :]
    return Waveform(samples, recording.rate)


def _rms(samples: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.square(samples, dtype=np.float64).mean())) if len(samples) else 0.0
