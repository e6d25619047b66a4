"""An encoder is added as docs/add_an_encoder.md says, in a package outside this repository."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from raqa import load_encoder
from raqa.main import main
from raqa.reports.run_folder import read_run

PAGE = Path(__file__).parents[2] / "docs" / "add_an_encoder.md"


def _block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def configs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `mine` with the page's class, and a folder of configs with its YAML."""
    package, folder = tmp_path / "site" / "mine", tmp_path / "configs"
    package.mkdir(parents=True)
    (folder / "encoder").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "features.py").write_text(_block("python"))
    yaml = _block("yaml").replace("raqa.encoders.mfcc_stats", "mine.features")
    (folder / "encoder" / "mfcc_stats.yaml").write_text(yaml)
    monkeypatch.syspath_prepend(package.parent)
    yield folder
    for name in ("mine.features", "mine"):
        sys.modules.pop(name, None)


def test_the_class_is_about_twenty_lines_of_code() -> None:
    text = re.sub(r'""".*?"""', "", _block("python"), flags=re.DOTALL)
    code = [line for line in text.splitlines() if line.strip()]
    assert sum(not line.startswith(("import", "from")) for line in code) <= 20


def test_it_is_trained_on_from_the_command_line(configs: Path, tmp_path: Path) -> None:
    main(
        ["--config-dir", str(configs), "encoder=mfcc_stats", "datamodule.corpus.subjects=60",
         f"paths.cache={tmp_path / 'cache'}", f"paths.runs={tmp_path / 'runs'}",
         "trainer.max_epochs=2", "seeds=1"]
    )  # fmt: skip
    (folder,) = (tmp_path / "runs").glob("demo-age-mfcc_stats-*")
    assert np.isfinite(read_run(folder).predictions["prediction"].to_numpy()).all()


def test_it_is_loaded_from_python_in_three_lines(configs: Path) -> None:
    encoder = load_encoder("mfcc_stats", config_folder=configs, coefficients=13)
    waveforms = list(np.random.default_rng(0).normal(0, 0.1, (3, 16_000)).astype(np.float32))
    assert encoder.embed(waveforms, sample_rate=16_000).shape == (3, 26)
