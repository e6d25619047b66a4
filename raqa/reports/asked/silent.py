"""The baseline of every run that asks: the same responder, given nothing of the recordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from hydra.utils import get_class

from raqa.errors import UserError
from raqa.metrics.answers import error_difference, negative
from raqa.metrics.compare import compare
from raqa.metrics.number import Interval, Number
from raqa.metrics.questions import AnswerDifference, compare_answers
from raqa.reports.asked.asking import Asking, read_asking
from raqa.reports.compare_exams import pair_exams
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import HEAD_FOLDER, METRICS, Run
from raqa.reports.text import count_text, difference_verdict

BASELINE = "no-audio baseline"
TITLE = "No-audio baseline"
_EXAM_ERROR = "error (1 − accuracy)"
NOT_RUN = "not run; add head.hearing.given=none to the same command"


@dataclass(frozen=True)
class Paired:
    """Two runs of one responder on the questions that both answered, the first minus the second.

    Attributes:
        difference: of errors, as against the question prior: below 0 the first is better.
        interval: 95 %, over subjects, paired.
        parts: every measure of every part; none for a label that was asked for.
        left_out: questions that one of both did not answer.
    """

    difference: Number
    interval: Interval
    parts: tuple[AnswerDifference, ...] = ()
    left_out: int = 0


def silent_text(run: Run, among: Sequence[Run] = ()) -> str | None:
    """What a report says of the baseline of a run; None: the run asked nobody.

    Args:
        among: runs that are at hand; those that lie beside the run's folder are looked at too.
    """
    asking = run.asking
    if asking is None:
        return None
    if asking.given == "none":
        return f"{TITLE}: this is it. Nothing of the recordings was given."
    responder = _responder(run)
    if not getattr(responder, "listens", True):
        return f"{TITLE}: this responder never listens, so it is its own."
    able = getattr(responder, "inputs", None)
    if isinstance(able, tuple) and "none" not in able:  # else the model decides
        return f"{TITLE}: there is none; this responder can not be asked without a recording."
    silent = silent_run(run, among)
    if silent is None:
        return f"{TITLE}: {NOT_RUN}."
    return pair_text(pair_runs(run, silent), run)


def pair_text(paired: Paired, run: Run) -> str:
    """Whether a run is better than its baseline, in one or two sentences."""
    scores, ends = run.scores, paired.interval
    unit = scores.difference_unit or run.provenance.unit
    compared = _EXAM_ERROR if run.examined is not None else scores.compared
    said = difference_verdict(
        paired.difference, paired.interval, BASELINE, compared=compared, unit=unit
    )
    if ends.low.value == ends.high.value == 0:
        said = f"Answers as the {BASELINE} does."
    if paired.left_out:
        left = count_text(paired.left_out, "question")
        said += f" {left} that one of both did not answer left out."
    return said


def silent_run(run: Run, among: Sequence[Run] = ()) -> Run | None:
    """The same responder's run on the same questions that was given nothing; the latest of them."""
    if run.asking is None:
        return None
    near = {one.path: one for one in among if one.asking and _same(run.asking, one.asking)}
    found = [*near.values(), *(one for one in _beside(run) if one.path not in near)]
    fitting = [one for one in found if same_questions(run, one)]
    return max(fitting, key=lambda one: one.provenance.finished_at or "", default=None)


def same_questions(first: Run, second: Run) -> bool:
    """Whether two runs asked the same: the same task of the same questions, with equal truth."""
    assert first.asking is not None
    assert second.asking is not None
    a, b = first.provenance, second.provenance
    if (a.task, a.kind, a.classes) != (b.task, b.kind, b.classes):
        return False
    if set(first.asking.usage["qa_id"]) != set(second.asking.usage["qa_id"]):
        return False
    if first.examined is not None and first.exam.judges != second.exam.judges:
        return False  # a difference might be the judges'
    one, other = _truth(first), _truth(second)
    both = one.join(other, on="id", how="semi").sort("id")
    return both.equals(other.join(one, on="id", how="semi").sort("id"))


