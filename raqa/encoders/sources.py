"""Places where checkpoints are published: how a file is looked up in the cache and fetched."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock

from raqa.download.fetch import Patience, fetch
from raqa.download.http import FetchError
from raqa.encoders.digest import cache_folder
from raqa.folders import make_folder
from raqa.pretrained import PATIENCE_S, first_line


class Source(Protocol):
    """A place that a checkpoint file comes from."""

    @property
    def file(self) -> str:
        """The file's name."""

    @property
    def place(self) -> str:
        """The place in words."""

    @property
    def url(self) -> str:
        """What to open in a browser to get the file by hand."""

    def cached(self) -> Path | None:
        """The file, if it was fetched before; needs no network."""

    def fetch(self) -> Path:
        """The file, fetched if need be, with progress; an interrupted download continues.

        Raises:
            FetchError: it can not be had.
        """


@dataclass(frozen=True)
class HubFile:
    """A file of a Hugging Face repository, kept in that library's own cache.

    Args:
        revision: a branch, or a full commit hash where one is known.
        gated: whether its owner grants access only to those who accept terms.
    """

    repo: str
    file: str
    revision: str = "main"
    gated: bool = False

    @property
    def place(self) -> str:
        """The repository."""
        return f"{self.repo} on huggingface.co"

    @property
    def url(self) -> str:
        """The file's address."""
        return f"https://huggingface.co/{self.repo}/resolve/{self.revision}/{self.file}"

    def cached(self) -> Path | None:
        """The file in the hub's cache, or None."""
        from huggingface_hub import try_to_load_from_cache

        path = try_to_load_from_cache(self.repo, self.file, revision=self.revision)
        return Path(path) if isinstance(path, str) else None

    def fetch(self) -> Path:
        """Download into the hub's cache.

        Raises:
            FetchError: no network, no such file, or no access.
        """
        from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

        if (path := self.cached()) is not None:
            return path
        try:
            # The download itself would try again and again for half a minute without a network.
            get_hf_file_metadata(
                hf_hub_url(self.repo, self.file, revision=self.revision), timeout=PATIENCE_S
            )
            return Path(hf_hub_download(self.repo, self.file, revision=self.revision))
        except (GatedRepoError, RepositoryNotFoundError) as error:
            raise FetchError(first_line(error), access=self.gated) from error
        except Exception as error:  # the library's errors and those of whichever client it uses
            raise FetchError(first_line(error)) from error


class _Kept:
    """A file that is kept in raqa's cache."""

    file: str

    @property
    def target(self) -> Path:
        """Where it is or will be."""
        return cache_folder() / "weights" / self.file

    def cached(self) -> Path | None:
        """The file, or None where it was not fetched yet."""
        return self.target if self.target.is_file() else None


@dataclass(frozen=True)
class ZipMember(_Kept):
    """A file inside a zip archive on a web server, kept unpacked in raqa's cache.

    Args:
        archive: the archive's address.
        file: the member's path inside it.
    """

    archive: str
    file: str

    @property
    def place(self) -> str:
        """The archive."""
        return self.archive

    @property
    def url(self) -> str:
        """The archive's address."""
        return self.archive

    def fetch(self) -> Path:
        """Download the archive, unpack the file, delete the archive.

        Raises:
            FetchError: no network, no such file, or a damaged archive.
        """
        target = self.target
        archive = cache_folder() / "weights" / Path(self.archive).name
        make_folder(archive.parent)
        with FileLock(f"{archive}.lock"):
            if target.is_file():
                return target
            try:
                download(self.archive, archive)
                _unpack(archive, self.file, target)
            except (OSError, zipfile.BadZipFile, KeyError) as error:
                if isinstance(error, zipfile.BadZipFile | KeyError):
                    archive.unlink(missing_ok=True)
                raise FetchError(first_line(error)) from error
            archive.unlink()
        return target


@dataclass(frozen=True)
class WebFile(_Kept):
    """A file on a web server, kept in raqa's cache.

    Args:
        url: its address.
        file: its place below the cache's `weights`.
    """

    url: str
    file: str

    @property
    def place(self) -> str:
        """The address."""
        return self.url

    def fetch(self) -> Path:
        """Download the file.

        Raises:
            FetchError: no network, no such file, or no room for it.
        """
        target = self.target
        try:
            make_folder(target.parent)
            with FileLock(f"{target}.lock"):
                if not target.is_file():
                    download(self.url, target)
        except OSError as error:
            raise FetchError(first_line(error)) from error
        return target


def download(url: str, target: Path) -> None:
    """Download a file with a progress bar; what an interrupted call left is continued.

    Raises:
        FetchError: no network, or the server refuses.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(target.name)
        fetch(
            url,
            target,
            patience=Patience(answer_s=PATIENCE_S, attempts=1),
            notice=lambda have, of: progress.update(task, completed=have, total=of),
        )


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Write one member of an archive to a file, whole or not at all."""
    make_folder(target.parent)
    part = target.with_name(f"{target.name}.part")
    with zipfile.ZipFile(archive) as opened, opened.open(member) as source, part.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    part.replace(target)
