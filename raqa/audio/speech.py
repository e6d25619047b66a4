"""Text spoken by an offline synthesiser."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.audio.waveform import AudioError, Waveform
from raqa.errors import UserError

_PROGRAM = "espeak-ng"
_LONGEST_S = 120.0
_KEPT = 256
"""Spoken texts that are kept: letters and options come again and again."""


class Synthesiser(ABC):
    """Speaks texts; has to be hashable, and two that are equal say the same."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides how a text sounds, as plain JSON values.

        Raises:
            UserError: what is needed to speak is missing.
        """

    @abstractmethod
    def say(self, text: str) -> Waveform:
        """Speak a text; the same text gives the same samples, without silence around it.

        Raises:
            AudioError: it can not be spoken.
            UserError: nothing can.
        """


@lru_cache(maxsize=_KEPT)
def spoken(synthesiser: Synthesiser, text: str) -> Waveform:
    """What a synthesiser says, said once for all who ask again soon; not to be changed.

    Raises:
        AudioError, UserError: as `say`.
    """
    return synthesiser.say(text)


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Espeak(Synthesiser):
    """The program espeak-ng, which the user installs. It needs no network and draws nothing.

    Attributes:
        voice: one of `espeak-ng --voices`.
        words_per_minute: of normal text.
    """

    voice: Annotated[str, Field(pattern=r"^[A-Za-z][\w+-]*$")] = "en-us"
    words_per_minute: Annotated[int, Field(ge=80, le=450)] = 150

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Program, version and settings."""
        shown = _run(["--version"], "").decode(errors="replace")
        version = re.search(r"\d+(?:\.\d+)+\S*", shown)
        return {
            "synthesiser": _PROGRAM,
            "version": version.group() if version else shown.strip()[:60],
            "voice": self.voice,
            "words_per_minute": self.words_per_minute,
        }

    def say(self, text: str) -> Waveform:
        """Speak a text at the voice's own rate (22,050 Hz)."""
        import soundfile

        settings = ["-v", self.voice, "-s", str(self.words_per_minute), "-b", "1", "-z"]
        made = _run([*settings, "--stdin", "--stdout"], _readable(text))
        samples = np.zeros(0, np.float32)
        if made:
            # The header of a file that is written as it is spoken names no length; this reader
            # takes what there is.
            samples, rate = soundfile.read(io.BytesIO(made), dtype="float32")
        sounding = np.flatnonzero(samples)
        if not len(sounding):
            raise AudioError("its question, or an option, has nothing that can be spoken")
        return Waveform(samples[sounding[0] : sounding[-1] + 1].copy(), int(rate))


def _readable(text: str) -> str:
    """A text of which the program reads everything and obeys nothing: [[...]] are phonemes."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return shown.replace("[[", "[ [").encode(errors="replace").decode()


def _run(arguments: list[str], text: str) -> bytes:
    """Run the program, without a shell, on a text."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise UserError(
            "Spoken questions (voice_qa) need the program espeak-ng, which is not installed. "
            "Debian, Ubuntu: apt install espeak-ng. Fedora: dnf install espeak-ng. Arch: pacman -S "
            "espeak-ng. macOS: brew install espeak-ng. Windows: winget install eSpeak-NG.eSpeak-NG."
        )
    try:
        done = subprocess.run(
            [program, *arguments], input=text.encode(), capture_output=True, timeout=_LONGEST_S,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise AudioError(f"{_PROGRAM} did not speak it within {_LONGEST_S:g} s") from None
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        hint = "; `espeak-ng --voices` lists the voices" if "voice" in said else ""
        raise UserError(f"{_PROGRAM} {' '.join(arguments)}: {said[:300]}{hint}.")
    return done.stdout
