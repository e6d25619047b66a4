"""What the documentation shows works as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from raqa.main import main
from raqa.reports.run_folder import read_run

CHECKOUT = Path(__file__).parents[1]


def _block(document: str, language: str) -> str:
    text = (CHECKOUT / "docs" / document).read_text(encoding="utf-8")
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found, f"{document} has no {language} block"
    return found[1]


def _links() -> list[tuple[Path, str]]:
    pages = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
    found = [
        (p, link) for p in pages for link in re.findall(r"\]\(([^)#]+)\)", p.read_text("utf-8"))
    ]
    return [(page, link) for page, link in found if not link.startswith("http")]


@pytest.mark.parametrize(("page", "link"), _links())
def test_links_lead_somewhere(page: Path, link: str) -> None:
    assert (page.parent / link).exists()


def test_a_corpus_is_added_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, configs, data = tmp_path / "package", tmp_path / "configs", tmp_path / "data"
    for folder in (package, configs / "datamodule", data / "example_hospital" / "wav"):
        folder.mkdir(parents=True)
    (package / "hospital_corpus.py").write_text(_block("add_a_corpus.md", "python"))
    yaml = _block("add_a_corpus.md", "yaml")
    yaml = yaml.replace("raqa.corpora.example_hospital", "hospital_corpus")
    (configs / "datamodule" / "example_hospital.yaml").write_text(yaml)
    _make_download(data / "example_hospital")
    monkeypatch.syspath_prepend(package)
    main(
        ["--config-dir", str(configs), "datamodule=example_hospital", f"paths.data={data}",
         f"paths.runs={tmp_path / 'runs'}", "trainer.max_epochs=2", "seeds=1"]
    )  # fmt: skip
    sys.modules.pop("hospital_corpus", None)
    (folder,) = (tmp_path / "runs").glob("example_hospital-age-*")
    run = read_run(folder)
    assert run.set_aside["item"].to_list() == ["p0"]  # aged 999
    assert run.fold.height == 29


def _make_download(root: Path) -> None:
    generator = np.random.default_rng(0)
    lines = ["Patient,Age (years)"]
    for patient in range(30):
        soundfile.write(root / "wav" / f"p{patient}.wav", generator.normal(0, 0.1, 8000), 8000)
        lines.append(f"p{patient},{999 if patient == 0 else 20 + patient}")
    (root / "patients.csv").write_text("\n".join(lines) + "\n")
