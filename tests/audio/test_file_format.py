"""What a header says of container, coding and channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from raqa.audio.file_format import FileFormat, read_format

SOUND = np.random.default_rng(0).normal(0, 0.1, (8000, 2))


@pytest.mark.parametrize(
    ("name", "subtype", "codec"),
    [("a.wav", "PCM_24", "WAV PCM_24"), ("a.flac", "PCM_16", "FLAC PCM_16"),
     ("a.ogg", "VORBIS", "OGG VORBIS"), ("a.mp3", "MPEG_LAYER_III", "mp3")],
)  # fmt: skip
def test_container_coding_and_channels_are_said(
    tmp_path: Path, name: str, subtype: str, codec: str
) -> None:
    soundfile.write(tmp_path / name, SOUND, 8000, subtype=subtype)
    assert read_format(tmp_path / name) == FileFormat(codec, 2)


@pytest.mark.parametrize("content", [b"", b"text", b"ID3" + bytes(100), b"RIFF\0\0\0\0WAVE"])
def test_what_no_decoder_opens_has_no_format(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    assert read_format(tmp_path / "a.wav") is None


def test_a_file_that_is_not_there_has_no_format(tmp_path: Path) -> None:
    assert read_format(tmp_path / "none.wav") is None


def test_a_real_upload_of_a_browser_is_opus_in_webm(test_data: Path) -> None:
    (upload,) = (test_data / "coughvid" / "public_dataset").glob("*.webm")
    assert read_format(upload) == FileFormat("matroska opus", 1)
