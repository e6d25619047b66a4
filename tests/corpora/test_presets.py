"""Presets of `manifest`: corpora whose layout is not verified, read through a user's table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import soundfile

from raqa.configuration.build import build_node
from raqa.configuration.folder import config_folder, group_choices
from raqa.configuration.overrides import compose_config
from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.labels import LabelColumn
from raqa.corpora.manifest import Manifest
from raqa.errors import UserError
from raqa.tables import SIDES

PRESETS = [name for name, text in group_choices("datamodule").items() if "unverified" in text]


def preset(name: str, data: Path) -> Manifest:
    config = compose_config([f"datamodule={name}", f"paths.data={data}"])
    corpus = build_node(config, "datamodule.corpus")
    assert isinstance(corpus, Manifest)
    return corpus


def cell(name: str, source: LabelColumn, number: int) -> str:
    """What a table may hold for an attribute."""
    known = ATTRIBUTES[name]
    if known.kind == "numeric":
        low, high = known.low or 0, known.high or 1
        return f"{(low + (high - low) * (number + 1) / 50) / known.units[source.unit or '']:.3f}"
    words = [*map(str, source.values)] or list(known.labels) or ["one", "another"]
    return words[number % len(words)]


def write_table(corpus: Manifest, subjects: int = 12) -> None:
    """A table as the preset asks for, with a second of audio in every row."""
    assert corpus.table is not None
    folder = corpus.table.parent
    folder.mkdir(parents=True)
    facts = corpus.columns.named()
    generator = np.random.default_rng(0)
    rows = []
    for number in range(subjects):
        soundfile.write(folder / f"{number}.wav", generator.normal(0, 0.1, 16000), 16000)
        told = {"path": f"{number}.wav", "subject": f"s{number}", "recording_id": f"r{number}",
                "split": SIDES[number % 3], "modality": "cough",
                "start_s": "0", "end_s": "1"}  # fmt: skip
        row = {column: told[name] for name, column in facts.items()}
        for name, source in corpus.attributes.items():
            row[source.column] = cell(name, source, number)
        rows.append(row)
    with corpus.table.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_these_corpora_are_presets() -> None:
    assert {"cidrz", "covid19_sounds", "mm_lung", "nosemic", "ssbpr", "zchsound"} <= set(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_reads_a_table_with_the_columns_it_names(name: str, tmp_path: Path) -> None:
    corpus = preset(name, tmp_path)
    write_table(corpus)
    recordings = corpus.read()
    assert recordings.set_aside.is_empty()
    assert recordings.table.height == 12
    assert recordings.table["audio"].all()
    for attribute in corpus.attributes:
        assert recordings.table[attribute].null_count() == 0, attribute


@pytest.mark.parametrize("name", PRESETS)
def test_without_a_table_it_says_where_to_get_it_and_how_it_has_to_look(
    name: str, tmp_path: Path
) -> None:
    corpus = preset(name, tmp_path)
    with pytest.raises(UserError) as caught:
        corpus.read()
    text = str(caught.value)
    assert corpus.how_to_get in text
    assert "a row for each recording, with the columns path" in text
    assert all(source.column in text for source in corpus.attributes.values())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_that_its_layout_is_not_verified(name: str, tmp_path: Path) -> None:
    assert "(layout unverified)" in preset(name, tmp_path).title
    assert "guesses" in (config_folder() / "datamodule" / f"{name}.yaml").read_text()


def test_the_wanted_columns_come_with_their_units_and_words() -> None:
    corpus = Manifest(
        name="mine",
        table=Path("nowhere.csv"),
        attributes={"age": LabelColumn("months", unit="month"), "exercise": LabelColumn("state"),
                    "sex": LabelColumn("sex", values={"1": "male", "2": "female"})},
    )  # fmt: skip
    with pytest.raises(UserError, match=r"months \(age, in month\), state \(exercise, rest/exer"):
        corpus.read()
    assert "sex (1/2)" in corpus.form()