def pair_runs(first: Run, second: Run) -> Paired:
    """Compare two runs that asked the same, on what both answered."""
    if first.examined is not None:
        return _pair_exams(first, second)
    if first.answered is None or second.answered is None:
        return _pair_labels(first, second)
    train, test = (
        first.answered.questions.filter(pl.col("split") == side) for side in ("train", "test")
    )
    asked = set(first.asking.usage["qa_id"]) if first.asking else set(test["qa_id"])
    both = _answered(first) & _answered(second)
    if not both:
        reason = "no question was answered by both"
        return Paired(Number.undefined(reason), Interval.undefined(reason), (), len(asked))
    common = pl.col("qa_id").is_in(list(both))
    found = compare_answers(
        train, test.filter(common), first.predictions.filter(common),
        second.predictions.filter(common),
    )  # fmt: skip
    return Paired(*error_difference(found), found, len(asked) - len(both))


def _pair_exams(first: Run, second: Run) -> Paired:
    """By accuracy over the questions that have a score of both."""
    everything = pair_exams(first, second).differences[0]
    part = AnswerDifference(
        by="all", name="all", measure="accuracy", first=everything.first,
        second=everything.second, difference=everything.difference, interval=everything.interval,
    )  # fmt: skip
    low, high = (negative(end) for end in (everything.interval.high, everything.interval.low))
    return Paired(
        negative(everything.difference), Interval(low, high), (part,), everything.left_out
    )


def _pair_labels(first: Run, second: Run) -> Paired:
    try:
        (pair,) = compare({"first": first.predictions, "second": second.predictions}).pairs
    except UserError as error:
        reason = " ".join(error.problems).rstrip(".")
        return Paired(Number.undefined(reason), Interval.undefined(reason))
    return Paired(pair.difference, pair.interval)


def _answered(run: Run) -> set[str]:
    """Questions that every seed has an answer to."""
    said = pl.any_horizontal(pl.col("response", "label", "value").is_not_null())
    silent = run.predictions.filter(~said)["qa_id"]
    return set(run.predictions["qa_id"]) - set(silent)


def _truth(run: Run) -> pl.DataFrame:
    """What is right, by id."""
    if run.answered is not None:
        test = run.answered.questions.filter(pl.col("split") == "test")
        return test.select("qa_id", "label", "value", "answer").rename({"qa_id": "id"})
    if run.examined is not None:
        return run.examined.questions.select("answer", id="qa_id").select("id", "answer")
    truth = run.predictions.unique(["corpus", "recording_id"])
    return truth.select(pl.concat_str("corpus", "recording_id", separator="/").alias("id"), "truth")


def _same(asking: Asking, other: Asking) -> bool:
    return other.given == "none" and other.key == asking.key


def _beside(run: Run) -> Iterator[Run]:
    """Finished runs in the folder of the run that gave the same responder nothing."""
    assert run.asking is not None
    for folder in _asking_folders(run.path.parent):
        if folder == run.path:
            continue
        try:
            other = read_asking(folder / HEAD_FOLDER)
            if other is not None and _same(run.asking, other):
                yield read_run(folder)
        except (UserError, ValueError, KeyError, OSError):
            continue  # a report of that run says what is wrong with it


def _asking_folders(runs: Path) -> Iterable[Path]:
    """Finished runs with a folder of a head."""
    return (file.parent for file in sorted(runs.glob(f"*/{METRICS}"))
            if (file.parent / HEAD_FOLDER).is_dir())  # fmt: skip


def _responder(run: Run) -> Any:
    """The class of the responder; None: this raqa has none of that name."""
    head: Mapping[str, Any] = run.config.get("head") or {}
    try:
        return get_class(str((head.get("responder") or {}).get("_target_")))
    except Exception:  # of another version, or of a user's own package
        return None
