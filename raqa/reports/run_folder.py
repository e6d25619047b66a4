"""A run's folder: how its files are written, appear at once, and are checked when they are read."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from raqa.corpora.base import Step
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.metrics import AnyScores
from raqa.reports.provenance import Provenance
from raqa.reports.run_tables import (
    ASIDE,
    ASKED,
    CONFIG,
    EXAM_QUESTIONS,
    FOLDS,
    HEAD_FOLDER,
    HEADS,
    HISTORY,
    METRICS,
    OWN_FOLD,
    OWN_PREDICTED,
    PREDICTED,
    PRIOR,
    PROVENANCE,
    REQUIRED,
    SCORES,
    STEP_COLUMNS,
    STEPS,
    TRANSFER,
    VERDICTS_FOUND,
    Run,
    answer_columns,
    read_answered,
    read_examined,
    read_own,
    read_tables,
)
from raqa.reports.scoring import Answered, Examined, Own, score_own, score_run
from raqa.tables import FOLD, SET_ASIDE, check_table

_ATTEMPTS = 100  # to take the place of a run that others replace at the same time


class RunFolder:
    """A run's folder: absent, finished (its metrics.json exists) or damaged."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()

    @property
    def finished(self) -> bool:
        """Whether a finished run is here; metrics.json is written last."""
        return (self.path / METRICS).is_file()

    def draft(self) -> Draft:
        """Start the run's files in a hidden folder beside it."""
        return Draft(self)

    def verify(self) -> list[str]:
        """Compare every file with the SHA-256 noted when the run finished, and read them.

        Returns:
            what is wrong, a sentence each that names the file; empty for a sound run.
        """
        if not self.finished:
            return [f"{self.path} is not a finished run: it has no {METRICS}"]
        try:
            stored = json.loads((self.path / METRICS).read_text(encoding="utf-8"))
            files = dict(stored["files"])
        except (ValueError, KeyError, TypeError, OSError):
            return [f"{self.path / METRICS} can not be read as the metrics of a run"]
        problems = [
            f"{self.path / METRICS} has no checksum of {name}"
            for name in REQUIRED
            if name not in files
        ]
        for name, expected in files.items():
            file = self.path / name
            if not file.is_file():
                problems.append(f"{file} is missing")
            elif _sha256(file) != expected:
                problems.append(f"{file} was changed or damaged after the run finished")
        if not problems:
            try:
                read_tables(self.path)
            except (UserError, ValueError, OSError, pl.exceptions.PolarsError) as error:
                reason = " ".join(str(error).split())
                problems = [f"{self.path} can not be read as a run of this version: {reason}"]
        return problems


