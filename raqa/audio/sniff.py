"""What a file is by its first bytes; its extension is never asked."""

from __future__ import annotations

from raqa.audio.waveform import AudioError

HEAD_BYTES = 512

SOUNDFILE = "soundfile"
"""Container that libsndfile is asked to open first."""

# Each magic with the name of FFmpeg's demuxer. Naming it keeps FFmpeg from guessing: a text file
# would otherwise be tried as a playlist, whose entries it would go and open.
_DEMUXERS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x1aE\xdf\xa3", "matroska"),  # WebM, Matroska
    (4, b"ftyp", "mov"),  # m4a, mp4, 3gp, mov
    (0, b"ID3", "mp3"),
    (0, b"#!AMR", "amr"),
    (0, b"0&\xb2u\x8ef\xcf\x11", "asf"),  # wma
)

_SOUNDFILE_MAGIC = (
    b"RIFF", b"RIFX", b"RF64", b"riff", b"fLaC", b"OggS", b"FORM", b".snd", b"caff", b"NIST_1A",
    b"Creative Voice File",
)  # fmt: skip

# libsndfile first; the demuxer is for what such a container may hold that libsndfile can not read
# (MP3 or unusual ADPCM in wav, Speex in Ogg).
_SECOND_CHOICE = {b"RIFF": "wav", b"OggS": "ogg", b"fLaC": "flac", b"FORM": "aiff", b"caff": "caf"}

_NOT_AUDIO: tuple[tuple[bytes, str], ...] = (
    (b"\x00\x05\x16\x07", "an AppleDouble file (what macOS keeps beside a file), not audio"),
    (b"version https://git-lfs", "a Git LFS pointer, not the audio; fetch it with `git lfs pull`"),
    (b"PK\x03\x04", "a zip archive, not audio"),
    (b"\x1f\x8b", "a gzip archive, not audio"),
    (b"%PDF", "a PDF, not audio"),
)


def decoders(head: bytes) -> tuple[str, ...]:
    """Say what can decode a file that begins with `head`, best first.

    Returns:
        `"soundfile"` or names of FFmpeg demuxers.

    Raises:
        AudioError: these bytes do not begin any kind of audio file that raqa knows.
    """
    for magic, what in _NOT_AUDIO:
        if head.startswith(magic):
            raise AudioError(what)
    for offset, magic, demuxer in _DEMUXERS:
        if head[offset : offset + len(magic)] == magic:
            # An ID3 tag may also stand before AAC.
            return (demuxer, "aac") if demuxer == "mp3" else (demuxer,)
    if head.startswith(_SOUNDFILE_MAGIC):
        second = _SECOND_CHOICE.get(head[:4])
        return (SOUNDFILE, second) if second else (SOUNDFILE,)
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return ("aac",)  # ADTS frame: sync word, layer bits zero
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return ("mp3",)  # MPEG frame: sync word, any layer
    if _is_text(head):
        raise AudioError("text, not audio")
    raise AudioError("not a kind of audio file that raqa knows, or its first bytes are damaged")


def _is_text(head: bytes) -> bool:
    """Whether the bytes read as text (UTF-8, UTF-16 or a Latin-1 without control characters)."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    control = set(range(32)) - {9, 10, 12, 13}
    return not control.intersection(head)
