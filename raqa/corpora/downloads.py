"""What of the published corpora can be downloaded openly; the facts stand in downloads.yaml."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, field_validator
from pydantic.dataclasses import dataclass

from raqa.download.names import name_problem


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Download:
    """One file that a publisher offers.

    Attributes:
        file: its name in the corpus's folder.
        urls: its address, then mirrors of the same bytes.
        size: in bytes; None: it could not be verified what it is.
        checksum: `algorithm:hex` as published; None: none could be verified.
        unpack: the kind of archive that it is; None: it stays as it is.
        strip: leading folders of the archive's names to leave out.
    """

    file: str
    urls: Annotated[tuple[str, ...], Field(min_length=1)]
    size: Annotated[int, Field(gt=0)] | None = None
    checksum: str | None = None
    unpack: Literal["zip", "tar"] | None = None
    strip: Annotated[int, Field(ge=0)] = 0

    @field_validator("file")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if "/" in value or name_problem(value):
            raise ValueError("expected a file's name without a folder")
        return value

    @field_validator("checksum")
    @classmethod
    def _algorithm_and_hex(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}", value):
            raise ValueError("expected md5: or sha256: and hex digits")
        return value


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Parts:
    """Tar archives that the downloads hold in parts, as `20200413/20200413.tar.gz.aa`, `.ab`.

    Attributes:
        pattern: finds the parts; those of one folder, in the order of names, are one archive.
        into: the folder to unpack into.
    """

    pattern: str
    into: str


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Downloads:
    """All that can be downloaded of a corpus.

    Attributes:
        page: where its publisher describes it, for a browser.
        files: what to fetch.
        parts: what to unpack after that.
        by_hand: what `raqa prepare` can not do.
    """

    page: str
    files: tuple[Download, ...]
    parts: tuple[Parts, ...] = ()
    by_hand: str = ""


@cache
def published_downloads() -> dict[str, Downloads]:
    """The downloads of all corpora that have some, by the corpus's name."""
    import yaml

    text = Path(__file__).with_name("downloads.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Downloads]).validate_python(yaml.safe_load(text))
