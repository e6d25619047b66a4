"""A collection of questions on disk: one Parquet file a corpus, and collection.json about them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from raqa.embeddings.atomic import WRITING, write_atomically
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.questions.block import SCHEMA
from raqa.tables import QUESTIONS, set_aside_table

FACTS = "collection.json"
RECORDINGS_FILE = "recordings.arrow"  # not Parquet, for *.parquet shall be questions alone
SET_ASIDE_FILE, DROPPED_FILE = "set_aside.csv", "dropped.csv"
RECORDS = "raqa_json"
"""The folder of RA-QA's JSON records, where they were asked for."""

FORMAT = 1
PARQUET = {
    "compression": "zstd", "compression_level": 1, "store_schema": False,
    "dictionary_pagesize_limit": 64 * 2**20, "use_dictionary": [
        "options.list.element" if name == "options" else name
        for name in SCHEMA.names if name not in {"qa_id", "value"}
    ],
}  # fmt: skip
"""How files are written: as plain text for any reader, dictionaries in every column of text."""


@dataclass(frozen=True)
class Part:
    """One corpus's questions, about to be written.

    Attributes:
        blocks: tables of `raqa.questions.block.SCHEMA`, each a row group of the file.
        facts: what collection.json says about the corpus besides its file.
        dropped: rows as of `raqa.questions.generate.Dropped`, complete when `blocks` is used up.
        set_aside: SET_ASIDE rows.
        recordings: RECORDINGS columns, attributes and `side`: what is asked about, so that a model
            can be trained without reading the corpus again.
    """

    corpus: str
    blocks: Iterable[pa.Table]
    facts: Mapping[str, Any] = field(default_factory=dict)
    dropped: pl.DataFrame | None = None
    set_aside: pl.DataFrame = field(default_factory=set_aside_table)
    recordings: pl.DataFrame | None = None


@dataclass(frozen=True)
class Collection:
    """A folder with questions.

    Attributes:
        facts: what collection.json says: settings, templates' hash, corpora with their counts,
            rows in all, content hash, what was dropped and set aside.
    """

    folder: Path
    facts: Mapping[str, Any]

    @classmethod
    def open(cls, folder: Path) -> Collection:
        """Read collection.json.

        Raises:
            UserError: the folder holds no collection, or one that this version can not read.
        """
        path = folder / FACTS
        if not path.is_file():
            raise UserError(
                f"{folder} holds no questions: there is no {FACTS} in it. "
                f"`raqa qa build CORPUS --out {folder}` makes some."
            )
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            known = {"format", "corpora", "content", "rows"} <= set(facts) and all(
                map(_is_file_name, facts["corpora"])
            )
        except (ValueError, TypeError):
            known = False
        if not known or facts["format"] != FORMAT:
            raise UserError(f"{path} is damaged or of another version; build the collection again.")
        return cls(folder, facts)

    @property
    def content(self) -> str:
        """A hash of all questions and answers: the same wherever and whenever they are made."""
        return str(self.facts["content"])

    def file(self, corpus: str) -> Path:
        """A corpus's Parquet file."""
        return self.folder / f"{corpus}.parquet"

    def problems(self) -> Iterator[str]:
        """Say which files are missing or are not what was written."""
        for corpus, facts in self.facts["corpora"].items():
            path = self.file(corpus)
            if not path.is_file():
                yield f"{path} is missing; build the collection again."
            elif path.stat().st_size != facts["bytes"] or _hash(path) != facts["sha256"]:
                yield f"{path} is damaged: it is not what was written. Build the collection again."

    def scan(self) -> pl.LazyFrame:
        """Return the questions of all corpora, with the columns of QUESTIONS.

        Raises:
            UserError: files are missing or damaged; all of them are named.
        """
        if problems := list(self.problems()):
            raise UserError(problems)
        return self.unchecked()

    def unchecked(self) -> pl.LazyFrame:
        """The same without reading every file to its end first, for a look before the work."""
        files = [self.file(corpus) for corpus in self.facts["corpora"]]
        if not files:
            return pl.LazyFrame(schema=dict(QUESTIONS))
        return pl.scan_parquet(files)


def scan(folder: Path) -> pl.LazyFrame:
    """Open a folder's questions, after checking that every file is what was written.

    Returns:
        the columns of QUESTIONS.

    Raises:
        UserError: the folder holds no collection, or files of it are missing or damaged.
    """
    return Collection.open(folder).scan()


