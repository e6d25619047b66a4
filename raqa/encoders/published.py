"""What is known of a published checkpoint, and the checked file, from the cache or its place."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from raqa.download.http import FetchError
from raqa.encoders.digest import cache_folder, file_sha256
from raqa.encoders.sources import Source
from raqa.errors import UserError
from raqa.folders import make_folder


@dataclass(frozen=True)
class Published:
    """A published checkpoint.

    Attributes:
        name: the encoder in conf/encoder or the responder in conf/responder, and for `raqa
            weights fetch`.
        title: the model as its authors write it.
        source: where the file is.
        licence: what its terms are, in a sentence or two.
        licence_page: where they can be read.
        sha256: of the file, where it is known.
        size: of the file in bytes, where it is known.
        setting: that names a file of the user's instead.
        otherwise: what can be done without it, as a sentence.
    """

    name: str
    title: str
    source: Source
    licence: str
    licence_page: str
    sha256: str | None = None
    size: int | None = None
    setting: str = "encoder.weights"
    otherwise: str = "encoder.weights=random runs the model untrained and marks every result so."

    def path(self) -> Path:
        """The checked file; it is fetched if the cache lacks it, its licence is shown once.

        Raises:
            UserError: it can not be had, or is not the file that was published.
        """
        path = self.source.cached()
        if path is None:
            self._show_licence()
            try:
                path = self.source.fetch()
            except FetchError as error:
                raise UserError(self._unavailable(error)) from error
        else:
            self._show_licence()
        self.check(path)
        return path

    def check(self, path: Path) -> None:
        """Compare a file with what is known of the published one.

        Raises:
            UserError: its size or hash is another.
        """
        try:
            size = path.stat().st_size
            digest = file_sha256(path) if self.size in {None, size} else None
        except OSError as error:
            raise UserError(f"{path} can not be read: {error.strerror or error}.") from error
        if self.size is not None and size != self.size:
            found, known = f"has {size} bytes", f"has {self.size}"
        elif self.sha256 is not None and digest != self.sha256:
            found, known = f"has SHA-256 {digest}", f"has {self.sha256}"
        else:
            return
        raise UserError(
            f"{path} is not the published checkpoint of {self.title}: it {found}, the published "
            f"one {known}. Delete it and run `raqa weights fetch {self.name}`; if you trust it as "
            f"it is, name it: {self.setting}={path}."
        )

    def _unavailable(self, error: FetchError) -> str:
        wanted = f"{self.source.file} ({self.title}; {self.source.place})"
        if error.access:
            return (
                f"{wanted} is given only to those who accept its terms. Accept them at "
                f"{self.licence_page} with your account, then run `hf auth login` (or set "
                f"HF_TOKEN) and `raqa weights fetch {self.name}`. The server said: {error}."
            )
        return (
            f"{wanted} is not in the cache and can not be fetched: {error}. Where there is a "
            f"network, run `raqa weights fetch {self.name}` with the same cache, or download "
            f"{self.source.url} and set {self.setting}=PATH. {self.otherwise}".rstrip()
        )

    def _show_licence(self) -> None:
        """Print the terms the first time that this user's cache meets the checkpoint."""
        shown = cache_folder() / "weights" / "licences" / self.name
        if shown.exists():
            return
        print(f"{self.title}: {self.licence} {self.licence_page}", file=sys.stderr)
        try:
            make_folder(shown.parent)
            shown.write_text(f"{self.licence}\n{self.licence_page}\n")
        except OSError:  # a cache that can not be written; it will be shown again
            return


def given_path(weights: str) -> Path:
    """The file that a user names as weights.

    Raises:
        UserError: there is no such file.
    """
    path = Path(os.path.expandvars(weights)).expanduser()
    if path.is_file():
        return path
    found = "is a folder" if path.is_dir() else "is no file"
    raise UserError(
        f"encoder.weights={weights}: {path.absolute()} {found}. Give a checkpoint file, hub (the "
        "published one) or random (untrained)."
    )
