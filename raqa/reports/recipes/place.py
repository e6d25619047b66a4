"""What stands at one place of a table: number, interval, the paper's number, and every caveat."""

from __future__ import annotations

from collections.abc import Mapping

from raqa.metrics.number import Interval, Number
from raqa.metrics.scores import FEW_SUBJECTS
from raqa.reports.provenance import Provenance
from raqa.reports.recipes.cells import ReportCell, errors_of
from raqa.reports.recipes.published import PublishedError
from raqa.reports.recipes.tables import Notes, Plain, Shown
from raqa.reports.run_tables import Run
from raqa.reports.text import (
    CONSTANT_HEADS,
    decimals,
    interval_text,
    number_text,
    pretraining_overlap,
    seeds_text,
)

NOT_ASKED = Shown(("",))
"""The recipe has no such cell."""


def error_shown(
    cell: ReportCell | None,
    notes: Notes,
    *,
    published: PublishedError | None = None,
    best: bool = False,
    tested: bool = False,
) -> Shown:
    """A cell's mean absolute error.

    Args:
        published: the paper's, shown beside with the difference ours - theirs.
        best: it belongs to the best group of its row.
        tested: also say how many it was tested on, where its row can not.
    """
    if cell is None:
        return NOT_ASKED
    if cell.run is None:
        theirs = (f"paper {published.text()}",) if published else ()
        values: dict[str, Plain] = {"problem": cell.problem, **_published_values(published, None)}
        return Shown((f"missing {notes.mark(cell.problem or '')}", *theirs), values=values)
    run, scores, facts = cell.run, errors_of(cell.run), cell.run.provenance
    places, mean = decimals(facts.unit), scores.mae.mean
    lines = [
        seeds_text(scores.mae, places) + pretraining_overlap(facts).mark,
        f"95 % {interval_shown(scores.mae_interval, notes, places)}",
    ]
    if tested:
        lines.append(f"n {tested_text(run)}")
    if published:
        lines.append(f"paper {published.text(places)}, {_signed(mean, published.mean, places)}")
    lines += flags(run)
    values = {
        "": _plain(mean),
        "sd": _plain(scores.mae.sd),
        "low": _plain(scores.mae_interval.low),
        "high": _plain(scores.mae_interval.high),
        "best_group": best,
        **_published_values(published, mean),
        "flags": "; ".join([*flags(run), *_overlap(facts)]) or None,
    }
    return Shown(tuple(lines), mean.value if mean.defined else None, best, random(run), values)


def number_shown(number: Number, notes: Notes, places: int) -> Shown:
    """A number, or n/a with the mark of its reason."""
    text = number_text(number, places)
    if number.reason is not None:
        return Shown((f"{text} {notes.mark(number.reason)}",), values={"": None})
    return Shown((text,), number.value, values={"": number.value})


def interval_shown(interval: Interval, notes: Notes, places: int) -> str:
    """An interval, or n/a with the mark of its reason."""
    text = interval_text(interval, places)
    return text if interval.low.reason is None else f"{text} {notes.mark(interval.low.reason)}"


def flags(run: Run) -> list[str]:
    """Caveats in two words each, which stand wherever the number stands."""
    scores, facts = run.scores, run.provenance
    found = []
    if not facts.weights_real:
        found.append("random weights")
    if scores.collapsed_seeds and facts.head not in CONSTANT_HEADS:
        count = f"{len(scores.collapsed_seeds)} of {len(scores.seeds)}"
        found.append(f"collapsed {count}")
    if facts.subjects_on_two_sides:
        found.append("leaking split")
    return found


def tested_text(run: Run) -> str:
    """Test recordings, with subjects in brackets."""
    return f"{run.scores.recordings['test']:,} ({run.scores.subjects['test']:,})"


def tested_shown(run: Run) -> Shown:
    """How many were tested, and why intervals over them may be too narrow."""
    scores = run.scores
    caveats = []
    if scores.few_subjects:
        caveats.append(f"under {FEW_SUBJECTS} subjects")
    if not scores.subject_known:
        caveats.append("subjects unknown")
    values: dict[str, Plain] = {
        "": scores.recordings["test"],
        "subjects": scores.subjects["test"],
        "caveats": "; ".join(caveats) or None,
    }
    return Shown((tested_text(run), *caveats), scores.recordings["test"], values=values)


def random(run: Run | None) -> bool:
    """Whether the encoder was never trained."""
    return run is not None and not run.provenance.weights_real


def signed_text(number: Number, places: int) -> str:
    """A difference with its sign, or n/a."""
    text = number_text(number, places)
    return (
        f"+{text}"
        if number.defined and number.value > 0 and float(f"{number.value:.{places}f}")
        else text
    )


def _signed(ours: Number, theirs: float, places: int) -> str:
    return signed_text(Number(ours.value - theirs), places) if ours.defined else "n/a"


def _published_values(published: PublishedError | None, ours: Number | None) -> Mapping[str, Plain]:
    if published is None:
        return {}
    difference = ours.value - published.mean if ours is not None and ours.defined else None
    return {
        "published": published.mean,
        "published_sd": published.sd,
        "minus_published": difference,
    }


def _overlap(facts: Provenance) -> list[str]:
    status = pretraining_overlap(facts).status
    return [] if status == "none found" else [f"pre-training overlap: {status}"]


def _plain(number: Number) -> float | None:
    return number.value if number.defined else None
