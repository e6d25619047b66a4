"""Fixtures for responders: tiny models that hear or see, made once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.responders.tiny_media import TINY


@pytest.fixture(scope="session")
def tiny_media(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a preset's tiny model; tests that change it copy it before."""
    made: dict[str, Path] = {}

    def folder(preset: str) -> Path:
        if preset not in made:
            made[preset] = TINY[preset](tmp_path_factory.mktemp(preset))
        return made[preset]

    return folder
