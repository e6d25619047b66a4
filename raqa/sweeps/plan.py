"""What of a recipe is done, missing, running, failed or damaged, before anything runs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf

from raqa.configuration.build import build
from raqa.configuration.overrides import compose_choices
from raqa.configuration.reuse import reusing_parts
from raqa.configuration.unused import without_unused
from raqa.errors import UserError
from raqa.regimes.task import Task
from raqa.reports.run_folder import RunFolder
from raqa.run import prepare
from raqa.sweeps.claim import holder
from raqa.sweeps.failure import recorded
from raqa.sweeps.needs import (
    Need,
    corpus_needs,
    question_needs,
    responder_needs,
    text_model_needs,
    untrained,
    weights_need,
)
from raqa.sweeps.places import claims_folder
from raqa.sweeps.recipe import Cell, Recipe, RegimeLayout

State = Literal["done", "missing", "running", "failed", "damaged"]
STATES: tuple[State, ...] = get_args(State)
CELLS_NAMED = 3
"""Cells that a fault names before it counts the rest."""

Advance = Callable[[int, int], None]
"""Told how many cells have been looked at, and of how many."""


@dataclass(frozen=True)
class PlannedCell:
    """A cell, and how far it is.

    Attributes:
        state: "missing" also where data or weights are absent.
        details: who is running it, why it failed, what is damaged.
        needs: what it needs that a download brings.
        folder: where its result is or will be; None: that depends on data or weights that are
            absent, or can not be used.
        runs: the folder of all runs.
        group: equal for cells on the same embeddings.
    """

    cell: Cell
    state: State
    details: tuple[str, ...]
    needs: tuple[Need, ...]
    folder: RunFolder | None
    runs: Path
    group: str

    @property
    def lacks(self) -> tuple[Need, ...]:
        """What it needs and is absent."""
        return tuple(need for need in self.needs if need.absent)


@dataclass(frozen=True)
class Plan:
    """All cells of a recipe, in its order."""

    recipe: Recipe
    cells: tuple[PlannedCell, ...]

    @property
    def counts(self) -> Mapping[State, int]:
        """How many cells are in each state that there is."""
        counted = Counter(cell.state for cell in self.cells)
        return {state: counted[state] for state in STATES if counted[state]}

    @property
    def needs(self) -> tuple[Need, ...]:
        """Everything that any cell needs, once."""
        return tuple(dict.fromkeys(need for cell in self.cells for need in cell.needs))


@dataclass(frozen=True)
class _Composed:
    cell: Cell
    config: DictConfig
    choices: Mapping[str, str]

    @property
    def group(self) -> str:
        nodes = [self.config.get(name) for name in ("encoder", "clip", "datamodule")]
        plain = [node if node is None else OmegaConf.to_container(node) for node in nodes]
        return json.dumps(plain, sort_keys=True, default=str)


def plan(recipe: Recipe, advance: Advance | None = None) -> Plan:
    """Compose, build and look up every cell; label tables are read, nothing is trained.

    Raises:
        UserError: cells can not work as they are written; all faults of all cells, each once.
    """
    faults: dict[str, list[str]] = defaultdict(list)
    composed = [one for cell in recipe.cells if (one := _compose(recipe, cell, faults))]
    looked_up: dict[int, PlannedCell] = {}
    with reusing_parts():
        for number, one in enumerate(sorted(composed, key=lambda each: each.group), start=1):
            try:
                _check_layout(recipe, one)
                looked_up[id(one)] = _look_up(one)
            except UserError as error:
                for problem in error.problems:
                    faults[problem].append(one.cell.label)
            if advance is not None:
                advance(number, len(composed))
    if faults:
        raise UserError([_with_cells(fault, labels, recipe) for fault, labels in faults.items()])
    return Plan(recipe, tuple(looked_up[id(one)] for one in composed))


def runs_folder(recipe: Recipe) -> Path:
    """The runs folder of the first cell that can be composed.

    Raises:
        UserError: none can; all faults of all cells.
    """
    for cell in recipe.cells:
        try:
            config, _ = compose_choices(cell.overrides, recipe.config_folders)
        except UserError:
            continue
        return Path(config.paths.runs)
    plan(recipe)
    raise AssertionError("a recipe whose cells can not be composed has a plan")


def _compose(recipe: Recipe, cell: Cell, faults: dict[str, list[str]]) -> _Composed | None:
    try:
        config, choices = compose_choices(cell.overrides, recipe.config_folders)
    except UserError as error:
        for problem in error.problems:
            faults[problem].append(cell.label)
        return None
    return _Composed(cell, *without_unused(config, choices))


def _check_layout(recipe: Recipe, one: _Composed) -> None:
    """Refuse a run that the recipe's table or figure has no place for.

    Raises:
        UserError: a table of transfer, or a curve, of runs of another regime; a table of answers
            of runs that answer no questions, or the other way round.
    """
    made: type[Task] = get_class(one.config.task._target_)
    kind, task = made.kind, one.choices["task"]
    if recipe.layout == "questions" and kind != "questions":
        raise UserError(f"task={task}: layout=questions shows answers to questions only (task=qa).")
    if recipe.layout != "questions" and kind == "questions":
        raise UserError(f"task={task}: answers to questions are shown by layout=questions only.")
    if (recipe.layout == "exam") != (kind == "exam"):
        raise UserError(f"task={task}: layout=exam shows exams (task=exam), and nothing else does.")
    regime = one.choices["regime"]
    if recipe.layout in get_args(RegimeLayout) and regime != recipe.layout:
        raise UserError(
            f"regime={regime}: layout={recipe.layout} shows runs of regime={recipe.layout} only."
        )


def _look_up(one: _Composed) -> PlannedCell:
    """Say how far a cell is.

    Raises:
        UserError: it can not work as it is written.
    """
    weights = weights_need(one.config, one.choices["encoder"])
    fetched = weights is None or not weights.absent
    experiment = build(one.config if fetched else untrained(one.config))
    experiment.logger.check()
    inputs = (
        *corpus_needs(experiment),
        *question_needs(experiment),
        *([] if weights is None else [weights]),
    )
    needs = (*inputs, *text_model_needs(one.config), *responder_needs(one.config))
    runs = Path(one.config.paths.runs)
    if any(need.absent for need in inputs):
        return PlannedCell(one.cell, "missing", (), needs, None, runs, one.group)
    try:
        folder = prepare(one.config, one.choices).folder
    except UserError as error:  # the labels do not give what is asked for
        return PlannedCell(one.cell, "failed", error.problems, needs, None, runs, one.group)
    state, details = _state(folder, runs)
    lacking = inputs if state == "done" else needs
    return PlannedCell(one.cell, state, details, lacking, folder, runs, one.group)


def _state(folder: RunFolder, runs: Path) -> tuple[State, tuple[str, ...]]:
    name = folder.path.name
    if owner := holder(claims_folder(runs), name):
        return "running", (str(owner),)
    if folder.finished:
        damage = folder.verify()
        return ("damaged", tuple(damage)) if damage else ("done", ())
    if failure := recorded(runs, name):
        return "failed", failure.lines()
    return "missing", ()


def _with_cells(fault: str, labels: Sequence[str], recipe: Recipe) -> str:
    """A fault with the cells that have it."""
    if len(labels) == len(recipe.cells):
        return f"{fault} (in every cell)"
    rest = len(labels) - CELLS_NAMED
    named = ", ".join(labels[:CELLS_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"{fault} (in {named})"
