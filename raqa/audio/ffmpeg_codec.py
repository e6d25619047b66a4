"""Decoding with PyAV's FFmpeg: WebM, m4a, aac, mp3 and what libsndfile refuses.

MP3 goes here too: the samples are the same, and libsndfile's decoder writes on stderr.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from raqa.audio.waveform import AudioError

if TYPE_CHECKING:
    from av import AudioFrame
    from av.container import InputContainer

# What full scale is in FFmpeg's sample formats (planar ones end in "p").
_SCALES = {"u8": 128.0, "s16": 32768.0, "s32": 2147483648.0, "flt": 1.0, "dbl": 1.0}

# PyAV 18 counts the planes of a frame up to a null pointer that FFmpeg does not promise from eight
# channels on, and then reads wherever it gets. A damaged AAC header claims 47 of them.
MOST_CHANNELS = 7

Frames = dict[tuple[int, int], list[NDArray[np.float32]]]


def read_ffmpeg(
    path: Path, demuxer: str, longest_s: float
) -> tuple[NDArray[np.float32], int, list[str]]:
    """Decode `[samples, channels]` float32 of a whole file, with its rate and notes.

    Packets that can not be decoded are left out, as FFmpeg's own player does.

    Args:
        demuxer: FFmpeg's name of the container.

    Raises:
        AudioError: it is not such a container, has no audio, or is longer than `longest_s`.
    """
    import av

    try:
        # The open file and not its name: names may hold anything, also what FFmpeg takes for an
        # address.
        with (
            path.open("rb") as file,
            av.open(file, mode="r", format=demuxer, metadata_errors="ignore") as container,
        ):
            frames, damaged = _decode(container, longest_s)
    except av.FFmpegError as error:
        raise AudioError(f"FFmpeg can not read it as {demuxer}: {error.strerror}") from error
    notes = [f"{damaged} damaged packet(s) left out"] if damaged else []
    if not frames:
        return np.zeros((0, 1), np.float32), 0, notes
    # A damaged header within the stream may claim another rate for a frame or two.
    (rate, channels), blocks = max(
        frames.items(), key=lambda item: sum(len(block) for block in item[1])
    )
    if channels > MOST_CHANNELS:
        raise AudioError(f"{channels} channels, more than the {MOST_CHANNELS} that can be read")
    if len(frames) > 1:
        notes.append(f"only its frames of {rate} Hz and {channels} channel(s) are used")
    return np.concatenate(blocks), rate, notes


def _decode(container: InputContainer, longest_s: float) -> tuple[Frames, int]:
    """Decode all frames, by rate and channels, and count the packets that could not be."""
    import av

    if not container.streams.audio:
        raise AudioError("there is no audio stream in it")
    stream = container.streams.audio[0]
    frames: Frames = defaultdict(list)
    damaged, seconds = 0, 0.0
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            damaged += 1
            break
        if packet is None:
            break
        try:
            decoded = packet.decode()
        except av.FFmpegError:
            damaged += 1
            continue
        for frame in decoded:
            if frame.sample_rate <= 0:
                damaged += 1
                continue
            channels = frame.layout.nb_channels
            frames[frame.sample_rate, channels].append(_samples(frame))
            seconds += frame.samples / frame.sample_rate
        if seconds > longest_s:
            raise AudioError(f"longer than {longest_s / 3600:g} hours")
    return frames, damaged


def _samples(frame: AudioFrame) -> NDArray[np.float32]:
    """One frame as `[samples, channels]` float32 in units of full scale.

    Of more than `MOST_CHANNELS` none is taken.
    """
    if frame.layout.nb_channels > MOST_CHANNELS:
        return np.zeros((frame.samples, 0), np.float32)
    name = frame.format.name.removesuffix("p")
    if name not in _SCALES:
        raise AudioError(f"samples of format {frame.format.name} are not supported")
    values: NDArray[Any] = frame.to_ndarray()
    values = values.T if frame.format.is_planar else values.reshape(frame.samples, -1)
    if values.dtype == np.float32:
        return values  # as it is, also NaN: that is noticed later
    centred = values.astype(np.float64) - (128.0 if name == "u8" else 0.0)
    with np.errstate(over="ignore"):  # to infinity, which is noticed later
        return (centred / _SCALES[name]).astype(np.float32)
