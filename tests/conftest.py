"""Fixtures that all tests share; the one place that knows where real test data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Real recordings in their official layouts. They are not part of the project: tests that need
# them skip where they are absent.
TEST_DATA = Path(os.environ.get("RAQA_TEST_DATA", "../shared/data"))


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with real recordings, or skip."""
    folder = (Path(__file__).parents[1] / TEST_DATA).resolve()
    if not folder.is_dir():
        pytest.skip(f"no real recordings at {folder}; RAQA_TEST_DATA names another place")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the user's embeddings, data and terminal settings."""
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("RAQA_DATA", raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
