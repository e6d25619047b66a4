"""An archive is unpacked below its folder, or refused with a message before it can do harm."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from raqa.download import unpack
from raqa.download.names import ArchiveError
from raqa.download.unpack import Unpacked, unpack_tar, unpack_zip, unpacked_bytes

SOUND = np.random.default_rng(0).bytes(100_000)
Unpack = Callable[[Path], Unpacked]


def _zip(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def _tar(path: Path, *members: tuple[str | tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for given, content in members:
            info = given if isinstance(given, tarfile.TarInfo) else tarfile.TarInfo(given)
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))
    return path


def _special(name: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    return info


def _member(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "draft").mkdir()
    return tmp_path / "draft"


def _refused(archive: Path, draft: Path, reason: str) -> None:
    """It is refused with the reason, and nothing stands outside the draft folder."""
    kind = archive.suffix == ".zip"
    with pytest.raises(ArchiveError, match=reason) as caught:
        unpack_zip(archive, draft) if kind else unpack_tar([archive], draft)
    assert archive.name in str(caught.value)
    assert sorted(path.name for path in draft.parent.iterdir()) == sorted(["draft", archive.name])
    if kind:
        assert list(draft.iterdir()) == []


def _written(draft: Path) -> list[str]:
    return sorted(str(path.relative_to(draft)) for path in draft.rglob("*") if path.is_file())


NAMES = {
    "/etc/evil": "path from the root",
    "../evil": "leads out of the folder",
    "a/../../evil": "leads out of the folder",
    "C:/evil": "names a drive",
    "a/c:evil": "names a drive",
    "..\\evil": "has a backslash",
    "\\\\server\\evil": "has a backslash",
    "./.": "is no name",
    "a\x1b[2Jb": "has a character that no name has",
}


@pytest.mark.parametrize(("name", "reason"), NAMES.items())
def test_a_zip_with_a_hostile_name_is_refused(tmp_path, draft, name: str, reason: str) -> None:
    _refused(_zip(tmp_path / "a.zip", ("good.wav", SOUND), (name, b"x")), draft, reason)


@pytest.mark.parametrize(("name", "reason"), NAMES.items())
def test_a_tar_with_a_hostile_name_is_refused(tmp_path, draft, name: str, reason: str) -> None:
    _refused(_tar(tmp_path / "a.tar.gz", ("good.wav", SOUND), (name, b"x")), draft, reason)


def test_a_name_that_hides_its_end_is_refused(tmp_path: Path, draft: Path) -> None:
    archive = _zip(tmp_path / "a.zip", ("evil.txtX.wav", b"x"))
    archive.write_bytes(archive.read_bytes().replace(b"evil.txtX", b"evil.txt\0"))
    _refused(archive, draft, "is no name")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(stat.S_IFLNK, "is a link"), (stat.S_IFIFO, "is a device"), (stat.S_IFCHR, "is a device"),
     (stat.S_IFBLK, "is a device")],
)  # fmt: skip
def test_a_zip_with_links_or_devices_is_refused(tmp_path, draft, kind: int, reason: str) -> None:
    _refused(_zip(tmp_path / "a.zip", (_special("a", kind), b"/etc/passwd")), draft, reason)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(tarfile.SYMTYPE, "is a link"), (tarfile.LNKTYPE, "is a link"),
     (tarfile.CHRTYPE, "is a device"), (tarfile.BLKTYPE, "is a device"),
     (tarfile.FIFOTYPE, "is a device")],
)  # fmt: skip
def test_a_tar_with_links_or_devices_is_refused(tmp_path, draft, kind, reason: str) -> None:
    member = _member("folder", kind, "/tmp")
    _refused(_tar(tmp_path / "a.tar.gz", (member, b""), ("folder/evil", b"x")), draft, reason)


@pytest.mark.parametrize(
    ("names", "reason"),
    [(("a.wav", "a.wav"), "is in it twice"), (("a.wav", "./a.wav"), "is in it twice"),
     (("a.wav", "A.WAV"), "only in spelling"), (("x/a.wav", "X/b.wav"), "only in spelling"),
     (("\u00e9.wav", "e\u0301.wav"), "only in spelling"),
     (("a", "a/b"), "both a file and a folder"),
     (("a/b", "a"), "both a file and a folder")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_collide_are_refused(tmp_path, draft, names, reason: str) -> None:
    members = [(name, b"x") for name in names]
    _refused(_zip(tmp_path / "a.zip", *members), draft, reason)
    (tmp_path / "a.zip").unlink()
    _refused(_tar(tmp_path / "a.tar.gz", *members), draft, reason)


def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path, draft: Path) -> None:
    _refused(_zip(tmp_path / "a.zip", ("zeros", bytes(80 << 20))), draft, "would unpack to")


def test_a_bomb_of_many_small_files_is_refused(tmp_path, draft, monkeypatch) -> None:
    monkeypatch.setattr(unpack, "ALWAYS_ALLOWED", 1_000)
    monkeypatch.setattr(unpack, "MOST_RATIO", 2)
    members = [(f"{number}.wav", bytes(10_000)) for number in range(10)]
    _refused(_zip(tmp_path / "a.zip", *members), draft, "would unpack to 100,000 bytes")
    (tmp_path / "a.zip").unlink()
    _refused(_tar(tmp_path / "a.tar.gz", *members), draft, "would unpack to 10,000 bytes")


def test_a_zip_whose_members_share_their_bytes_is_a_bomb(tmp_path, draft, monkeypatch) -> None:
    monkeypatch.setattr(unpack, "ALWAYS_ALLOWED", 1_000)
    monkeypatch.setattr(unpack, "MOST_RATIO", 5)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a0", SOUND)
        for number in range(1, 9):
            twin = zipfile.ZipInfo(f"a{number}")
            first = archive.getinfo("a0")
            for name in ("header_offset", "CRC", "compress_size", "file_size"):
                setattr(twin, name, getattr(first, name))
            archive.filelist.append(twin)
            archive.NameToInfo[twin.filename] = twin
    _refused(path, draft, "would unpack to 900,000 bytes")


def test_a_sparse_file_is_refused(tmp_path: Path, draft: Path) -> None:
    _refused(_tar(tmp_path / "a.tar", (_member("a", tarfile.GNUTYPE_SPARSE), b""), mode="w"),
             draft, "sparse|device|damaged")  # fmt: skip


def test_a_name_of_a_gigabyte_is_not_read_into_memory(tmp_path: Path, draft: Path) -> None:
    info = _member("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    info.size = 1 << 30
    (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(10_240))
    _refused(tmp_path / "a.tar", draft, "header of 1,073,741,824 bytes")


def test_an_archive_in_an_archive_stays_packed(tmp_path: Path, draft: Path) -> None:
    inner = _zip(tmp_path / "inner.zip", ("zeros", bytes(80 << 20))).read_bytes()
    unpack_zip(_zip(tmp_path / "a.zip", ("inner.zip", inner)), draft)
    assert _written(draft) == ["inner.zip"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_of_any_kind_is_unpacked(tmp_path: Path, draft: Path, mode: str) -> None:
    made = unpack_tar([_tar(tmp_path / "a.tar", ("x/a.wav", SOUND), mode=mode)], draft)
    assert (draft / "x/a.wav").read_bytes() == SOUND
    assert [(one.path, one.size) for one in made.files] == [("x/a.wav", 100_000)]


def test_a_zip_is_unpacked_without_what_macos_left_in_it(tmp_path: Path, draft: Path) -> None:
    archive = _zip(
        tmp_path / "a.zip", ("x/", b""), ("x/a.wav", SOUND), ("__MACOSX/x/._a.wav", b"x"),
        ("x/._a.wav", b"x"), ("x/.DS_Store", b"x"),
    )  # fmt: skip
    made = unpack_zip(archive, draft)
    assert _written(draft) == ["x/a.wav"]
    assert made.skipped == 3
    assert unpacked_bytes(archive) == 100_003


def test_the_folder_that_git_hosting_adds_is_left_out(tmp_path: Path, draft: Path) -> None:
    archive = _zip(tmp_path / "a.zip", ("repo-1/", b""), ("repo-1/raw/a.wav", SOUND))
    assert unpack_zip(archive, draft, strip=1).files[0].path == "raw/a.wav"
    assert _written(draft) == ["raw/a.wav"]


def test_odd_names_of_real_corpora_are_kept(tmp_path: Path, draft: Path) -> None:
    name = "Audio Files/DP9_Asthma,E W,P R L ,59,M.wav"
    assert unpack_zip(_zip(tmp_path / "a.zip", (name, SOUND)), draft).files[0].path == name


def test_parts_are_one_archive_and_a_missing_one_shows(tmp_path: Path, draft: Path) -> None:
    whole = _tar(tmp_path / "whole", ("20200413/a.wav", SOUND), ("20200413/b.wav", SOUND))
    content = whole.read_bytes()
    parts = [tmp_path / f"day.tar.gz.a{letter}" for letter in "abc"]
    for number, part in enumerate(parts):
        part.write_bytes(content[number * 70_000 : (number + 1) * 70_000])
    unpack_tar(parts, draft)
    assert (draft / "20200413/b.wav").read_bytes() == SOUND
    for lacking in range(3):
        (tmp_path / str(lacking)).mkdir()
        with pytest.raises(ArchiveError, match="damaged or no such archive"):
            unpack_tar(parts[:lacking] + parts[lacking + 1 :], tmp_path / str(lacking))


def test_a_damaged_archive_is_said_to_be_damaged(tmp_path: Path, draft: Path) -> None:
    content = bytearray(_zip(tmp_path / "a.zip", ("a.wav", SOUND)).read_bytes())
    content[50_000] ^= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(ArchiveError, match="a.zip is damaged"):
        unpack_zip(tmp_path / "a.zip", draft)
    (tmp_path / "a.zip").write_bytes(content[:60_000])
    with pytest.raises(ArchiveError, match="a.zip is damaged"):
        unpack_zip(tmp_path / "a.zip", draft)


def test_a_login_page_is_named_as_such(tmp_path: Path, draft: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"\n<!DOCTYPE html><title>Sign in</title>")
    with pytest.raises(ArchiveError, match="a.zip is a web page, not an archive"):
        unpack_zip(tmp_path / "a.zip", draft)
    with pytest.raises(ArchiveError, match="a.zip is a web page, not an archive"):
        unpack_tar([tmp_path / "a.zip"], draft)


def test_an_encrypted_zip_is_refused(tmp_path: Path, draft: Path) -> None:
    content = bytearray(_zip(tmp_path / "a.zip", ("a.wav", b"x")).read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    _refused(tmp_path / "a.zip", draft, "is encrypted")


def test_unpacked_files_are_plain_files_of_the_user(tmp_path: Path, draft: Path) -> None:
    info = tarfile.TarInfo("run.sh")
    info.mode = 0o4777
    unpack_tar([_tar(tmp_path / "a.tar.gz", (info, b"x"))], draft)
    assert not (draft / "run.sh").stat().st_mode & (stat.S_ISUID | stat.S_IXUSR)
