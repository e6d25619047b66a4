"""What is decoded, how, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from raqa.audio.decode import decode, decode_noted
from raqa.audio.waveform import AudioError

Write = Callable[..., Path]
Make = Callable[..., np.ndarray]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X" + bytes(60), "AppleDouble"),
        (b"subject,age\n1,30\n", "text, not audio"),
        ("naïve,âge\n1,30\n".encode("latin-1"), "text, not audio"),
        (b"#EXTM3U\nhttp://example.org/a.wav\n", "text, not audio"),
        (b"<!DOCTYPE html><html>not found</html>", "text, not audio"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"),
        (b"ID3\x04\x00\x00\x00\x00\x00\x0aTSSE\x00\x00\x00\x00\x00\x00", "a tag with no audio"),
        (b"PK\x03\x04" + bytes(100), "zip"),
        (bytes(1000), "not a kind of audio file"),
        (b"RIFF\x24\x00\x00\x00WAVE", "can not read"),
    ],
)
def test_a_file_that_is_no_audio_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "cough.wav"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=reason):
        decode(path)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(0), "a header without samples"),
        (np.zeros(16_000), "every sample is zero"),
        (np.full(16_000, 0.25), "every sample is the same"),
        (np.sin(np.arange(16_000)) * 1e-8, "digital silence"),
        (np.sin(np.arange(480)), "30 ms long"),
        (np.r_[np.sin(np.arange(16_000)), np.nan], "1 of 16001 samples are NaN"),
        (np.r_[np.sin(np.arange(16_000)), np.inf], "NaN or infinite"),
        (np.sin(np.arange(16_000)) * 32767, "times full scale"),
    ],
)
def test_audio_that_can_not_be_used_is_refused_with_the_reason(
    wav: Write, samples: np.ndarray, reason: str
) -> None:
    path = wav(samples, subtype="FLOAT")
    with pytest.raises(AudioError, match=reason):
        decode(path)


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="No such file"):
        decode(tmp_path / "gone.wav")
    with pytest.raises(AudioError, match="directory"):
        decode(tmp_path)


@pytest.mark.parametrize("rate", [4_000, 8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize(
    ("subtype", "step"),
    [("PCM_U8", 2**-7), ("PCM_16", 2**-15), ("PCM_24", 2**-23), ("PCM_32", 2**-23),
     ("FLOAT", 1e-7), ("DOUBLE", 1e-7)],
)  # fmt: skip
def test_every_rate_and_depth_gives_the_samples_that_were_written(
    sound: Make, wav: Write, rate: int, subtype: str, step: float
) -> None:
    written = sound(rate=rate)
    waveform = decode(wav(written, rate, subtype=subtype))
    assert waveform.rate == rate
    np.testing.assert_allclose(waveform.samples, written, atol=step)


@pytest.mark.parametrize("name", ["cough.mp3", "cough", "a, b .txt", "Hüsteln ?%20.ogg"])
def test_the_extension_and_the_name_do_not_matter(sound: Make, wav: Write, name: str) -> None:
    written = sound()
    assert np.allclose(decode(wav(written, name=name)).samples, written, atol=2**-15)


def test_samples_beyond_full_scale_are_kept(sound: Make, wav: Write) -> None:
    loud = sound() * 3
    assert decode(wav(loud, subtype="FLOAT")).samples.max() == loud.max() > 1


@pytest.mark.parametrize(
    ("container", "subtype"), [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS"),
                               ("AIFF", "PCM_16"), ("CAF", "PCM_16")],
)  # fmt: skip
def test_what_libsndfile_reads(sound: Make, wav: Write, container: str, subtype: str) -> None:
    written = sound(rate=48_000)
    waveform = decode(wav(written, 48_000, container=container, subtype=subtype))
    assert waveform.rate == 48_000
    assert np.corrcoef(waveform.samples, written)[0, 1] > 0.97


@pytest.mark.parametrize(
    ("codec", "container", "sample_format"),
    [("libmp3lame", "mp3", "s16p"), ("aac", "adts", "fltp"), ("aac", "mp4", "fltp"),
     ("libopus", "webm", "s16"), ("pcm_u8", "matroska", "u8"), ("pcm_s32le", "matroska", "s32")],
)  # fmt: skip
def test_what_ffmpeg_reads(
    sound: Make, ffmpeg: Write, codec: str, container: str, sample_format: str
) -> None:
    written = sound(rate=48_000)
    waveform = decode(ffmpeg(written, 48_000, codec, container, sample_format))
    assert waveform.rate == 48_000
    # Encoders add up to some thousand samples of padding before and after.
    assert 1 <= waveform.seconds < 1.1
    length = 1 << 17
    spectrum = np.fft.rfft(waveform.samples, length) * np.conj(np.fft.rfft(written, length))
    likeness = np.fft.irfft(spectrum).max() / np.square(written).sum()
    assert likeness == pytest.approx(1, abs=0.1)


def test_webm_without_a_duration_is_read(sound: Make, ffmpeg: Write) -> None:
    import av

    path = ffmpeg(sound(rate=48_000), 48_000, "libopus", "webm", live=True)
    with av.open(str(path)) as file:
        assert file.duration is None
    assert decode(path).seconds == pytest.approx(1, abs=0.05)


def test_a_video_without_sound_is_refused(tmp_path: Path) -> None:
    import av

    path = tmp_path / "a.wav"
    with av.open(str(path), "w", format="webm") as file:
        stream = file.add_stream("libvpx", rate=10)
        stream.width = stream.height = 16
        stream.pix_fmt = "yuv420p"
        file.mux(stream.encode(av.VideoFrame(16, 16, "yuv420p")))
        file.mux(stream.encode(None))
    with pytest.raises(AudioError, match="no audio stream"):
        decode(path)


class TestChannels:
    def test_stereo_is_averaged(self, sound: Make, wav: Write) -> None:
        left, right = sound(seed=1), sound(seed=2)
        decoded = decode_noted(wav(np.stack([left, right], 1), subtype="FLOAT"))
        np.testing.assert_allclose(decoded.waveform.samples, (left + right) / 2, atol=1e-6)
        assert decoded.notes == ()

    @pytest.mark.parametrize("dead", [0.0, 0.1])
    def test_a_dead_channel_is_left_out(self, sound: Make, wav: Write, dead: float) -> None:
        live = sound()
        both = np.stack([live, np.full_like(live, dead)], 1)
        decoded = decode_noted(wav(both, subtype="FLOAT"))
        np.testing.assert_array_equal(decoded.waveform.samples, live)
        assert decoded.notes == ("right channel is dead and left out",)

    def test_an_inverted_channel_does_not_cancel_the_other(self, sound: Make, wav: Write) -> None:
        left = sound()
        decoded = decode_noted(wav(np.stack([left, -0.9 * left], 1), subtype="FLOAT"))
        np.testing.assert_array_equal(decoded.waveform.samples, left)
        assert "inverted" in decoded.notes[0]
        assert "left channel used" in decoded.notes[0]

    def test_a_silent_pair_is_silent(self, wav: Write) -> None:
        with pytest.raises(AudioError, match="zero"):
            decode(wav(np.zeros((16_000, 2))))

    def test_five_channels_are_averaged(self, sound: Make, wav: Write) -> None:
        channels = np.stack([sound(seed=seed) for seed in range(5)], 1)
        waveform = decode(wav(channels, subtype="FLOAT"))
        np.testing.assert_allclose(waveform.samples, channels.mean(1), atol=1e-6)


class TestSegments:
    @pytest.mark.parametrize("kind", ["wav", "webm"])
    def test_a_segment_is_that_part_of_the_whole(
        self, sound: Make, wav: Write, ffmpeg: Write, kind: str
    ) -> None:
        written = sound(rate=48_000)
        path = wav(written, 48_000) if kind == "wav" else ffmpeg(written, 48_000, "libopus", "webm")
        whole = decode(path).samples
        np.testing.assert_array_equal(decode(path, 0.25, 0.75).samples, whole[12_000:36_000])
        np.testing.assert_array_equal(decode(path, 0.25).samples, whole[12_000:])
        np.testing.assert_array_equal(decode(path, None, 0.75).samples, whole[:36_000])

    def test_one_that_begins_after_the_end_is_refused(self, sound: Make, wav: Write) -> None:
        path = wav(sound())
        for start, end in ((1.0, 2.0), (5.0, None)):
            with pytest.raises(AudioError, match="after the end of the file"):
                decode(path, start, end)

    @pytest.mark.parametrize(("start", "end"), [(0.5, 0.5), (0.5, 0.2), (-1.0, 0.5)])
    def test_one_without_length_is_refused(
        self, sound: Make, wav: Write, start: float, end: float
    ) -> None:
        with pytest.raises(AudioError, match="no length or is negative"):
            decode(wav(sound()), start, end)

    def test_one_that_ends_after_the_file_is_used_as_far_as_it_goes(
        self, sound: Make, wav: Write
    ) -> None:
        decoded = decode_noted(wav(sound()), 0.5, 1.2)
        assert decoded.waveform.seconds == 0.5
        assert "last 0.20 s are after the end" in decoded.notes[0]

    def test_silence_counts_within_the_segment(self, sound: Make, wav: Write) -> None:
        path = wav(np.r_[sound(), np.zeros(16_000, np.float32)])
        decode(path, 0, 1)
        with pytest.raises(AudioError, match="zero"):
            decode(path, 1, 2)


@pytest.mark.parametrize("container", ["WAV", "FLAC", "OGG"])
def test_a_truncated_file_is_used_as_far_as_it_goes(
    sound: Make, wav: Write, container: str
) -> None:
    subtype = "VORBIS" if container == "OGG" else "PCM_16"
    path = wav(sound(10), subtype=subtype, container=container)
    whole = decode(path).samples
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    cut = decode(path).samples
    assert 0.4 < len(cut) / len(whole) < 0.8
    np.testing.assert_allclose(cut[:16_000], whole[:16_000], atol=1e-3)


def test_a_truncated_webm_is_used_as_far_as_it_goes(sound: Make, ffmpeg: Write) -> None:
    path = ffmpeg(sound(10, 48_000), 48_000, "libopus", "webm", live=True)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    assert 4 < decode(path).seconds < 8


def test_a_header_that_promises_terabytes_costs_nothing(sound: Make, wav: Write) -> None:
    path = wav(sound(), container="FLAC")
    content = bytearray(path.read_bytes())
    content[21:26] = bytes([content[21] | 0x0F, 0xFF, 0xFF, 0xFF, 0xFF])  # 2**36 samples
    path.write_bytes(content)
    assert decode(path).seconds == 1
