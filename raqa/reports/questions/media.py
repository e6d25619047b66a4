"""Recordings beside a page: a file that every browser plays, and a picture of its spectrogram."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from raqa.audio.decode import Decoded, decode_noted
from raqa.audio.waveform import AudioError, Waveform
from raqa.folders import make_folder

FOLDER = "media"

WINDOW_S, HOP_S = 0.025, 0.010
"""Of the spectrogram; the hop grows where the picture would have more than COLUMNS."""

COLUMNS = 1200
DECIBELS = 80.0
"""Shown below the loudest."""

_PLAYABLE = {
    ("WAV", "PCM_16"): ".wav",
    ("WAV", "PCM_U8"): ".wav",
    ("FLAC", "PCM_16"): ".flac",
    ("MP3", "MPEG_LAYER_III"): ".mp3",
}
"""Container and coding that all browsers play, with the suffix they go by."""

_OURS = re.compile(r"[0-9a-f]{24}\.(wav|flac|mp3|png)")


@dataclass(frozen=True)
class Recording:
    """A recording that a page has to play; times in seconds, None: from the beginning, to the end.

    Attributes:
        path: None: no file is known.
    """

    corpus: str
    recording_id: str
    path: Path | None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class Medium:
    """What a page shows of a recording.

    Attributes:
        sound, picture: relative to the page; None: there is none.
        told: length and rate, or why there is none.
    """

    sound: str | None
    picture: str | None
    told: str


def write_media(
    recordings: Iterable[Recording], folder: Path, watch: Callable[[], None] = lambda: None
) -> dict[tuple[str, str], Medium]:
    """Copy recordings into folder/media and draw their spectrograms.

    Files are named by a hash, so that no name from a corpus reaches a path or a link. Those of an
    earlier page that this one does not use are removed.

    Args:
        watch: is called after each recording.

    Returns:
        by corpus and recording_id.
    """
    media = folder / FOLDER
    make_folder(media)
    made = {}
    for one in recordings:
        made[one.corpus, one.recording_id] = _write(one, media)
        watch()
    used = {name for medium in made.values() for name in (medium.sound, medium.picture)}
    for path in media.iterdir():
        if _OURS.fullmatch(path.name) and f"{FOLDER}/{path.name}" not in used:
            path.unlink()
    return made


def _write(recording: Recording, media: Path) -> Medium:
    if recording.path is None:
        return Medium(None, None, "no file of this recording is known here")
    try:
        decoded = decode_noted(recording.path, recording.start_s, recording.end_s)
    except AudioError as error:
        return Medium(None, None, f"can not be played: {error}")
    identity = f"{recording.corpus}\0{recording.recording_id}"
    name = blake2b(identity.encode(), digest_size=12).hexdigest()
    wave = decoded.waveform
    sound = media / f"{name}{_sound(recording, decoded, media / name)}"
    (media / f"{name}.png").write_bytes(spectrogram_picture(wave))
    told = f"{wave.seconds:.2f} s at {wave.rate:,} Hz"
    return Medium(f"{FOLDER}/{sound.name}", f"{FOLDER}/{name}.png", told)


def _sound(recording: Recording, decoded: Decoded, target: Path) -> str:
    """Write the sound as it is, or as 16-bit WAV where a browser might not play it."""
    assert recording.path is not None
    whole = recording.start_s is None and recording.end_s is None
    suffix = _playable(recording.path) if whole and not decoded.notes else None
    if suffix is not None:
        shutil.copyfile(recording.path, target.with_suffix(suffix))
        return suffix
    import soundfile

    samples = decoded.waveform.samples
    loudest = max(1.0, float(np.abs(samples).max()))  # 16 bit would clip what is above full scale
    soundfile.write(target.with_suffix(".wav"), samples / loudest, decoded.waveform.rate,
                    subtype="PCM_16", format="WAV")  # fmt: skip
    return ".wav"


def _playable(path: Path) -> str | None:
    import soundfile

    try:
        with path.open("rb") as file, soundfile.SoundFile(file.fileno(), closefd=False) as sound:
            return _PLAYABLE.get((sound.format, sound.subtype))
    except (soundfile.SoundFileError, OSError):
        return None


def spectrogram(wave: Waveform) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Power in decibels below the loudest, `[frequencies, times]`, down to -DECIBELS."""
    from scipy.signal import ShortTimeFFT
    from scipy.signal.windows import hann

    width = min(max(2, round(WINDOW_S * wave.rate)), len(wave.samples))
    hop = max(1, round(HOP_S * wave.rate), len(wave.samples) // COLUMNS)
    transform = ShortTimeFFT(hann(width), hop, wave.rate, scale_to="psd")
    power = transform.spectrogram(wave.samples.astype(np.float64), p0=0,
                                  p1=max(1, len(wave.samples) // hop))  # fmt: skip
    loudest = max(float(power.max()), np.finfo(np.float64).tiny)
    return np.asarray(10 * np.log10(np.maximum(power / loudest, 10 ** (-DECIBELS / 10))))


def spectrogram_picture(wave: Waveform) -> bytes:
    """Draw a spectrogram with its axes in Hz and s as PNG; the same sound, the same bytes."""
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 2.1), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    picture = axes.imshow(
        spectrogram(wave), origin="lower", aspect="auto", cmap="magma", vmin=-DECIBELS, vmax=0,
        extent=(0.0, wave.seconds, 0.0, wave.rate / 2), interpolation="nearest",
    )  # fmt: skip
    axes.set_xlabel("time (s)", fontsize=10)
    axes.set_ylabel("frequency (Hz)", fontsize=10)
    axes.tick_params(labelsize=9)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    bar = figure.colorbar(picture, ax=axes, pad=0.01, aspect=14)
    bar.set_label("dB", fontsize=9)
    bar.ax.tick_params(labelsize=9)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()
