"""A fake synthesiser for tests: it says every word as a tone, so that no program is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from raqa.audio.speech import Synthesiser
from raqa.audio.waveform import Waveform

RATE = 8000
WORD_S = 0.1


@dataclass(frozen=True)
class ToneSpeech(Synthesiser):
    """A fake: says nothing that anyone could understand, 0.1 s a word.

    Attributes:
        hertz: of its tones; changes what it sounds like, as another voice does.
        amplitude: of full scale.
    """

    hertz: float = 440.0
    amplitude: float = 0.5

    @property
    def identity(self) -> Mapping[str, Any]:
        """Says that it is a fake."""
        return {"synthesiser": "tones", "fake": True, "hertz": self.hertz}

    def say(self, text: str) -> Waveform:
        """A tone as long as there are words."""
        time = np.arange(round(WORD_S * len(text.split()) * RATE)) / RATE
        tone = self.amplitude * np.sin(2 * np.pi * self.hertz * time)
        return Waveform(tone.astype(np.float32), RATE)
