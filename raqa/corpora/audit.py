"""Every file of a corpus decoded: which can be used, which are the same, what labels go with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.audio.decode import decode_noted
from raqa.audio.file_format import read_format
from raqa.audio.waveform import AudioError
from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Recordings
from raqa.corpora.disagreements import STAGE
from raqa.corpora.shortcuts import find_shortcuts
from raqa.embeddings.hashes import content_hash
from raqa.folders import make_folder
from raqa.tables import SetAside, set_aside_table

AUDIT = {
    "recording_id": pl.String,
    "subject_id": pl.String,
    "path": pl.String,
    "usable": pl.Boolean,
    "reason": pl.String,  # why it can not be used, or null
    "notes": pl.String,  # what was mended to read it, or null
    "seconds": pl.Float64,
    "rate": pl.Int64,  # Hz
    "channels": pl.Int64,  # as stored, before they are mixed
    "codec": pl.String,  # container and coding, with the bit depth where there is one
    "bytes_per_second": pl.Float64,  # of a whole file; null for a segment
    "content": pl.String,  # hash of the file's bytes; null where it can not be read
    "twins": pl.Int64,  # other usable files with the same bytes
    "conflicts": pl.String,  # what the labels of these files say differently, or null
}
"""Columns of the list that an audit writes, a row for each recording with a file."""


_DECODED = ("reason", "notes", "seconds", "rate")
_FILE = {"path": pl.String, "content": pl.String, "bytes": pl.Int64, "codec": pl.String,
         "channels": pl.Int64}  # fmt: skip


@dataclass(frozen=True)
class Audit:
    """What came out of decoding everything.

    Attributes:
        table: AUDIT columns, a row for each recording that has a file.
        absent: recordings without a file.
        set_aside: what the label tables and the layout set aside, then every file that can not be
            used (stage "audio").
        shortcuts: SHORTCUTS columns, how far each label follows each property of the files.
    """

    corpus: str
    table: pl.DataFrame
    absent: int
    set_aside: pl.DataFrame
    shortcuts: pl.DataFrame

    @property
    def usable(self) -> int:
        """Recordings that can be used."""
        return int(self.table["usable"].sum())

    @property
    def twins(self) -> pl.DataFrame:
        """Rows whose bytes stand under another path too, group by group."""
        return self.table.filter(pl.col("twins") > 0).sort("content", "path", "recording_id")

    @property
    def disagreements(self) -> pl.DataFrame:
        """SET_ASIDE rows: facts that two sources of the corpus state differently."""
        return self.set_aside.filter(pl.col("stage") == STAGE)

    def write(self, path: Path) -> tuple[Path, ...]:
        """Write the list as CSV, for a spreadsheet, and two more beside it.

        Returns:
            the list of files, of what was set aside, and of the labels against the formats.
        """
        make_folder(path.parent)
        paths = (path, *(path.with_name(f"{path.stem}-{name}{path.suffix}")
                         for name in ("set-aside", "shortcuts")))  # fmt: skip
        for table, place in zip((self.table, self.set_aside, self.shortcuts), paths, strict=True):
            table.write_csv(place)
        return paths


def audit_corpus(
    recordings: Recordings, workers: int = 2, progress: Callable[[int], None] | None = None
) -> Audit:
    """Decode every recording that has a file, and look for files with the same bytes.

    Args:
        workers: threads that decode.
        progress: is called with 1 after each recording.
    """
    present = recordings.table.filter(pl.col("audio"))
    tell = progress or _nobody
    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="raqa-audit") as pool:
        found = []
        segments = present.select("path", "start_s", "end_s").iter_rows()
        for outcome in pool.map(_decode, segments):
            found.append(outcome)
            tell(1)
        paths = present["path"].unique(maintain_order=True)
        files = pl.DataFrame(pool.map(_describe, paths), schema=_FILE)
    decoded = pl.DataFrame(found, schema={name: AUDIT[name] for name in _DECODED})
    table = present.hstack(decoded).join(files, on="path", how="left", maintain_order="left")
    whole = pl.col("start_s").is_null() & pl.col("end_s").is_null()
    labelled = _with_twins(table.with_columns(
        usable=pl.col("reason").is_null(),
        bytes_per_second=pl.when(whole).then(pl.col("bytes") / pl.col("seconds")),
    ))  # fmt: skip
    shortcuts = find_shortcuts(labelled.filter("usable"))
    table = labelled.select(pl.col(name).cast(kind) for name, kind in AUDIT.items())
    failed = table.filter(~pl.col("usable")).select("recording_id", "path", "reason").iter_rows()
    aside = [SetAside(recordings.corpus, "audio", name, reason, value=path)
             for name, path, reason in failed]  # fmt: skip
    return Audit(
        corpus=recordings.corpus,
        table=table,
        absent=recordings.table.height - present.height,
        set_aside=pl.concat([recordings.set_aside, set_aside_table(aside)]),
        shortcuts=shortcuts,
    )


def _decode(segment: tuple[str, float | None, float | None]) -> dict[str, Any]:
    path, start_s, end_s = segment
    try:
        decoded = decode_noted(Path(path), start_s, end_s)
    except AudioError as error:
        return {"reason": str(error), "notes": None, "seconds": None, "rate": None}
    wave = decoded.waveform
    notes = "; ".join(decoded.notes) or None
    return {"reason": None, "notes": notes, "seconds": wave.seconds, "rate": wave.rate}


def _describe(path: str) -> dict[str, Any]:
    """Say what a file is as a whole; nothing of it where it can not be read."""
    file = Path(path)
    form = read_format(file)
    said: dict[str, Any] = {"path": path, "content": None, "bytes": None}
    with suppress(OSError):
        said |= {"content": content_hash(file), "bytes": file.stat().st_size}
    codec, channels = (form.codec, form.channels) if form else (None, None)
    return {**said, "codec": codec, "channels": channels}


def _with_twins(table: pl.DataFrame) -> pl.DataFrame:
    """Add how many other files have the same bytes, and what their labels say differently."""
    others = pl.col("path").n_unique().over("content", "usable") - 1
    sounds = pl.col("usable") & pl.col("content").is_not_null()  # all empty files are alike
    table = table.with_columns(twins=pl.when(sounds).then(others).otherwise(0))
    groups = table.filter(pl.col("twins") > 0).group_by("content", maintain_order=True)
    conflicts = {content: "; ".join(_differences(rows)) for (content,), rows in groups}
    told = pl.Series([conflicts.get(content) or None for content in table["content"]],
                     dtype=pl.String)  # fmt: skip
    return table.with_columns(conflicts=told)


def _differences(rows: pl.DataFrame) -> Iterator[str]:
    for column in rows.columns:
        if column not in {"subject_id", "split"} and column not in ATTRIBUTES:
            continue
        if column == "subject_id" and not rows["subject_known"].all():
            continue  # every upload is a subject of its own
        said = (value if isinstance(value, str | float) else " + ".join(value)
                for value in rows[column].drop_nulls().to_list())  # fmt: skip
        values = sorted(set(said))
        if len(values) > 1:
            yield f"{column}: {' / '.join(f'{value}' for value in values)}"


def _nobody(_: int) -> None:
    """Nobody watches."""
