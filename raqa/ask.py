"""Ask a finished run in words about recordings of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from omegaconf import DictConfig, OmegaConf

from raqa.answering.base import AUDIO_ROW, FILES, Asked, QuestionHead
from raqa.configuration.build import build_node
from raqa.display import csv_cell, harmless
from raqa.errors import UserError
from raqa.heads.data import FloatArray
from raqa.predict import csv_place, embed_files
from raqa.questions.asked_label import ask_for_labels
from raqa.questions.nearest import Taken, take
from raqa.questions.rendering import render_answers
from raqa.questions.task import QuestionTask
from raqa.questions.templates import load_templates
from raqa.regimes.fold import Fold
from raqa.regimes.task import Task
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import HEAD_FOLDER, Run
from raqa.tables import ANSWERS, GOLD, QUESTIONS, SetAside, set_aside_table

if TYPE_CHECKING:
    from raqa.answering.base import FittedQuestionHead

MOST = 3
"""Possible answers that are kept for a file."""

POSSIBLE = {
    "file": pl.String,
    "rank": pl.Int64,  # 1: the answer
    "answer": pl.String,  # in words
    "label": pl.String,  # what it means, where the head names a label
    "value": pl.Float64,  # the number, mean over seeds, in `unit`
    "unit": pl.String,
    "probability": pl.Float64,  # mean over the seeds that weigh or give it; null: none does
    "sd_over_seeds": pl.Float64,  # of the number, else of the probability, ddof 1; null: one seed
    "seeds": pl.Int64,  # whose own answer it is
}
"""Columns of what `ask_files` returns."""


@dataclass(frozen=True, eq=False)
class Replies:
    """What a run answers about files.

    Attributes:
        taken: the learnt question that was asked in place of the user's; a head that reads any
            words was asked the user's own, and None there means that it learnt nothing like it.
        own_words: whether the user's own words were asked.
        listens: whether the head hears the files at all.
        possible: POSSIBLE columns, at most MOST rows for each file.
        set_aside: SET_ASIDE rows of files without an answer.
    """

    run: Run
    question: str
    taken: Taken | None
    own_words: bool
    listens: bool
    possible: pl.DataFrame
    set_aside: pl.DataFrame

    def write_csv(self, path: Path) -> None:
        """Write every possible answer, and a row with `reason` for a file that has none.

        What a model said is cut short and made harmless, as a spreadsheet will open it.

        Raises:
            UserError: the folder does not exist.
        """
        csv_place(path)
        silent = self.set_aside.select(file="item", reason="reason").unique("file")
        table = pl.concat([self.possible, silent], how="diagonal")
        asked = self.taken.question if self.taken and not self.own_words else self.question
        said = pl.col("answer", "label", "reason").map_elements(csv_cell, return_dtype=pl.String)
        table.with_columns(said, question=pl.lit(asked)).write_csv(path)


def ask_files(
    run_folder: Path,
    files: Sequence[Path],
    question: str,
    cache: Path,
    *,
    corpus: str | None = None,
) -> Replies:
    """Ask a finished run a question about audio files.

    A head that names labels is asked as the nearest question that it has learnt, in that one's
    words; a language model is asked in the user's.

    Args:
        corpus: the training corpus to answer as; None: the one with most such questions.

    Raises:
        UserError: the run answers no questions, has learnt nothing near, is not finished or
            damaged, or its encoder is another one today.
    """
    run = read_run(run_folder)
    config = OmegaConf.create(run.config)
    assert isinstance(config, DictConfig)
    head = build_node(config, "head")
    if not isinstance(head, QuestionHead):
        raise UserError(
            f"{run.path.name} predicts {run.provenance.task} and can not be asked in words. Use "
            f"`raqa predict {run_folder} AUDIO...`; runs with task=qa answer questions."
        )
    if run.examined is not None:
        raise UserError(
            f"{run.path.name} sat an exam, which has questions of its own. A run with task=qa and "
            "the same responder can be asked others."
        )
    task = build_node(config, "task")
    learnt = _learnt(run, task)
    fitted = head.load(run.path / HEAD_FOLDER, run.provenance.seeds)
    own_words = not head.says_labels
    taken = _take(question, learnt, fitted, corpus=corpus, own_words=own_words)
    row = taken.row if taken else _any(learnt, run)
    if own_words:
        row = row.with_columns(question=pl.lit(question))
    vectors, heard, aside = _heard(run, config, head, files, cache)
    rows = _about(row, heard)
    asked = Asked(vectors, rows, _places(heard))
    possible = _possible(fitted, asked) if rows.height else _none()
    possible = _worded(possible, row, task)
    silent = set_aside_table(
        SetAside("files", "answer", file, harmless(why))
        for file, why in fitted.unanswered().items()
    )
    aside = pl.concat([aside, silent])
    return Replies(run, question, taken, own_words, head.uses_audio, possible, aside)


def _heard(
    run: Run, config: DictConfig, head: QuestionHead, files: Sequence[Path], cache: Path
) -> tuple[FloatArray, Sequence[str], pl.DataFrame]:
    """Embeddings, the files that they are of, and SET_ASIDE rows of the others.

    A head that is given no embeddings opens the files itself.
    """
    if head.uses_embeddings:
        embeddings = embed_files(run, config, files, cache)
        return embeddings.vectors, embeddings.recording_ids, embeddings.set_aside
    names = list(dict.fromkeys(str(file) for file in files))
    return np.zeros((len(names), 0), np.float32), names, set_aside_table()


def _any(learnt: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Any question, to put the user's own words in its place; of a test where none was learnt."""
    asked = learnt if run.answered is None or learnt.height else run.answered.questions
    return asked.sort("qa_id").head(1).select(*QUESTIONS)


