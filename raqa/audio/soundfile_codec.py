"""Decoding with libsndfile (wav, flac, ogg, aiff, ...)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from raqa.audio.waveform import AudioError

BLOCK_FRAMES = 1 << 15


def read_soundfile(
    path: Path, start_s: float | None, end_s: float | None, longest_s: float
) -> tuple[NDArray[np.float32], int, list[str]]:
    """Decode `[samples, channels]` float32 of a file, or of a part of it, with its rate and notes.

    Blocks are read until no more come, since the length in a damaged header may promise
    terabytes; what was decoded before the damage is kept.

    Raises:
        AudioError: libsndfile can not open the file, or the part is longer than `longest_s`.
    """
    blocks: list[NDArray[np.float32]] = []
    notes: list[str] = []
    # By descriptor: given a name, the extension would take part in the choice of the format.
    try:
        with (
            path.open("rb") as file,
            soundfile.SoundFile(file.fileno(), closefd=False) as sound,
        ):
            rate = sound.samplerate
            # Another damaged header: this many channels would make blocks of gigabytes.
            if sound.channels > 64:
                raise AudioError(f"{sound.channels} channels: the header is damaged")
            left = None if end_s is None else round(end_s * rate) - round((start_s or 0) * rate)
            if start_s:
                sound.seek(min(round(start_s * rate), sound.frames))
            read = 0
            while left is None or read < left:
                wanted = BLOCK_FRAMES if left is None else min(BLOCK_FRAMES, left - read)
                try:
                    block = sound.read(wanted, dtype="float32", always_2d=True)
                except soundfile.LibsndfileError:
                    notes.append("damaged; what stands before the damage is used")
                    break
                if not len(block):
                    break
                blocks.append(block)
                read += len(block)
                if read > longest_s * rate:
                    raise AudioError(f"longer than {longest_s / 3600:g} hours")
    except soundfile.SoundFileError as error:
        raise AudioError(f"libsndfile can not read it: {_reason(error)}") from error
    samples = np.concatenate(blocks) if blocks else np.zeros((0, 1), np.float32)
    return samples, rate, notes


def _reason(error: soundfile.SoundFileError) -> str:
    """libsndfile's own words, without the descriptor that soundfile puts before them."""
    return str(getattr(error, "error_string", error)).rstrip(".")
