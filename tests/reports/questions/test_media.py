import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from raqa.audio.waveform import Waveform
from raqa.reports.questions.media import Recording, spectrogram, spectrogram_picture, write_media


def media_of(recordings, tmp_path):
    asked = [Recording(row["corpus"], row["recording_id"], Path(row["path"]), row["start_s"],
                       row["end_s"]) for row in recordings.iter_rows(named=True)]  # fmt: skip
    made = write_media(asked, tmp_path / "page")
    return {name: medium for (_, name), medium in made.items()}


def test_what_every_browser_plays_is_copied_and_the_rest_becomes_16_bit(recordings, tmp_path):
    media = media_of(recordings, tmp_path)
    page = tmp_path / "page"
    original = Path(recordings["path"][0]).read_bytes()
    assert (page / media["plain"].sound).read_bytes() == original
    for name in ("deep", "loud", "part"):
        assert soundfile.info(page / media[name].sound).subtype == "PCM_16"
    assert soundfile.info(page / media["part"].sound).frames == 2000


def test_what_is_above_full_scale_is_made_softer_not_clipped(recordings, tmp_path):
    sound, _ = soundfile.read(tmp_path / "page" / media_of(recordings, tmp_path)["loud"].sound)
    assert (np.abs(sound) > 0.999).sum() <= 2


def test_what_can_not_be_played_says_why(recordings, tmp_path):
    media = media_of(recordings, tmp_path)
    silent = [medium for medium in media.values() if medium.sound is None]
    assert len(silent) == 2
    assert all(medium.told.startswith("can not be played: ") for medium in silent)
    assert media["plain"].told == "1.00 s at 8,000 Hz"


def test_a_second_page_removes_what_only_the_first_one_used(recordings, tmp_path):
    media_of(recordings, tmp_path)
    mine = tmp_path / "page" / "media" / "mine.wav"
    mine.write_bytes(b"")
    media_of(recordings.head(1), tmp_path)
    assert len(list((tmp_path / "page" / "media").iterdir())) == 3
    assert mine.exists()


def test_a_tone_lies_at_its_frequency():
    rate = 8000
    tone = np.sin(2 * np.pi * 1000 * np.arange(rate) / rate).astype(np.float32)
    power = spectrogram(Waveform(tone, rate))
    assert power.max() == 0
    assert power.min() >= -80
    frequencies = np.linspace(0, rate / 2, power.shape[0])
    assert frequencies[power[:, 50].argmax()] == pytest.approx(1000, abs=40)


@pytest.mark.parametrize("seconds", [0.05, 90.0])
def test_short_and_long_recordings_have_a_picture(seconds):
    random = np.random.default_rng(0)
    wave = Waveform(random.normal(size=int(4000 * seconds)).astype(np.float32), 4000)
    assert spectrogram(wave).shape[1] <= 1300
    picture = spectrogram_picture(wave)
    assert picture == spectrogram_picture(wave)
    assert io.BytesIO(picture).read(8) == b"\x89PNG\r\n\x1a\n"
