"""From an experiment to what is trained on: recordings with sides, folds, embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console

from raqa.configuration.reuse import read_corpus
from raqa.corpora.base import Recordings, Step
from raqa.corpora.cohort import audio_present
from raqa.errors import UserError
from raqa.regimes.base import Folds, Source
from raqa.regimes.twins import twins_across
from raqa.tables import SIDES, set_aside_table

if TYPE_CHECKING:
    from raqa.configuration.build import Experiment
    from raqa.embeddings.extract import Embeddings


_IN_WORDS = ("questions", "exam")
"""What a task is about that asks instead of predicting an attribute."""


@dataclass(frozen=True)
class Embedded:
    """The embeddings of one or more corpora; recording_ids are unique within a corpus only.

    Of no corpus where the head is given none.
    """

    by_corpus: Mapping[str, Embeddings]

    def inputs(self, rows: pl.DataFrame) -> NDArray[np.float32]:
        """The embeddings of these rows' recordings, in the rows' order.

        Returns:
            `[recordings, width]`, or `[recordings, frames, width]` of an encoder of frames; the
            width is 0 where nothing was embedded.
        """
        if not self.by_corpus:
            return np.zeros((rows.height, 0), dtype=np.float32)
        place = {
            (corpus, recording_id): (corpus, row)
            for corpus, embeddings in self.by_corpus.items()
            for row, recording_id in enumerate(embeddings.recording_ids)
        }
        found = [place[key] for key in rows.select("corpus", "recording_id").rows()]
        shape = next(iter(self.by_corpus.values())).vectors.shape[1:]
        inputs = np.empty((len(found), *shape), dtype=np.float32)
        for corpus, embeddings in self.by_corpus.items():
            here = [number for number, (name, _) in enumerate(found) if name == corpus]
            inputs[here] = embeddings.vectors[[found[number][1] for number in here]]
        return inputs

    @property
    def set_aside(self) -> pl.DataFrame:
        """What could not be embedded, SET_ASIDE columns."""
        parts = [embeddings.set_aside for embeddings in self.by_corpus.values()]
        return pl.concat([set_aside_table(), *parts])

    @property
    def unusable(self) -> dict[str, list[str]]:
        """The recording_ids that could not be embedded, for each corpus."""
        return {name: one.set_aside["item"].to_list() for name, one in self.by_corpus.items()}

    @property
    def counts(self) -> dict[str, int]:
        """How many embeddings came from the store, and how many were computed."""
        parts = self.by_corpus.values()
        return {
            "reused": sum(one.reused for one in parts),
            "computed": sum(one.computed for one in parts),
        }


def read_sided(experiment: Experiment) -> tuple[Recordings, ...]:
    """Read the corpora, keep their cohorts, and say for each recording which side it is on.

    Raises:
        UserError: there is no audio of a cohort at all.
    """
    return tuple(
        experiment.split.apply(experiment.task.apply(read_cohort(source)))
        for source in (Source(experiment.corpus, experiment.cohort), *experiment.regime.others)
    )


def read_cohort(source: Source) -> Recordings:
    """Read one corpus and keep its cohort.

    Raises:
        UserError: there is no audio of the cohort at all.
    """
    corpus = source.corpus
    everything = read_corpus(corpus)
    cohort = source.cohort.apply(everything)
    if not cohort.table["audio"].any():
        there = int(everything.table["audio"].sum())
        raise UserError(
            f"{corpus.name}: 0 of {cohort.table.height:,} recordings of the cohort present "
            f"({there:,} of {everything.table.height:,} recordings present in the label tables). "
            f"How to get them: {corpus.how_to_get}"
        )
    return cohort


def make_folds(experiment: Experiment, sided: Sequence[Recordings]) -> Folds:
    """The regime's folds, before any audio is opened.

    Raises:
        UserError: a side that the run needs would be empty.
    """
    try:
        return experiment.regime.folds(
            sided,
            experiment.task,
            as_published=experiment.split.leaking,
            needed=needed_sides(experiment),
        )
    except UserError as error:
        sides = {side for one in sided for side in one.table["side"].unique()}
        if "train" in sides or "test" not in sides:
            raise
        way = (
            "Nothing is on the training side, so nothing can be learnt. Models that others trained "
            "can be asked all the same: task=qa head=zero_shot responder=NAME."
        )
        raise UserError([*error.problems, way]) from error


def embed_folds(
    experiment: Experiment,
    sided: Sequence[Recordings],
    folds: Folds,
    cache: Path,
    console: Console,
) -> Embedded:
    """Embed the folds' recordings, and no others; none where the head is given no embeddings."""
    encoder, clip, embed = experiment.encoder, experiment.clip, experiment.embed
    if encoder is None or clip is None or embed is None:
        return Embedded({})
    from raqa.embeddings.extract import extract
    from raqa.embeddings.store import EmbeddingStore

    store = EmbeddingStore(cache / "embeddings")
    keys = pl.concat([fold.table.select("corpus", "recording_id") for fold in folds.all]).unique()
    wanted = [
        audio_present(recordings).table.join(
            keys, on=["corpus", "recording_id"], how="semi", maintain_order="left"
        )
        for recordings in sided
    ]
    parts = [part for table in wanted for part in table.partition_by("corpus", maintain_order=True)]
    return Embedded(
        {
            part["corpus"][0]: extract(part, encoder, clip, store, embed, console=console)
            for part in parts
        }
    )