def check_out(folder: Path) -> None:
    """Refuse to write into a folder that holds other things than a collection.

    Raises:
        UserError: saying what is in it.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder} is a file; name a folder.")
    held = [] if not folder.exists() else [path.name for path in folder.iterdir()]
    if held and FACTS not in held and not all(name.startswith(WRITING) for name in held):
        raise UserError(
            f"--out {folder} holds other things ({', '.join(sorted(held)[:3])}) and no collection "
            "to be replaced; name another folder."
        )


def write(
    folder: Path, parts: Iterable[Part], settings: Mapping[str, Any], templates: str
) -> Collection:
    """Write a collection, replacing one that is there.

    Files appear whole or not at all, collection.json last.

    Args:
        settings: how the questions were made; they do not enter the content hash.
        templates: hash of the templates.
    """
    check_out(folder)
    make_folder(folder)
    _remove(folder)
    corpora: dict[str, Any] = {}
    dropped, aside = [], [set_aside_table()]
    recordings = []
    for part in parts:
        if not _is_file_name(part.corpus):
            raise UserError(f"{part.corpus!r} can not be a file's name; call the corpus otherwise.")
        corpora[part.corpus] = _write_part(folder, part)
        recordings += [part.recordings] if part.recordings is not None else []
        dropped += [part.dropped] if part.dropped is not None else []
        aside.append(part.set_aside)
    content = json.dumps({name: facts["sha256"] for name, facts in sorted(corpora.items())})
    lost = pl.concat(dropped) if dropped else pl.DataFrame()
    facts = {
        "format": FORMAT,
        "content": hashlib.sha256(content.encode()).hexdigest(),
        "rows": sum(facts["rows"] for facts in corpora.values()),
        "templates": templates,
        "settings": dict(settings),
        "corpora": corpora,
        "dropped": _summed(lost, ["corpus", "attribute", "question_type", "reason"]),
        "set_aside": _summed(pl.concat(aside), ["corpus", "stage", "field"]),
    }
    if recordings:
        buffer = io.BytesIO()
        pl.concat(recordings, how="diagonal").write_ipc(buffer, compression="zstd")
        write_atomically(folder / RECORDINGS_FILE, buffer.getvalue())
    _write_table(folder / DROPPED_FILE, lost)
    _write_table(folder / SET_ASIDE_FILE, pl.concat(aside))
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    write_atomically(folder / FACTS, f"{text}\n".encode())
    return Collection(folder, facts)


def _write_part(folder: Path, part: Part) -> dict[str, Any]:
    path, unfinished = folder / f"{part.corpus}.parquet", folder / f"{WRITING}{part.corpus}"
    rows = 0
    try:
        with pq.ParquetWriter(unfinished, SCHEMA, **PARQUET) as writer:
            for block in part.blocks:
                writer.write_table(block, row_group_size=max(block.num_rows, 1))
                rows += block.num_rows
        digest = _hash(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return {"file": path.name, "rows": rows, "bytes": path.stat().st_size, "sha256": digest,
            **part.facts}  # fmt: skip


def read_recordings(folder: Path) -> pl.DataFrame | None:
    """What is asked about, see `Part.recordings`; None: the collection does not know.

    Raises:
        UserError: the file is damaged.
    """
    file = folder / RECORDINGS_FILE
    if not file.is_file():
        return None
    try:
        return pl.read_ipc(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{file} is damaged; build the collection again.") from error


def _is_file_name(corpus: str) -> bool:
    """Whether a corpus's file stays in the folder, whatever the corpus is called."""
    return Path(corpus).name == corpus and not corpus.startswith(".") and "\\" not in corpus


def _remove(folder: Path) -> None:
    """Take away what an earlier collection left, its facts first."""
    with contextlib.suppress(UserError):
        old = Collection.open(folder)
        (folder / FACTS).unlink()
        for corpus in old.facts["corpora"]:
            old.file(corpus).unlink(missing_ok=True)
    for name in (FACTS, RECORDINGS_FILE, SET_ASIDE_FILE, DROPPED_FILE):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / RECORDS, ignore_errors=True)


def _write_table(path: Path, table: pl.DataFrame) -> None:
    if table.height:
        write_atomically(path, table.write_csv().encode())


def _summed(table: pl.DataFrame, by: list[str]) -> list[dict[str, Any]]:
    if not table.height:
        return []
    count = pl.col("rows").sum() if "rows" in table.columns else pl.len().alias("rows")
    return table.group_by(by, maintain_order=True).agg(count).to_dicts()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def dropped_table(rows: Iterable[Any]) -> pl.DataFrame:
    """Collect `Dropped` rows into a table."""
    schema = {
        "corpus": pl.String, "attribute": pl.String, "reason": pl.String, "rows": pl.Int64,
        "question_type": pl.String, "template_id": pl.String, "asked_label": pl.String,
        "split": pl.String,
    }  # fmt: skip
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)
