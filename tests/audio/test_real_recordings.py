"""Real files and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raqa.audio.decode import decode, decode_noted
from raqa.audio.waveform import AudioError


def _reasons(paths: list[Path]) -> dict[str, str]:
    reasons = {}
    for path in paths:
        try:
            waveform = decode(path)
        except AudioError as error:
            reasons["/".join(path.parts[-2:])] = str(error)
        else:
            assert np.isfinite(waveform.samples).all()
    return reasons


def test_coswara_has_headers_without_samples_and_digital_silence(test_data: Path) -> None:
    paths = sorted((test_data / "coswara").rglob("*.wav"))
    reasons = _reasons(paths)
    assert len(paths) == 89
    assert (
        sorted(reasons.values()) == ["a header without samples"] * 10 + ["every sample is zero"] * 3
    )
    assert reasons["U98J2q0NnycYzzUS2BYZpUa55X83/cough-shallow.wav"] == "every sample is zero"


def test_covid19_cough_has_mp3_files_that_are_only_a_tag(
    test_data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = sorted((test_data / "covid19_cough").rglob("*.mp3"))
    reasons = _reasons(paths)
    assert "raw/098d66e5-bda6-4e99-b787-ab890046c44b.mp3" in reasons
    assert set(reasons.values()) == {"a tag with no audio after it"}
    assert {decode(path).rate for path in paths[100:140]} == {8_000, 48_000}
    # Decoders talk on stderr of their own accord; that would tear a progress bar.
    assert capfd.readouterr() == ("", "")


def test_covid19_cough_goes_beyond_full_scale(test_data: Path) -> None:
    path = test_data / "covid19_cough/raw/33d1b07a-2a15-4e32-8b85-0ef8b2ce058d.mp3"
    assert np.abs(decode(path).samples).max() > 1.2


def test_coughvid_has_webm_without_a_duration(test_data: Path) -> None:
    (path,) = (test_data / "coughvid").rglob("*.webm")
    decoded = decode_noted(path)
    assert decoded.waveform.rate == 48_000
    assert decoded.waveform.seconds == pytest.approx(9.9)
    assert decoded.notes == ()


def test_kauh_has_commas_and_trailing_spaces_in_its_names(test_data: Path) -> None:
    paths = sorted((test_data / "kauh/Audio Files").glob("*.wav"))
    odd = [path for path in paths if "," in path.name and " ," in path.name]
    assert odd
    assert _reasons(paths) == {}
