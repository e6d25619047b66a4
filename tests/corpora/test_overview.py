"""All corpora at a glance: what `raqa corpora check` prints without a name."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hydra.utils import get_class
from miniatures import epfl_cough, uk_covid19
from omegaconf import OmegaConf
from rich.console import Console

from raqa.configuration.folder import config_folder
from raqa.corpora.base import Corpus
from raqa.corpora.coswara import Coswara
from raqa.corpora.demo import Demo
from raqa.corpora.epfl_cough import EpflCough
from raqa.corpora.manifest import Manifest, ManifestColumns
from raqa.corpora.overview import Glance, glance, print_overview
from raqa.corpora.uk_covid19 import UkCovid19


def test_a_corpus_that_is_not_there_is_missing(tmp_path: Path) -> None:
    assert glance(Coswara(root=tmp_path / "none")).state == "missing"
    assert glance(Manifest(name="mine")).state == "missing"


def test_recordings_and_subjects_are_counted_with_audio_and_without(tmp_path: Path) -> None:
    uk_covid19.write(tmp_path)
    seen = glance(UkCovid19(root=tmp_path))
    assert (seen.state, seen.audio, seen.recordings, seen.subjects) == ("present", 34, 34, 12)


def test_labels_without_audio_and_half_a_corpus_are_told_apart(tmp_path: Path) -> None:
    uk_covid19.write(tmp_path / "uk", audio=False)
    epfl_cough.write(tmp_path / "epfl")
    assert glance(UkCovid19(root=tmp_path / "uk")).state == "labels"
    assert glance(EpflCough(root=tmp_path / "epfl")).state == "partly"


def test_what_is_there_and_can_not_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "combined_data.csv").write_text("id\n1\n")
    assert glance(Coswara(root=tmp_path)).state == "fault"


def test_a_synthetic_corpus_is_not_made_for_a_glance(tmp_path: Path) -> None:
    assert glance(Demo(root=tmp_path / "demo")).state == "synthetic"
    assert not list(tmp_path.iterdir())


def test_uploads_are_not_called_subjects(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("path,who\na.wav,x\nb.wav,x\n")
    unknown = Manifest(name="unknown", table=tmp_path / "t.csv")
    known = Manifest(name="known", table=tmp_path / "t.csv", columns=ManifestColumns(subject="who"))
    out = io.StringIO()
    print_overview(map(glance, [unknown, known]), Console(file=out, width=300))
    assert [line.split()[5] for line in out.getvalue().splitlines()[1:3]] == ["2*", "1"]


def test_every_corpus_has_one_line_with_the_way_to_get_it_where_there_is_room(
    tmp_path: Path,
) -> None:
    uk_covid19.write(tmp_path / "uk", audio=False)
    corpora: list[Corpus] = [Coswara(root=tmp_path / "none"), UkCovid19(root=tmp_path / "uk")]
    out = io.StringIO()
    print_overview(map(glance, corpora), Console(file=out, width=300))
    _, missing, labels, *explained = out.getvalue().splitlines()
    assert missing.split()[:2] == ["coswara", "missing"]
    assert "git clone https://github.com/iiscleap/Coswara-Data" in missing
    assert labels.split()[:6] == ["uk_covid19", "labels", "0", "/", "34", "12"]
    assert "raqa corpora check NAME" in explained[-1]


@pytest.mark.parametrize("width", [80, 100, 130, 200])
def test_no_line_of_any_shipped_corpus_is_wider_than_the_terminal(width: int) -> None:
    ways = _ways()
    assert len(ways) > 10
    seen = (Glance(Manifest(name=name, how_to_get=way), "partly", 99_999, 99_999, 99_999)
            for name, way in ways.items())  # fmt: skip
    out = io.StringIO()
    print_overview(seen, Console(file=out, width=width))
    assert max(map(len, out.getvalue().splitlines())) <= width
    shown = " ".join(out.getvalue().split())
    assert all(" ".join(way.split()) in shown for way in ways.values())


def _ways() -> dict[str, str]:
    """How to get each shipped corpus."""
    found = {}
    for path in (config_folder() / "datamodule").glob("*.yaml"):
        node = OmegaConf.load(path).get("corpus")
        if node is not None and "_target_" in node:
            way = node.get("how_to_get", get_class(node._target_).how_to_get)
            found[path.stem] = str(way)
    return found
