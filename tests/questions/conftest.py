"""Small made-up recordings, and the way from them to questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Recordings
from raqa.questions.build import make_part
from raqa.questions.collection import Collection, write
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates, load_templates
from raqa.tables import RECORDINGS, SIDES

Make = Callable[..., pl.DataFrame]


def made_recordings(corpus: str = "clinic", side: list[str | None] | None = None,
                    **attributes: list[Any]) -> Recordings:  # fmt: skip
    """A recording of its own subject for each value of the attributes."""
    count = len(next(iter(attributes.values())))
    names = [f"r{place:03d}" for place in range(count)]
    table = pl.DataFrame(
        {
            "recording_id": names,
            "corpus": corpus,
            "subject_id": [f"s{place:03d}" for place in range(count)],
            "subject_known": True,
            "path": [f"/nowhere/{name}.flac" for name in names],
            "audio": False,
            "start_s": None,
            "end_s": None,
            "modality": "cough",
            "split": None,
        },
        schema=dict(RECORDINGS),
    ).with_columns(
        pl.Series("side", side or [SIDES[place % 3] for place in range(count)], pl.String),
        *(pl.Series(name, values, ATTRIBUTES[name].dtype) for name, values in attributes.items()),
    )
    return Recordings(corpus, table)


def collect(recordings: Recordings, folder: Path, templates: Templates, **settings: Any
            ) -> Collection:  # fmt: skip
    """Write the questions of one corpus."""
    generator = Generator(recordings.table, templates, QuestionSettings(**settings))
    return write(folder, [make_part(generator, recordings)], settings, templates.hash)


@pytest.fixture(scope="session")
def shipped() -> Templates:
    """The templates that come with raqa."""
    return load_templates()


@pytest.fixture
def ask(tmp_path: Path, shipped: Templates) -> Make:
    """Questions of recordings with some attributes: `ask(asthma=["yes", "no"], wordings=2)`."""

    def make(*, templates: Templates | None = None, side: list[str | None] | None = None,
             **given: Any) -> pl.DataFrame:  # fmt: skip
        attributes = {name: values for name, values in given.items() if name in ATTRIBUTES}
        settings = {name: value for name, value in given.items() if name not in ATTRIBUTES}
        recordings = made_recordings(side=side, **attributes)
        folder = tmp_path / "questions"
        return collect(recordings, folder, templates or shipped, **settings).scan().collect()

    return make
