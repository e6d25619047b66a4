"""`raqa report`: of run folders, or of a recipe whose cells are looked up first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raqa.configuration.folder import recipe_names
from raqa.errors import UserError, neighbours
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.tables import RecipeReport
from raqa.reports.recipes.write import make_recipe_report
from raqa.reports.run_folder import read_run
from raqa.sweeps.plan import Advance, PlannedCell
from raqa.sweeps.plan import plan as make_plan
from raqa.sweeps.recipe import Cell
from raqa.sweeps.recipe_file import SUFFIX, read_recipe


@dataclass(frozen=True)
class Asked:
    """What the arguments of `raqa report` ask for: folders or recipes, one of the two."""

    folders: tuple[Path, ...]
    recipes: tuple[str, ...]
    overrides: tuple[str, ...]


def understand(arguments: Sequence[str]) -> Asked:
    """Tell folders, recipes and settings apart.

    A folder that is there is a folder; any other name is a recipe.

    Raises:
        UserError: a name is neither, folders and recipes are mixed, or nothing is named.
    """
    settings = tuple(one for one in arguments if "=" in one and not Path(one).exists())
    names = [one for one in arguments if one not in settings]
    folders = tuple(Path(one) for one in names if Path(one).is_dir())
    recipes = tuple(one for one in names if not Path(one).is_dir())
    known = recipe_names()
    problems = [
        f"There is no folder and no recipe {one!r}. {neighbours(one, known)}, or the path of "
        f"a {SUFFIX} file of your own."
        for one in recipes
        if one.removesuffix(SUFFIX) not in known and not _is_file(one)
    ]
    if not names:
        problems.append("Name a recipe, for example demo/table3, or a folder with runs.")
    if folders and recipes and not problems:
        problems.append(
            f"{recipes[0]} is a recipe and {folders[0]} a folder; report one kind at a time."
        )
    if folders and settings:
        problems.append(f"{settings[0]}: settings choose a recipe's runs; folders have theirs.")
    if problems:
        raise UserError(problems)
    return Asked(folders, recipes, settings)


def recipe_report(
    name: str,
    overrides: Sequence[str] = (),
    config_folders: Sequence[Path] = (),
    advance: Advance | None = None,
) -> RecipeReport:
    """Look up every cell of a recipe and compute its table or figure.

    Args:
        overrides: as for `raqa sweep`, so that the same runs are found.

    Raises:
        UserError: the recipe has a fault, or none of its cells is done.
    """
    recipe = read_recipe(name, overrides, config_folders)
    cells = [report_cell(one) for one in make_plan(recipe, advance).cells]
    facts = RecipeFacts(recipe.name, recipe.title, recipe.layout, recipe.published, recipe.parts)
    return make_recipe_report(facts, cells)


def report_cell(planned: PlannedCell) -> ReportCell:
    """A planned cell with its run, or with the reason why it has none."""
    choices = _choices(planned.cell)
    if planned.state != "done" or planned.folder is None:
        return ReportCell(choices, None, _problem(planned))
    try:
        return ReportCell(choices, read_run(planned.folder.path))
    except UserError as error:
        return ReportCell(choices, None, f"damaged: {error.problems[0]}")


def _problem(planned: PlannedCell) -> str:
    lacks = [f"{need.kind} {need.name}: {' '.join(need.absent)}" for need in planned.lacks]
    state = {"missing": "not run yet"}.get(planned.state, planned.state)
    said = "; ".join([*planned.details, *lacks])
    return f"{state}: {said}" if said else state


def _choices(cell: Cell) -> Mapping[str, str]:
    """The cell's own choices, and those that all cells share."""
    shared = dict(one.lstrip("+").split("=", 1) for one in cell.overrides if "=" in one)
    return {**shared, **{key.lstrip("+"): value for key, value in cell.choices.items()}}


def _is_file(name: str) -> bool:
    return any(Path(one).is_file() for one in (name, f"{name}{SUFFIX}"))
