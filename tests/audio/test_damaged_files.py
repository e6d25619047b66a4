"""Files damaged at random: no crash, no hang, no NaN, every one accounted for."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from raqa.audio.decode import decode
from raqa.audio.waveform import AudioError

Write = Callable[..., Path]
FILES = 300

# In a process of its own, since a codec may crash.
DECODE_ALL = """
import json, sys, time
from pathlib import Path
import numpy as np
from raqa.audio.decode import decode
from raqa.audio.waveform import AudioError

results = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    begin = time.monotonic()
    try:
        samples = decode(path).samples
        result = "used" if np.isfinite(samples).all() and np.abs(samples).max() > 0 else "wrong"
    except AudioError as error:
        result = f"refused: {error}"
    results[path.name] = result if time.monotonic() - begin < 20 else "slow"
print(json.dumps(results))
"""


def _damage(content: bytes, rng: random.Random) -> bytes:
    """Cut it anywhere, or flip bytes anywhere or in the header, or both."""
    damaged = bytearray(content)
    if rng.random() < 0.6:
        reach = len(damaged) if rng.random() < 0.6 else 200
        for _ in range(rng.choice([1, 3, 10, 100])):
            damaged[rng.randrange(reach)] = rng.randrange(256)
    if rng.random() < 0.5:
        del damaged[rng.randrange(len(damaged)) :]
    return bytes(damaged)


@pytest.fixture
def whole_files(sound: Callable[..., np.ndarray], wav: Write, ffmpeg: Write) -> dict[str, bytes]:
    samples = sound(rate=48_000)
    paths = {
        "wav": wav(samples, 48_000),
        "float.wav": wav(samples, 48_000, "b.wav", subtype="FLOAT"),
        "flac": wav(samples, 48_000, "c", container="FLAC"),
        "ogg": wav(samples, 48_000, "d", container="OGG", subtype="VORBIS"),
        "opus.ogg": wav(samples, 48_000, "e", container="OGG", subtype="OPUS"),
        "mp3": ffmpeg(samples, 48_000, "libmp3lame", "mp3", "s16p", "f"),
        "webm": ffmpeg(samples, 48_000, "libopus", "webm", "s16", "g", live=True),
        "m4a": ffmpeg(samples, 48_000, "aac", "mp4", "fltp", "h"),
        "aac": ffmpeg(samples, 48_000, "aac", "adts", "fltp", "i"),
    }
    return {kind: path.read_bytes() for kind, path in paths.items()}


def test_no_damage_crashes_hangs_or_gives_nan(
    tmp_path: Path, whole_files: dict[str, bytes]
) -> None:
    rng = random.Random(0)
    folder = tmp_path / "damaged"
    folder.mkdir()
    for number in range(FILES):
        kind = list(whole_files)[number % len(whole_files)]
        (folder / f"{number}.{kind}").write_bytes(_damage(whole_files[kind], rng))
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", DECODE_ALL, folder],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    results = json.loads(run.stdout)
    assert len(results) == FILES
    wrong = {name: result for name, result in results.items() if result in {"wrong", "slow"}}
    assert wrong == {}
    # Damage that leaves most of a file alone does not cost the file.
    assert sum(result == "used" for result in results.values()) > FILES / 3


def test_a_frame_of_more_channels_than_pyav_can_hand_over_is_refused(tmp_path: Path) -> None:
    # Found by damaging files at random: an AAC header claimed 47 channels, and PyAV's conversion
    # read beyond the planes there are and crashed.
    import av

    path = tmp_path / "a.mka"
    with av.open(str(path), "w", format="matroska") as file:
        stream = file.add_stream("pcm_s16le", rate=16_000, layout="7.1")
        noise = np.random.default_rng(0).integers(-9999, 9999, (1, 8 * 16_000), np.int16)
        frame = av.AudioFrame.from_ndarray(noise, format="s16", layout="7.1")
        frame.sample_rate = 16_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            file.mux(packet)
    with pytest.raises(AudioError, match="8 channels"):
        decode(path)
