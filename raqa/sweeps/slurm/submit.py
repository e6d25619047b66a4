"""Hand what of a recipe is missing to Slurm: embeddings first, heads after them; then return."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from raqa.configuration.overrides import compose_choices
from raqa.configuration.unused import uses_embeddings
from raqa.errors import UserError
from raqa.provenance import commit
from raqa.sweeps.claim import claimed
from raqa.sweeps.places import claims_folder
from raqa.sweeps.plan import Advance, PlannedCell, runs_folder
from raqa.sweeps.recipe import Cell, Recipe
from raqa.sweeps.slurm import scheduler
from raqa.sweeps.slurm.preset import Preset, write_script
from raqa.sweeps.slurm.standing import Overview, Standing, overview
from raqa.sweeps.slurm.submission import Extraction, Submission, code_digest
from raqa.sweeps.work import Job

CLAIM = "slurm-submission"
OPEN = frozenset({"failed", "missing", "damaged"})


@dataclass(frozen=True)
class ClusterSettings:
    """How a recipe is submitted.

    Attributes:
        heads: what the jobs ask for that train heads.
        embeddings: what those ask for that extract.
        pack: cells in one job.
        shards: jobs that share the extraction of one corpus by one encoder.
        force: also cells that are done.
    """

    heads: Preset
    embeddings: Preset
    pack: int = 20
    shards: int = 1
    force: bool = False


@dataclass(frozen=True)
class Submitted:
    """What a submission came to.

    Attributes:
        submission: None: nothing was to be submitted.
        left_out: cells that can not run, with what they lack.
    """

    before: Overview
    submission: Submission | None = None
    left_out: tuple[Standing, ...] = ()
    fetched: tuple[str, ...] = field(default=())


def submit(recipe: Recipe, settings: ClusterSettings, advance: Advance | None = None) -> Submitted:
    """Submit the cells that are neither done nor in Slurm's hands.

    Weights that are absent are fetched before, since nodes may have no network.

    Raises:
        UserError: cells can not work as they are written, or Slurm does not take them.
        ClaimedError: another process is submitting into the same runs folder.
    """
    scheduler.check_here()
    runs = runs_folder(recipe).absolute()  # jobs may begin in another folder
    with claimed(claims_folder(runs), CLAIM):
        before = overview(recipe, advance)
        fetched = fetch_absent(recipe, before)
        if fetched:
            before = overview(recipe, advance)
        wanted = [one for one in before.standings if _is_open(one, force=settings.force)]
        able = [one.planned for one in wanted if one.planned.folder is not None]
        left_out = tuple(one for one in wanted if one.planned.folder is None)
        if not able:
            return Submitted(before, None, left_out, fetched)
        submission = _submission(recipe, able, settings, runs)
        submission.write()
        _hand_over(submission, settings)
    return Submitted(before, submission, left_out, fetched)


def fetch_absent(recipe: Recipe, seen: Overview) -> tuple[str, ...]:
    """Fetch weights that cells lack; the names of those that were had.

    What can not be had stays absent, and the cells that need it are left out with the reason.
    """
    from raqa.configuration.build import build_node
    from raqa.configuration.weights import fetch_weights, list_weights

    published = {one.name for one in list_weights()}
    lacking = {
        need.name: one.planned.cell
        for one in seen.standings
        for need in one.planned.lacks
        if need.kind == "weights"
    }
    fetched = []
    for name, cell in lacking.items():
        try:
            if name in published:
                fetch_weights(name)
            else:  # building one of transformers' fetches it
                build_node(compose_choices(cell.overrides, recipe.config_folders)[0], "encoder")
        except UserError:
            continue
        fetched.append(name)
    return tuple(fetched)


def _is_open(standing: Standing, *, force: bool) -> bool:
    return standing.state in OPEN or (force and standing.state == "done")


def _submission(
    recipe: Recipe, cells: Sequence[PlannedCell], settings: ClusterSettings, runs: Path
) -> Submission:
    jobs = list(_jobs(recipe, cells, force=settings.force))
    now = datetime.now(UTC)
    slug = re.sub(r"[^\w-]+", "-", recipe.slug)
    return Submission(
        name=f"{now:%Y%m%d-%H%M%S}-{slug}-{uuid.uuid4().hex[:4]}",
        recipe=recipe.name,
        when=now.isoformat(timespec="seconds"),
        commit=commit(),
        code=code_digest(recipe.config_folders),
        runs=runs,
        extractions=tuple(_extractions(recipe, [one.cell for one in cells], settings.shards)),
        packs=tuple(
            tuple(jobs[start : start + settings.pack])
            for start in range(0, len(jobs), settings.pack)
        ),
        warning_s=settings.heads.warning_s,
        requeues=settings.heads.requeues,
    )


def _jobs(recipe: Recipe, cells: Sequence[PlannedCell], *, force: bool) -> Iterator[Job]:
    """Each cell once, those on the same embeddings next to each other."""
    once = {one.folder.path: one for one in cells if one.folder is not None}
    for path, one in sorted(once.items(), key=lambda item: item[1].group):
        yield Job(
            label=one.cell.label,
            overrides=one.cell.overrides,
            config_folders=recipe.config_folders,
            runs=one.runs,
            name=path.name,
            group=one.group,
            force=force,
            recipe=recipe.slug,
        )


def _extractions(recipe: Recipe, cells: Sequence[Cell], shards: int) -> Iterator[Extraction]:
    """Every encoder with every corpus that it has to hear, once, in so many parts."""
    found: dict[str, tuple[str, Cell, str]] = {}
    for cell in cells:
        config, choices = compose_choices(cell.overrides, recipe.config_folders)
        for place in _places(config) if uses_embeddings(config) else ():
            corpus = OmegaConf.select(config, f"{place}.corpus.name")
            found.setdefault(
                _extraction_key(config, place), (f"{choices['encoder']} on {corpus}", cell, place)
            )
    for label, cell, place in found.values():
        for part in range(1, shards + 1):
            yield Extraction(
                label=label if shards == 1 else f"{label}, part {part} of {shards}",
                overrides=cell.overrides,
                config_folders=recipe.config_folders,
                place=place,
                shard=None if shards == 1 else f"{part}/{shards}",
            )


def _places(config: DictConfig) -> Iterator[str]:
    """Where a config has corpora: the datamodule, and what the regime has besides."""
    yield "datamodule"
    for name, node in config.regime.items():
        if isinstance(node, DictConfig) and "corpus" in node:
            yield f"regime.{name}"


def _extraction_key(config: DictConfig, place: str) -> str:
    nodes = [OmegaConf.select(config, path) for path in ("encoder", "clip", place)]
    plain = [OmegaConf.to_container(node, resolve=True) for node in nodes]
    return json.dumps([*plain, config.embed.precision], sort_keys=True, default=str)


def _hand_over(submission: Submission, settings: ClusterSettings) -> None:
    """Submit both arrays; the second waits for the first, however that ends.

    A head whose embeddings could not be had tries itself, and fails with its own cause.
    """
    first = write_script(
        submission, "embeddings", len(submission.extractions), settings.embeddings, None
    )
    job = scheduler.submit(first)
    submission.write_job("embeddings", job)
    second = write_script(submission, "heads", len(submission.packs), settings.heads, job)
    submission.write_job("heads", scheduler.submit(second))
