"""How a file stores its sound: container, coding and channels, read from its header."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raqa.audio.sniff import HEAD_BYTES, SOUNDFILE, decoders
from raqa.audio.waveform import AudioError


@dataclass(frozen=True)
class FileFormat:
    """What a header says, before anything is mixed to mono.

    Attributes:
        codec: container and coding, with the bit depth where the coding has one: "WAV PCM_16".
        channels: how many channels are stored.
    """

    codec: str
    channels: int


def read_format(path: Path) -> FileFormat | None:
    """Read a file's format; None where no decoder can open it."""
    try:
        with path.open("rb") as file:
            names = decoders(file.read(HEAD_BYTES))
    except (AudioError, OSError):
        return None
    found = (_of_soundfile(path) if name == SOUNDFILE else _of_ffmpeg(path, name)
             for name in names)  # fmt: skip
    return next((one for one in found if one is not None), None)


def _of_soundfile(path: Path) -> FileFormat | None:
    import soundfile

    try:
        with (
            path.open("rb") as file,
            soundfile.SoundFile(file.fileno(), closefd=False) as sound,
        ):
            return FileFormat(f"{sound.format} {sound.subtype}", sound.channels)
    except (soundfile.SoundFileError, OSError):
        return None


def _of_ffmpeg(path: Path, demuxer: str) -> FileFormat | None:
    import av

    try:
        with (
            path.open("rb") as file,
            av.open(file, mode="r", format=demuxer, metadata_errors="ignore") as container,
        ):
            if not container.streams.audio:
                return None
            coding = container.streams.audio[0].codec_context
            names = dict.fromkeys((demuxer, coding.codec.canonical_name))
            return FileFormat(" ".join(names), coding.layout.nb_channels)
    except (av.FFmpegError, OSError):
        return None
