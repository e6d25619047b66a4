"""Recordings of tones on disk, and runs about them through the command that a user types.

A low tone is a wheeze, a high one a stridor; each recording has both, one or none. The question
says which of the two is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import soundfile
from soft_prefix.tiny import ANSWER_WORDS, QUESTION_WORDS, tiny_model

from raqa.main import main
from raqa.questions.build import build, parse_request
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run

RATE = 16_000
TONES = {"wheeze": 400.0, "stridor": 2000.0}
HEADS = ("majority", "random", "question_prior", "text_only", "svm", "fusion", "soft_prefix")
TEMPLATES = """
expert_{name}:
  labels: {{yes: there, no: absent}}
  open_ended:
    - question: what is the {word} ?
      answer: {{yes: "the {word} is there", no: "the {word} is absent"}}
"""
_SETTINGS = {
    "text_only": ("trainer.learning_rate=3e-3", "trainer.max_epochs=15"),
    "fusion": ("trainer.learning_rate=3e-3", "trainer.max_epochs=15"),
    "svm": ("head.workers=1",),
    "soft_prefix": (
        "trainer=language_model", "trainer.accelerator=cpu", "trainer.learning_rate=0.01",
        "trainer.max_epochs=12", "head.mapper.hidden=32", "head.mapper.dropout=0",
        "head.lora.rank=4", "head.lora.dropout=0", "head.prefixes=3", "head.rows_at_a_time=16",
        "head.generation.max_new_tokens=10",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Tones:
    """A folder with recordings, their table, templates, tiny models and runs."""

    folder: Path
    text_model: Path
    language_model: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "language_model", self.folder / "language")

    @property
    def corpus(self) -> list[str]:
        """The recordings as a datamodule."""
        name = "datamodule.corpus"
        told = [f"+{name}.attributes.expert_{one}={{column: {two}}}"
                for one, two in (("wheezing", "wheeze"), ("stridor", "stridor"))]  # fmt: skip
        return [
            "datamodule=manifest", f"{name}.table={self.folder / 'table.csv'}",
            f"{name}.columns.subject=subject", f"{name}.columns.split=split",
            f"+{name}.attributes.age={{column: age}}",
            f"+{name}.attributes.sex={{column: sex}}", *told,
        ]  # fmt: skip

    def build(self, name: str) -> Path:
        """The questions as a collection on disk."""
        settings = [one for one in self.corpus if not one.startswith("datamodule=")]
        request = parse_request(["manifest", *settings, f"templates={self.folder / 'templates'}"])
        build(request, self.folder / name, audio=True)
        return self.folder / name

    def run(self, head: str, *overrides: str, seeds: int = 1) -> Run:
        """Train and answer, as `python train.py` does."""
        models = {
            "text_only": [f"head.text_encoder.model={self.text_model}"],
            "fusion": [f"head.text_encoder.model={self.text_model}"],
            "soft_prefix": [f"head.language_model.model={self.language_model}"],
        }
        asks = not any(one.startswith("task=") for one in overrides)
        task = ["task=qa", f"task.templates={self.folder / 'templates'}"] if asks else []
        corpus = [] if any(one.startswith("datamodule=") for one in overrides) else self.corpus
        runs = self.folder / "runs"
        before = set(runs.glob("*-*"))
        main([*corpus, "encoder=mel_stats", f"head={head}", f"seeds={seeds}",
              f"paths.runs={runs}", *_SETTINGS.get(head, ()), *models.get(head, ()),
              *task, *overrides])  # fmt: skip
        (made,) = set(runs.glob("*-*")) - before
        return read_run(made)


def write_tones(folder: Path, text_model: Path, *, heard: bool, subjects: int = 240) -> Tones:
    """Write wav files, a table and everything that runs need.

    Args:
        heard: whether the labels are those of the tones, or of somebody else's.
    """
    random = np.random.default_rng(7)
    truth = random.integers(0, 2, (subjects, 2))
    time = np.arange(RATE) / RATE
    for subject in range(subjects):
        sound = random.normal(0, 0.02, RATE)
        for there, frequency in zip(truth[subject], TONES.values(), strict=True):
            sound += 0.2 * there * np.sin(2 * np.pi * frequency * time)
        soundfile.write(folder / f"{subject:03}.wav", sound, RATE)
    told = truth if heard else truth[random.permutation(subjects)]
    sides = ["train"] * (subjects // 2) + ["validation"] * (subjects // 6)
    pl.DataFrame(
        {
            "path": [f"{subject:03}.wav" for subject in range(subjects)],
            "subject": [f"s{subject:03}" for subject in range(subjects)],
            "split": sides + ["test"] * (subjects - len(sides)),
            "age": random.integers(20, 80, subjects),
            "sex": np.where(told[:, 0] == 1, "female", "male"),
            **{name: np.where(told[:, place] == 1, "yes", "no")
               for place, name in enumerate(TONES)},
        }
    ).write_csv(folder / "table.csv")  # fmt: skip
    (folder / "templates").mkdir()
    text = "".join(TEMPLATES.format(name=name, word=word)
                   for name, word in (("wheezing", "wheeze"), ("stridor", "pitch")))  # fmt: skip
    (folder / "templates" / "acoustic.yaml").write_text(text)
    made = Tones(folder, text_model)
    more = "What is the age of this person ? sex female male The answer is : years year old"
    tiny_model(made.language_model, words=_words([text, more, *map(str, range(20, 80))]))
    return made


def _words(texts: Sequence[str]) -> tuple[str, ...]:
    """The words that a tiny model does not know yet."""
    found = dict.fromkeys(re.findall(r"\w+|[^\w\s]+", " ".join(texts)))
    return tuple(word for word in found if word not in {*QUESTION_WORDS, *ANSWER_WORDS})
