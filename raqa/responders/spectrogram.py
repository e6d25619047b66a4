"""A recording as an image for vision models: its mel spectrogram with readable axes.

Analysis as in CaReCoS: frames of 1024 samples every 512, 256 mel bands, axes in Hz and seconds.
"""

from __future__ import annotations

import io
from dataclasses import asdict
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.audio.waveform import Waveform

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REVISION = 1
"""Raised when the same samples begin to give another image; responses are kept under it."""

TICKS_HZ = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
_BOX = (0.11, 0.13, 0.77, 0.80)  # of the axes in the figure: left, bottom, width, height
_drawing = Lock()  # matplotlib's caches are not made for threads

Floats = NDArray[np.float64]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class SpectrogramSettings:
    """How the image is computed and drawn.

    Attributes:
        n_fft, hop: samples of a frame and between frames, at the recording's own rate.
        bands: mel bands from 0 Hz to half the rate.
        range_db: loudness that is told apart, down from the loudest.
        width, height: of the image in pixels.
    """

    n_fft: Annotated[int, Field(ge=64)] = 1024
    hop: Annotated[int, Field(ge=16)] = 512
    bands: Annotated[int, Field(ge=16)] = 256
    range_db: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 80.0
    width: Annotated[int, Field(ge=300, le=4000)] = 1000
    height: Annotated[int, Field(ge=200, le=4000)] = 600

    @property
    def facts(self) -> dict[str, Any]:
        """What decides the image, as plain JSON values."""
        return {**asdict(self), "revision": REVISION}


def spectrogram_image(waveform: Waveform, settings: SpectrogramSettings) -> bytes:
    """Draw a recording's mel spectrogram.

    Returns:
        a PNG file, RGB, `settings.width` by `settings.height` pixels.
    """
    levels = mel_levels(waveform, settings)
    with _drawing:
        return _draw(levels, waveform, settings)


def mel_levels(waveform: Waveform, settings: SpectrogramSettings) -> Floats:
    """Loudness of each mel band over time: dB under the loudest, `[bands, frames]`.

    Frames are centred on multiples of `hop`; the recording is mirrored at both ends.
    """
    samples = waveform.samples.astype(np.float64)
    samples = np.pad(samples, settings.n_fft // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(samples, settings.n_fft)[:: settings.hop]
    window = np.hanning(settings.n_fft + 1)[:-1]
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    mel = _filters(waveform.rate, settings) @ power.T
    loudest = float(mel.max())
    if loudest <= 0:
        return np.full(mel.shape, -settings.range_db)
    levels: Floats = 10 * np.log10(np.maximum(mel / loudest, 1e-30))
    return np.maximum(levels, -settings.range_db)


def to_mel(hertz: Any) -> Any:
    """Frequency on the mel scale: O'Shaughnessy's formula, as in HTK."""
    return 2595 * np.log10(1 + np.asarray(hertz, np.float64) / 700)


def _from_mel(mel: Floats) -> Floats:
    return 700 * (10 ** (mel / 2595) - 1)


def _filters(rate: int, settings: SpectrogramSettings) -> Floats:
    """Triangular bands over the bins of the spectrum, `[bands, bins]`.

    So many bands are narrower than a bin at low frequencies, where published code leaves rows of
    the image black; here a band is at least as wide as it takes to reach its neighbouring bins.
    """
    bins = np.arange(settings.n_fft // 2 + 1) * rate / settings.n_fft
    edges = _from_mel(np.linspace(0, float(to_mel(rate / 2)), settings.bands + 2))
    low, centre, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    step = rate / settings.n_fft
    rise = (bins - centre) / np.maximum(centre - low, step)
    fall = (bins - centre) / np.maximum(high - centre, step)
    weights: Floats = np.clip(1 - np.where(bins < centre, -rise, fall), 0, None)
    return weights


def _draw(levels: Floats, waveform: Waveform, settings: SpectrogramSettings) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure((settings.width / 100, settings.height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes(_BOX)
    top = float(to_mel(waveform.rate / 2))
    half_frame = settings.hop / waveform.rate / 2
    edge = top / (settings.bands + 1) / 2  # the first band's centre is a step above 0
    image = axes.imshow(
        levels,
        origin="lower",
        aspect="auto",
        cmap="magma",
        vmin=-settings.range_db,
        vmax=0,
        interpolation="nearest",
        extent=(-half_frame, levels.shape[1] * 2 * half_frame - half_frame, edge, top - edge),
    )
    _label(axes, waveform, top)
    bar = figure.colorbar(image, cax=figure.add_axes((0.90, _BOX[1], 0.02, _BOX[3])))
    bar.set_label("level (dB)", fontsize=11)
    file = io.BytesIO()
    canvas.draw()  # type: ignore[no-untyped-call]
    # Without the transparency that matplotlib would write and some models' readers do not expect.
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]  # type: ignore[no-untyped-call]
    Image.fromarray(pixels).save(file, format="PNG")
    return file.getvalue()


def _label(axes: Axes, waveform: Waveform, top: float) -> None:
    axes.set_xlim(0, waveform.seconds)
    axes.set_ylim(0, top)
    half = waveform.rate / 2
    ticks = [*(hertz for hertz in TICKS_HZ if hertz < 0.85 * half), half]
    axes.set_yticks([float(to_mel(hertz)) for hertz in ticks], [f"{hertz:g}" for hertz in ticks])
    axes.set_xlabel("time (s)", fontsize=12)
    axes.set_ylabel("frequency (Hz)", fontsize=12)
    axes.tick_params(labelsize=11)