class Draft:
    """A run being written in `.<name>.<host>-<pid>.partial`; it appears whole or not at all.

    Used as `with RunFolder(path).draft() as draft: ...; draft.publish()`. Leaving the block
    without `publish` removes what was written.
    """

    def __init__(self, target: RunFolder) -> None:
        self.target = target
        self.path = _beside(target.path, "partial")

    def __enter__(self) -> Self:
        shutil.rmtree(self.path, ignore_errors=True)  # of an earlier process with this number
        make_folder(self.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def write(
        self,
        *,
        config: str,
        provenance: Mapping[str, Any],
        fold: pl.DataFrame,
        predictions: pl.DataFrame,
        set_aside: pl.DataFrame,
        steps: Sequence[Step],
        own: Own | None = None,
        answered: Answered | None = None,
        examined: Examined | None = None,
        history: pl.DataFrame | None = None,
        save_heads: Callable[[Path], None] | None = None,
        in_words: bool = False,
    ) -> None:
        """Write everything that metrics are not.

        Args:
            config: the resolved config as YAML.
            own: the tested corpus's own fold and predictions, where it is another corpus.
            answered: what was asked, where predictions are answers to questions.
            examined: what was asked and found, where they are answers to an exam's.
            history: one row per epoch and seed, where the head was trained in epochs.
            save_heads: writes the fitted heads to the safetensors path it is given; those that
                are asked in words to the folder.
            in_words: whether they are asked in words, about labels as well.
        """
        known = Provenance.of(dict(provenance), PROVENANCE)
        (self.path / CONFIG).write_text(config, encoding="utf-8")
        (self.path / PROVENANCE).write_text(
            json.dumps(provenance, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        check_table(fold, FOLD, name="fold").write_parquet(self.path / FOLDS)
        columns = answer_columns(known)
        check_table(predictions, columns, name="predictions").write_parquet(self.path / PREDICTED)
        if own is not None:
            check_table(own.fold, FOLD, name="own fold").write_parquet(self.path / OWN_FOLD)
            check_table(own.predictions, columns, name="own predictions").write_parquet(
                self.path / OWN_PREDICTED
            )
        if answered is not None:
            answered.questions.write_parquet(self.path / ASKED)
            if answered.prior is not None:
                answered.prior.write_parquet(self.path / PRIOR)
        if examined is not None:
            examined.questions.write_parquet(self.path / EXAM_QUESTIONS)
            examined.verdicts.write_parquet(self.path / VERDICTS_FOUND)
        check_table(set_aside, SET_ASIDE, name="set-aside").write_csv(self.path / ASIDE)
        rows = pl.DataFrame([asdict(step) for step in steps], schema=dict(STEP_COLUMNS))
        rows.write_csv(self.path / STEPS)
        if history is not None:
            history.write_csv(self.path / HISTORY)
        if save_heads is not None:
            save_heads(self.path / (HEAD_FOLDER if in_words else HEADS))

    def publish(
        self, *, replace: bool = False, resamples: int = 10_000, bootstrap_seed: int = 0
    ) -> AnyScores:
        """Score the predictions, note every file's checksum and move the run into its place.

        Args:
            replace: put it in the place of a finished run; otherwise that one stays, for the
                same identity means the same result.

        Returns:
            the scores of this draft.
        """
        predictions, draws = pl.read_parquet(self.path / PREDICTED), (resamples, bootstrap_seed)
        facts = json.loads((self.path / PROVENANCE).read_text(encoding="utf-8"))
        known, fold = Provenance.of(facts, PROVENANCE), pl.read_parquet(self.path / FOLDS)
        classes = known.classes
        asked = read_answered(self.path, known) or read_examined(self.path, known)
        scores = score_run(predictions, fold, classes, draws, asked)
        transfer = score_own(predictions, read_own(self.path, classes), classes, draws)
        files = {
            file.relative_to(self.path).as_posix(): _sha256(file)
            for file in sorted(self.path.rglob("*"))
            if file.is_file()
        }
        content = {
            "scores": json.loads(SCORES.dump_json(scores)),
            "transfer": json.loads(TRANSFER.dump_json(transfer)),
            "files": files,
        }
        (self.path / METRICS).write_text(
            json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        if replace or not self.target.finished:
            self._take_place()
        return scores

    def _take_place(self) -> None:
        """Move into place; another process may be doing the same with the same run."""
        old = _beside(self.target.path, "old")
        for attempt in range(_ATTEMPTS):
            with contextlib.suppress(FileNotFoundError):
                self.target.path.rename(old)
            shutil.rmtree(old, ignore_errors=True)
            try:
                self.path.rename(self.target.path)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt + 1 == _ATTEMPTS:
                    raise
            else:
                return


def read_run(path: str | Path) -> Run:
    """Read a finished run whose files are as they were when it finished.

    Raises:
        UserError: it is not finished, or files are missing, changed or unreadable; all named.
    """
    folder = RunFolder(path)
    if problems := folder.verify():
        raise UserError([*problems, "Run the same command with force=true to make it again."])
    return read_tables(folder.path)


def rescore(run: Run) -> AnyScores:
    """Compute a run's scores again from its predictions and fold."""
    draws = (run.scores.resamples, run.scores.bootstrap_seed)
    asked = run.answered or run.examined
    return score_run(run.predictions, run.fold, run.provenance.classes, draws, asked)


def _beside(path: Path, kind: str) -> Path:
    return path.with_name(f".{path.name}.{socket.gethostname()}-{os.getpid()}.{kind}")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
