"""`raqa report RECIPE --wandb`: which project, and what of the settings is the cells'."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from raqa.errors import UserError, neighbours
from raqa.reports.recipes.tables import RecipeReport
from raqa.reports.wandb_session import Mode, require_key
from raqa.sweeps.report import Asked


class ReportInWandb:
    """Where reports go in Weights & Biases.

    Args:
        mode: as it was typed, "online" or "offline".
        asked: settings of the logger say which project; cells have none of them here.
        config_folders: of the user's own configs.

    Raises:
        UserError: there is no such mode, folders were named, the logger is not W&B's, or
            there is no key to go online with.
    """

    def __init__(self, mode: str, asked: Asked, config_folders: Sequence[Path] = ()) -> None:
        from raqa.configuration.build import build_node
        from raqa.configuration.overrides import compose_choices
        from raqa.reports.wandb_run import WandbTracker

        problems = []
        if mode not in get_args(Mode):
            problems.append(f"--wandb={mode}: {neighbours(mode, get_args(Mode))}")
        if asked.folders:
            problems.append("--wandb: of recipes; runs go there while they are made, logger=wandb.")
        if problems:
            raise UserError(problems)
        own = [one for one in asked.overrides if one.startswith(("logger=", "logger."))]
        self.cell_overrides = tuple(one for one in asked.overrides if one not in own)
        places = [one for one in self.cell_overrides if one.startswith("paths.")]
        folders = [one.resolve() for one in config_folders]
        config, _ = compose_choices(["logger=wandb", *own, *places], folders)
        tracker = build_node(config, "logger")
        if not isinstance(tracker, WandbTracker):
            raise UserError(f"{' '.join(own)}: --wandb needs a logger of Weights & Biases.")
        if mode == "online":
            require_key("--wandb")
        self.tracker, self.mode = tracker, cast("Mode", mode)

    def add(self, report: RecipeReport) -> str:
        """Add a report; says where it is."""
        from raqa.reports.recipes.wandb_table import show_report

        run = show_report(report, self.tracker, self.mode)
        later = "; `raqa wandb push` sends it" if self.mode == "offline" else ""
        return f"Weights & Biases, project {self.tracker.project}: {run}{later}"