def _learnt(run: Run, task: Task) -> pl.DataFrame:
    """The training questions, QUESTIONS columns: a label's is made as it was for training."""
    if run.answered is not None:
        questions = run.answered.questions
    else:
        known = run.provenance
        fold = Fold(known.regime, known.task, run.fold, as_published=True, classes=known.classes)
        questions = ask_for_labels(task, fold)
    return questions.filter(pl.col("split") == "train").select(*QUESTIONS)


def _take(
    question: str,
    learnt: pl.DataFrame,
    fitted: FittedQuestionHead,
    *,
    corpus: str | None,
    own_words: bool,
) -> Taken | None:
    if own_words and corpus is None and not learnt.height:
        return None
    try:
        return take(question, learnt, fitted.text_vectors, corpus=corpus)
    except UserError:
        if own_words and corpus is None and question.strip():
            return None
        raise


def _about(row: pl.DataFrame, files: Sequence[str]) -> pl.DataFrame:
    """One question about each file, with nothing of the answer of the one that it is taken from."""
    names = pl.DataFrame({"qa_id": files, AUDIO_ROW: range(len(files))},
                         schema={"qa_id": pl.String, AUDIO_ROW: pl.Int64})  # fmt: skip
    rest = row.drop(*GOLD, "qa_id", "recording_id", "subject_id")
    return names.with_columns(recording_id="qa_id", subject_id="qa_id").join(rest, how="cross")


def _places(files: Sequence[str]) -> pl.DataFrame:
    """Where the files are, FILES columns."""
    return pl.DataFrame({"path": files, "start_s": None, "end_s": None}, schema=FILES)


def _none() -> pl.DataFrame:
    return pl.DataFrame(schema=POSSIBLE)


def _possible(fitted: FittedQuestionHead, asked: Asked) -> pl.DataFrame:
    """POSSIBLE columns: a number, what every seed weighs, or what each seed says."""
    said = fitted.answer(asked)
    if said["value"].is_not_null().any():
        found = said.group_by("qa_id").agg(
            value=pl.col("value").mean(), sd_over_seeds=pl.col("value").std(), seeds=pl.len()
        )
        return _ranked(found.with_columns(order=pl.lit(0.0)))
    said = said.with_columns(named=pl.coalesce("label", "response"))
    votes = said.group_by("qa_id", "named").agg(
        pl.col("label").first(), pl.col("response").first(),
        probability=pl.col("probability").mean(), sd_over_seeds=pl.col("probability").std(),
        seeds=pl.len(),
    )  # fmt: skip
    if (shares := fitted.shares(asked)) is None:
        return _ranked(votes.with_columns(
            answer="response", order=pl.col("seeds") + pl.col("probability").fill_null(0) / 2
        ))  # fmt: skip
    weighed = shares.group_by("qa_id", "label").agg(
        probability=pl.col("probability").mean(), sd_over_seeds=pl.col("probability").std()
    )
    found = weighed.join(votes.select("qa_id", "label", "seeds"), on=["qa_id", "label"],
                         how="left")  # fmt: skip
    return _ranked(found.with_columns(pl.col("seeds").fill_null(0), order="probability"))


def _ranked(found: pl.DataFrame) -> pl.DataFrame:
    """At most MOST possible answers of each file, the first by `order` first."""
    absent = [pl.lit(None, kind).alias(name) for name, kind in POSSIBLE.items()
              if name not in found.columns]  # fmt: skip
    table = found.with_columns(file="qa_id").with_columns(
        one for one in absent if one.meta.output_name() != "file"
    )
    by = ["file", "order", "label", "answer"]
    table = table.sort(by, descending=[False, True, False, False]).with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("file")
    )
    return table.filter(pl.col("rank") <= MOST).select(*POSSIBLE).cast(pl.Schema(POSSIBLE))


def _worded(possible: pl.DataFrame, row: pl.DataFrame, task: Task) -> pl.DataFrame:
    """Put labels and numbers into the words of the question's template."""
    templates = task.wording() if isinstance(task, QuestionTask) else load_templates()
    ids = pl.concat_str("file", "rank", separator="\0")
    answers = possible.with_columns(
        qa_id=ids, seed=pl.lit(0, pl.Int64), response="answer"
    ).select(*ANSWERS)  # fmt: skip
    questions = answers.select("qa_id").join(row.drop("qa_id"), how="cross").select(*QUESTIONS)
    said = render_answers(answers, questions, templates)
    unit = pl.when(pl.col("value").is_not_null()).then(pl.lit(row["unit"][0], pl.String))
    return possible.with_columns(answer=said["response"], unit=unit)