def needed_sides(experiment: Experiment) -> tuple[str, ...]:
    """The sides that a run can not do without.

    A head that learns nothing needs the test side only. Of a label all are needed: its baseline
    is taken from training.
    """
    asks = experiment.task.kind in {"questions", "exam"} and not experiment.head.learns
    return ("test",) if asks else SIDES


def usable_folds(
    folds: Folds,
    sided: Sequence[Recordings],
    embedded: Embedded,
    cache: Path,
    needed: Sequence[str] = SIDES,
) -> tuple[Folds, pl.DataFrame]:
    """The folds without audio that was set aside or that stands on two sides, byte for byte.

    Args:
        needed: sides that must not be empty.

    Returns:
        the folds, and SET_ASIDE rows of both kinds.

    Raises:
        UserError: such a side is then empty.
    """
    from raqa.embeddings.hashes import HashCache
    from raqa.embeddings.store import EmbeddingStore

    usable = folds.without(embedded.unusable)
    hashes = HashCache(EmbeddingStore(cache / "embeddings").hashes_folder)
    twins = twins_across(usable, sided, hashes)
    leaving = twins.group_by("corpus").agg("item").rows()
    usable = usable.without(dict(leaving))
    aside = pl.concat([embedded.set_aside, twins])
    for fold in usable.all:
        empty = [side for side in needed if not fold.side(side).height]
        if empty:
            raise UserError(
                f"{fold.name}: no usable audio is left on the {' and '.join(empty)} side; "
                f"{aside.height} recordings were set aside, first "
                f"{aside['item'][0]} ({aside['reason'][0]})."
            )
    return usable, aside


def count_steps(
    sided: Sequence[Recordings], taken: Folds, usable: Folds, heard: str = "audio usable"
) -> tuple[Step, ...]:
    """What each step left of each corpus: the cohort's, then the task's, regime's and audio's.

    Args:
        taken: the folds as the regime made them.
        usable: the same without recordings whose audio was set aside or stands on two sides.
        heard: what that step is called.
    """
    steps: list[Step] = []
    for recordings in sided:
        present = audio_present(recordings)
        target = taken.main.target
        known = "with a question" if target in _IN_WORDS else f"{target} known"
        labelled = present.table.filter(pl.col(target).is_not_null(), pl.col("side").is_not_null())
        corpora = recordings.table["corpus"].unique().to_list()
        asked = _rows_of(corpora, taken)
        left = [(heard, _rows_of(corpora, usable))]
        if asked.height < labelled.height:
            left.insert(0, ("taken by the regime", asked))
        counted = (
            *present.steps,
            *(
                Step(name, rows.height, rows.select("corpus", "subject_id").n_unique())
                for name, rows in [(f"{known}, on a side", labelled), *left]
            ),
        )
        prefix = f"{recordings.corpus}: " if len(sided) > 1 else ""
        steps += [replace(step, name=f"{prefix}{step.name}") for step in counted]
    return tuple(steps)


def _rows_of(corpora: Sequence[str], folds: Folds) -> pl.DataFrame:
    """Some corpora's recordings in any of the folds."""
    here = [
        fold.table.filter(pl.col("corpus").is_in(corpora)).select(
            "corpus", "recording_id", "subject_id"
        )
        for fold in folds.all
    ]
    return pl.concat(here).unique()
