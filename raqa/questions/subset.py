"""A balanced subset as a collection of its own, with a natural test set beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from raqa.embeddings.atomic import write_atomically
from raqa.errors import UserError
from raqa.questions.balance import STRATUM, Balance, Subset, balanced, natural
from raqa.questions.block import SCHEMA
from raqa.questions.collection import RECORDINGS_FILE, Collection, Part, check_out, write
from raqa.tables import SIDES

LIMITS_FILE, NATURAL = "limits.csv", "natural_test"


@dataclass(frozen=True)
class Sampled:
    """What was written.

    Attributes:
        balanced, natural: the two collections; the second one holds test questions only.
        limits: LIMITS columns, what limited each attribute of the balanced one.
    """

    balanced: Collection
    natural: Collection
    limits: pl.DataFrame


def check_sizes(settings: Balance) -> None:
    """Refuse sizes that can not be meant.

    Raises:
        UserError: naming all of them.
    """
    least = {"train": 0, "validation": 0, "test": 0, "per_subject": 1, "least": 1, "seed": 0}
    wrong = [f"--{name.replace('_', '-')} {value}: expected {least[name]} or more."
             for name, value in asdict(settings).items() if value < least[name]]  # fmt: skip
    if wrong:
        raise UserError(wrong)


def sample(
    folder: Path, out: Path, settings: Balance, watch: Callable[[str], None] = lambda _: None
) -> Sampled:
    """Choose from a collection and write what was chosen.

    Args:
        out: gets the balanced collection, limits.csv, and the natural test set in `natural_test`.
        watch: is told what is being done.

    Raises:
        UserError: there is no collection, or `out` holds other things.
    """
    check_sizes(settings)
    if out.resolve() == folder.resolve():
        raise UserError(f"--out {out} is the collection itself; name another folder.")
    source = Collection.open(folder)
    check_out(out)
    check_out(out / NATURAL)
    questions = source.scan()
    watch("balancing")
    even = balanced(questions, settings)
    watch("drawing a natural test set")
    plain = natural(questions, settings)
    watch("writing")
    whole = _write(source, questions, even, out, {"balanced": asdict(settings)})
    beside = _write(source, questions, plain, out / NATURAL, {"natural": asdict(settings)})
    write_atomically(out / LIMITS_FILE, even.limits.write_csv().encode())
    return Sampled(whole, beside, even.limits)


def _write(
    source: Collection, questions: pl.LazyFrame, subset: Subset, out: Path, how: Mapping[str, Any]
) -> Collection:
    settings = {**source.facts.get("settings", {}), **how, "of": source.content}
    return write(out, _parts(source, questions, subset), settings, source.facts["templates"])


def _parts(source: Collection, questions: pl.LazyFrame, subset: Subset) -> Iterator[Part]:
    heard = source.folder / RECORDINGS_FILE
    recordings = pl.read_parquet(heard) if heard.is_file() else None
    for corpus in source.facts["corpora"]:
        chosen = subset.chosen.filter(pl.col("corpus") == corpus)["qa_id"]
        rows = (
            # Unlike a join, a filter reads the other columns of what is chosen only.
            questions.filter(pl.col("corpus") == corpus, pl.col("qa_id").is_in(chosen.implode()))
            .collect(engine="streaming")
            .sort("qa_id")
        )
        blocks = [rows.to_arrow().select(SCHEMA.names).cast(SCHEMA)] if rows.height else []
        facts = _facts(source.facts["corpora"][corpus], rows)
        yield Part(corpus, blocks, facts, recordings=_asked_about(recordings, rows))


def _asked_about(recordings: pl.DataFrame | None, rows: pl.DataFrame) -> pl.DataFrame | None:
    """The recordings that were chosen, so that a model can be trained on the subset alone."""
    if recordings is None:
        return None
    return recordings.join(rows, on=["corpus", "recording_id"], how="semi")


def _facts(known: Mapping[str, Any], rows: pl.DataFrame) -> dict[str, Any]:
    """What the source says about a corpus, with the counts of what was chosen."""
    side = pl.col("split").fill_null("none")
    counts = rows.group_by(STRATUM[2:]).agg(
        *((side == name).sum().alias(name) for name in (*SIDES, "none"))
    )
    return {
        **{name: value for name, value in known.items()
           if name not in {"file", "rows", "bytes", "sha256"}},
        "recordings": rows["recording_id"].n_unique(),
        "subjects": rows["subject_id"].n_unique(),
        "questions": counts.sort(STRATUM[2:]).to_dicts(),
    }  # fmt: skip
