"""From a file to a waveform, or to a plain reason why it can not become one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from raqa.audio.ffmpeg_codec import read_ffmpeg
from raqa.audio.mono import to_mono
from raqa.audio.sniff import HEAD_BYTES, SOUNDFILE, decoders
from raqa.audio.soundfile_codec import read_soundfile
from raqa.audio.waveform import AudioError, Waveform

REVISION = 1
"""Raised when the same file begins to give other samples; embeddings are kept under it."""

SHORTEST_S = 0.05
"""Under two analysis windows of 25 ms there is no sound to describe (a cough lasts 0.3 s)."""

LONGEST_S = 12 * 3600.0
"""A night's recording; what claims to be longer is a damaged header."""

LOUDEST = 100.0
"""40 dB over full scale: damaged, or integers stored as floats; no codec goes there."""

QUIETEST = 2.0**-23
"""One step of 24-bit audio; a recording with no sample above it is digital silence."""

RATES = (1_000, 384_000)
"""Sample rates (Hz) of recorders for body sounds to the highest of sound cards."""


@dataclass(frozen=True)
class Decoded:
    """A waveform and what had to be mended to get it, for example a dead channel left out."""

    waveform: Waveform
    notes: tuple[str, ...] = ()


def decode(path: Path, start_s: float | None = None, end_s: float | None = None) -> Waveform:
    """Decode a file, or a segment of it, to mono float32 at its own rate.

    Args:
        start_s, end_s: the segment in seconds; None: from the beginning, to the end.

    Raises:
        AudioError: the file can not be used; the message says why, without the path.
    """
    return decode_noted(path, start_s, end_s).waveform


def decode_noted(path: Path, start_s: float | None = None, end_s: float | None = None) -> Decoded:
    """Decode as `decode` does and say also what was mended on the way.

    A truncated or damaged file is used as far as it can be decoded, if that is at least
    `SHORTEST_S`: clips are cut to a few seconds anyway, and the beginning is what it was.
    Samples beyond ±1 are kept: codecs reconstruct peaks above full scale, and clipping
    them would distort exactly the loudest coughs.
    """
    if (start_s or 0) < 0 or (end_s is not None and end_s <= (start_s or 0)):
        raise AudioError(f"a segment from {start_s} to {end_s} s has no length or is negative")
    try:
        channels, rate, notes = _read(path, start_s, end_s)
    except OSError as error:
        raise AudioError(f"can not be opened: {error.strerror or error}") from error
    except MemoryError as error:
        raise AudioError("does not fit into memory") from error
    if not RATES[0] <= rate <= RATES[1]:
        raise AudioError(f"a sample rate of {rate} Hz is outside {RATES[0]}-{RATES[1]} Hz")
    _check_values(channels)
    samples, mixed = to_mono(channels)
    waveform = Waveform(samples, rate)
    _check_sound(waveform)
    if end_s is not None and waveform.seconds < end_s - (start_s or 0) - 1 / rate:
        notes.append(f"the segment's last {end_s - (start_s or 0) - waveform.seconds:.2f} s "
                     "are after the end of the file")  # fmt: skip
    return Decoded(waveform, (*notes, *mixed))


def _read(
    path: Path, start_s: float | None, end_s: float | None
) -> tuple[NDArray[np.float32], int, list[str]]:
    """Read `[samples, channels]` of the segment with the first decoder that can."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise AudioError("the file is empty (0 bytes)")
    failures: list[str] = []
    empty = False
    for decoder in decoders(head):
        try:
            if decoder == SOUNDFILE:
                channels, rate, notes = read_soundfile(path, start_s, end_s, LONGEST_S)
            else:
                channels, rate, notes = read_ffmpeg(path, decoder, LONGEST_S)
                channels = _cut(channels, rate, start_s, end_s)
        except AudioError as error:
            failures.append(str(error))
            continue
        if len(channels):
            return channels, rate, notes
        empty = True
    if empty and (start_s or end_s):
        raise AudioError(f"the segment from {start_s or 0:g} s on lies after the end of the file")
    if empty:
        raise AudioError("a header without samples")
    if head.startswith(b"ID3"):
        raise AudioError("a tag with no audio after it")
    raise AudioError("; ".join(failures))


def _cut(
    channels: NDArray[np.float32], rate: int, start_s: float | None, end_s: float | None
) -> NDArray[np.float32]:
    """Take the segment out of a whole file."""
    stop = None if end_s is None else round(end_s * rate)
    return channels[round((start_s or 0) * rate) : stop]


def _check_values(channels: NDArray[np.float32]) -> None:
    """Refuse samples that are no numbers or far beyond full scale."""
    broken = int(np.count_nonzero(~np.isfinite(channels)))
    if broken:
        raise AudioError(f"{broken} of {channels.size} samples are NaN or infinite")
    loudest = float(np.abs(channels).max())
    if loudest > LOUDEST:
        raise AudioError(
            f"a sample of {loudest:.3g} times full scale: damaged, or integers stored as floats"
        )


def _check_sound(waveform: Waveform) -> None:
    """Refuse what is too short or silent to be a recording."""
    if waveform.seconds < SHORTEST_S:
        raise AudioError(
            f"{waveform.seconds * 1000:.0f} ms long; "
            f"the shortest usable is {SHORTEST_S * 1000:g} ms"
        )
    samples = waveform.samples
    if not samples.any():
        raise AudioError("every sample is zero")
    if samples.min() == samples.max():
        raise AudioError(f"every sample is the same ({samples[0]:.3g})")
    if np.abs(samples).max() < QUIETEST:
        raise AudioError("digital silence: no sample reaches one step of 24-bit audio")
