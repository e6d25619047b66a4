"""The demo corpus: synthetic, the same everywhere, and worth learning from."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from raqa.corpora.cough_synthesis import RATE, Person, cough_clips
from raqa.corpora.demo import Demo


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


def small(root: Path, **settings: object) -> Demo:
    return Demo(root=root, **{"subjects": 12, "clips_per_subject": 2, **settings})  # type: ignore[arg-type]


def contents(demo: Demo) -> str:
    digest = hashlib.sha256()
    for path in demo.read().table["path"]:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def test_it_is_made_when_it_is_first_read(root: Path) -> None:
    table = small(root).read().table
    assert table.height == 24
    assert table["subject_id"].n_unique() == 12
    assert all(Path(path).stat().st_size == 44 + 2 * 2 * RATE for path in table["path"])


def test_it_says_that_it_is_synthetic(root: Path) -> None:
    assert Demo.synthetic
    assert "SYNTHETIC" in Demo.title
    assert small(root).place.name.startswith("synthetic")


def test_it_is_the_same_wherever_it_is_made(root: Path, tmp_path: Path) -> None:
    assert contents(small(root)) == contents(small(tmp_path))
    times = {Path(path).stat().st_mtime for path in small(root).read().table["path"]}
    assert times == {Path(small(tmp_path).read().sources[0]).stat().st_mtime}


def test_a_subject_does_not_depend_on_how_many_there_are(root: Path) -> None:
    few, more = small(root).read().table, small(root, subjects=14).read().table
    assert few["age"].to_list() == more["age"].head(24).to_list()
    assert Path(few["path"][3]).read_bytes() == Path(more["path"][3]).read_bytes()


@pytest.mark.parametrize("settings", [{"seed": 1}, {"tilt_db": 3.0}, {"clips_per_subject": 3}])
def test_other_settings_make_other_clips_elsewhere(root: Path, settings: dict[str, float]) -> None:
    assert small(root, **settings).place != small(root).place
    assert contents(small(root, **settings)) != contents(small(root))


def test_an_interrupted_making_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("raqa.corpora.demo.cough_clips", interrupt)
    with pytest.raises(KeyboardInterrupt):
        small(tmp_path).read()
    assert list(tmp_path.iterdir()) == []


def test_a_few_labels_are_missing(tmp_path: Path) -> None:
    table = Demo(root=tmp_path, subjects=150, clips_per_subject=1).read().table
    assert 0 < table["age"].null_count() < 20
    assert 0 < table["bmi"].null_count() < 20
    assert set(table["sex"]) == {"female", "male"}


def test_clips_are_loud_enough_and_never_clipped(root: Path) -> None:
    for path in small(root).read().table["path"]:
        samples = np.frombuffer(Path(path).read_bytes()[44:], "<i2").astype(float) / 32768
        assert 0.05 < np.abs(samples).max() < 1


def centroid_and_length(person: Person) -> tuple[float, float]:
    """Spectral centroid in Hz, and seconds above a tenth of the peak, over many clips."""
    clips = cough_clips(person, 20, np.random.default_rng(0), 0.0) / 32768
    power = np.abs(np.fft.rfft(clips)) ** 2
    frequency = np.fft.rfftfreq(clips.shape[1], 1 / RATE)
    centroid = (power * frequency).sum(axis=1) / power.sum(axis=1)
    loud = np.abs(clips) > 0.1 * np.abs(clips).max(axis=1, keepdims=True)
    return float(centroid.mean()), float(loud.mean())


def test_age_dulls_and_lengthens_a_cough_and_body_mass_lowers_it() -> None:
    voice = (0.0, 0.0, 0.0, 0.0)
    young, old = (centroid_and_length(Person(age, 25, True, voice)) for age in (25, 75))
    light, heavy = (centroid_and_length(Person(50, bmi, True, voice)) for bmi in (18, 40))
    assert young[0] > 1.2 * old[0]
    assert young[1] < old[1]
    assert light[0] > heavy[0]
