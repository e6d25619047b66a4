"""What a recipe is: the runs, called cells, that make one table or figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

RegimeLayout = Literal["cross", "low_n"]
"""Layouts that show runs of one regime only, which has their name."""

Layout = Literal["within", "heads", RegimeLayout, "questions", "exam"]


@dataclass(frozen=True)
class Cell:
    """One run of a recipe.

    Attributes:
        overrides: what is typed after `python train.py` to get it, in order.
        choices: the cell's own settings among them ("datamodule": "coswara"), as text.
        label: what tells it from the recipe's other cells, `coswara age opera_gt padding=none`.
    """

    overrides: tuple[str, ...]
    choices: Mapping[str, str]
    label: str


@dataclass(frozen=True)
class Recipe:
    """The runs that make one table or figure of a paper.

    Attributes:
        name: as on the command line, `cough_regression/table3`.
        layout: what a report makes of it.
        published: CSV with the paper's numbers.
        parts: CORPUS/ATTRIBUTE of the questions that layout=questions shows; none: all together.
            Of layout=exam by what questions are parted; none: by question type.
        config_folders: folders of the user's own configs, as for --config-dir.
    """

    name: str
    path: Path
    title: str
    layout: Layout
    published: Path | None
    cells: tuple[Cell, ...]
    config_folders: tuple[Path, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """The name as a word for others: of a file of the user's own, its own name."""
        path = Path(self.name).with_suffix("")
        return path.name if path.is_absolute() or ".." in path.parts else path.as_posix()
