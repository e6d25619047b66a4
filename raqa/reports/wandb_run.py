"""A run in Weights & Biases: config, curves, summary, plot and tables under the run's identity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import validate_call

from raqa.display import csv_cell
from raqa.reports.asked.asking import asking_row
from raqa.reports.headline import kind_of
from raqa.reports.run_tables import HISTORY
from raqa.reports.text import pretraining_overlap
from raqa.reports.tracking import RunFacts, Tracker
from raqa.reports.wandb_session import (
    Mode,
    Session,
    begin,
    first_line,
    first_process,
    require_key,
    say_once,
)
from raqa.training.history import HISTORY as HISTORY_COLUMNS
from raqa.training.history import epoch_metrics
from raqa.training.objective import ClassObjective, NumberObjective

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pytorch_lightning.loggers import Logger

    from raqa.reports.run_tables import Run


class WandbTracker(Tracker):
    """Follow a run in Weights & Biases.

    The W&B id is the run's identity, so a run that is interrupted and started again, or repeated
    with force=true, continues the same W&B run. Of several processes of one run the first speaks.
    Where the service can not be reached the run goes to files, as with mode "offline". No key is
    read or stored here: the library finds it in the environment or in its own file.

    Args:
        project: W&B project.
        folder: its subfolder ``wandb`` holds W&B's own files.
        entity: team or user; None: the account's default.
        group: W&B group; None: corpus and task. A sweep of a recipe sets the recipe's name.
        tags: added to the names of the groups chosen.
        mode: "online", or "offline" to push later with ``raqa wandb push``.
    """

    @validate_call
    def __init__(
        self,
        *,
        project: str,
        folder: Path,
        entity: str | None = None,
        group: str | None = None,
        tags: Sequence[str] = (),
        mode: Mode = "online",
    ) -> None:
        self.project, self.entity, self.group = project, entity, group
        self.folder, self.tags, self.mode = folder, tuple(tags), mode
        self._session: Session | None = None

    def check(self) -> None:
        """Refuse online mode without a key; the library would stop and ask for one."""
        if self.mode == "online" and first_process():
            require_key("logger=wandb")

    def start(self, facts: RunFacts) -> Sequence[Logger]:
        """Begin or continue the W&B run whose id is the run's identity.

        Offline, curves are written at the end, so that the last of several attempts has them all.
        """
        if not first_process():
            return ()
        words = facts.words
        self._session = begin(
            self.mode,
            self.folder,
            resume=True,
            project=self.project,
            entity=self.entity,
            id=facts.run,
            name=facts.run,
            group=self.group or f"{words['corpus']}-{words['task']}",
            job_type=words["regime"],
            tags=[*words.values(), *self.tags, *_warning_tags(facts)],
            config={**facts.config, "provenance": dict(facts.provenance)},
        )
        if self._session is None:
            return ()
        self._session.run.define_metric("*", step_metric="epoch")
        if self._session.offline:
            return ()
        from pytorch_lightning.loggers import WandbLogger

        return [WandbLogger(experiment=self._session.run)]

    def finish(self, run: Run) -> None:
        """Write summary, predicted-against-true plot and tables, and end the W&B run."""
        if self._session is None:
            return
        try:
            _show(run, self._session)
        except Exception as error:  # the result is in the run folder, whatever happened to W&B
            say_once(f"Weights & Biases did not take all of a run ({first_line(error)}).")
        self._close(0)

    def abandon(self) -> None:
        """End the W&B run as failed; the same run continues it."""
        if self._session is not None:
            self._close(1)

    def _close(self, exit_code: int) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close(exit_code)


def _show(run: Run, session: Session) -> None:
    session.run.summary.update(summary(run))
    if session.offline:
        for row in _curves(run):
            session.run.log(row)
    picture = wandb_image(kind_of(run).figure(run))
    session.run.log({**_tables(run), "predicted_against_true": picture})


def summary(run: Run) -> dict[str, Any]:
    """The run's numbers under names to group and sort by; undefined ones are left out.

    Returns:
        ``mae_mean``, ``mae_sd``, ``mae_low``, ``mae_high`` (or ``auroc_mean``, ...), baselines, n
        and flags.
    """
    scores = run.scores
    numbers = kind_of(run).summary(run)
    if run.transfer is not None:
        numbers["gap"] = run.transfer.gap.mean.value
    kept: dict[str, Any] = {name: value for name, value in numbers.items() if math.isfinite(value)}
    kept.update({key: one for key, one in asking_row(run.asking).items() if one is not None})
    kept.update({f"n_{side}": count for side, count in scores.recordings.items()})
    kept.update({f"subjects_{side}": count for side, count in scores.subjects.items()})
    kept.update(
        **{f"against_{scores.baseline.split()[-1]}": scores.against_baseline},
        set_aside=run.set_aside.height,
        weights_real=run.provenance.weights_real,
        pretraining_overlap=pretraining_overlap(run.provenance).status,
        subject_known=scores.subject_known,
        synthetic=run.provenance.synthetic,
        finished_at=run.provenance.finished_at,
    )
    return kept


def wandb_table(table: pl.DataFrame) -> Any:
    """A table as W&B shows it; texts are made harmless, for they are exported as CSV too."""
    import wandb

    texts = pl.col(pl.String).map_elements(csv_cell, return_dtype=pl.String)
    shown = table.with_columns(texts) if pl.String in table.dtypes else table
    return wandb.Table(columns=[*shown.columns], data=[list(row) for row in shown.rows()])


def _tables(run: Run) -> dict[str, Any]:
    tables = {"predictions": run.predictions, "set_aside": run.set_aside}
    if run.examined is not None:
        tables["verdicts"] = run.examined.verdicts
    return {name: wandb_table(table) for name, table in tables.items()}


_ERROR_NAMES = {
    "regression": NumberObjective.log_name,
    "classification": ClassObjective.log_name,
    "questions": "validation_loss",
    "exam": "validation_loss",
}


def _curves(run: Run) -> Iterator[dict[str, float]]:
    """Each epoch as a logger would have heard of it."""
    file = run.path / HISTORY
    if not file.is_file():
        return
    table = pl.read_csv(file, schema=pl.Schema(HISTORY_COLUMNS))
    name = _ERROR_NAMES[run.scores.kind]
    for epoch in table["epoch"].unique().sort():
        yield epoch_metrics(table.filter(pl.col("epoch") == epoch), name)


def wandb_image(figure: Figure, caption: str | None = None) -> Any:
    """A figure as W&B shows it, drawn without pyplot, which keeps figures alive."""
    import wandb
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=160)
    return wandb.Image(Image.open(drawn), caption=caption)


def _warning_tags(facts: RunFacts) -> list[str]:
    tags = {"random weights": not facts.provenance["weights_real"],
            "synthetic": facts.provenance["synthetic"]}  # fmt: skip
    return [tag for tag, holds in tags.items() if holds]
