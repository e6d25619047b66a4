"""A run in Weights & Biases: config, curves, summary, plot and tables under the run's identity."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import validate_call

from raqa.errors import UserError
from raqa.reports.headline import kind_of
from raqa.reports.text import pretraining_overlap
from raqa.reports.tracking import RunFacts, Tracker

if TYPE_CHECKING:
    from pytorch_lightning.loggers import Logger

    from raqa.reports.run_folder import Run


class WandbTracker(Tracker):
    """Follow a run in Weights & Biases.

    The W&B id is the run's identity, so a run that is interrupted and started again, or repeated
    with force=true, continues the same W&B run. No key is read or stored here: the library finds
    it in the environment or in its own file.

    Args:
        project: W&B project.
        folder: its subfolder ``wandb`` holds W&B's own files.
        entity: team or user; None: the account's default.
        group: W&B group; None: corpus and task.
        tags: added to the names of the groups chosen.
        mode: "online", or "offline" to push later with ``wandb sync``.
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
        mode: Literal["online", "offline"] = "online",
    ) -> None:
        self.project, self.entity, self.group = project, entity, group
        self.folder, self.tags, self.mode = folder, tuple(tags), mode
        self._run: Any = None

    def check(self) -> None:
        """Refuse online mode without a key; the library would stop and ask for one."""
        if self.mode == "online" and not _has_key():
            raise UserError(
                "logger=wandb: no key for Weights & Biases. Run `wandb login` once, set "
                "WANDB_API_KEY, or choose logger=wandb_offline and push later with `wandb sync`."
            )

    def start(self, facts: RunFacts) -> Sequence[Logger]:
        """Begin or continue the W&B run whose id is the run's identity."""
        import wandb
        from pytorch_lightning.loggers import WandbLogger

        self.folder.mkdir(parents=True, exist_ok=True)
        words = facts.words
        self._run = wandb.init(
            project=self.project,
            entity=self.entity,
            id=facts.run,
            name=facts.run,
            group=self.group or f"{words['corpus']}-{words['task']}",
            job_type=words["regime"],
            tags=[*words.values(), *self.tags, *_warning_tags(facts)],
            config={**facts.config, "provenance": dict(facts.provenance)},
            dir=str(self.folder),
            mode=self.mode,
            resume="allow" if self.mode == "online" else None,
            reinit="finish_previous",
            settings=wandb.Settings(silent=True, console="off", save_code=False),
        )
        self._run.define_metric("*", step_metric="epoch")
        return [WandbLogger(experiment=self._run)]

    def finish(self, run: Run) -> None:
        """Write summary, predicted-against-true plot and tables, and end the W&B run."""
        self._run.summary.update(summary(run))
        self._run.log({**_tables(run), **_plot(run)})
        self._close(0)

    def abandon(self) -> None:
        """End the W&B run as failed; the same run continues it."""
        if self._run is not None:
            self._close(1)

    def _close(self, exit_code: int) -> None:
        self._run.finish(exit_code=exit_code)
        self._run = None


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


def _tables(run: Run) -> dict[str, Any]:
    import wandb

    tables = {"predictions": run.predictions, "set_aside": run.set_aside}
    return {
        name: wandb.Table(columns=[*table.columns], data=[list(row) for row in table.rows()])
        for name, table in tables.items()
    }


def _plot(run: Run) -> dict[str, Any]:
    import wandb

    return {"predicted_against_true": wandb.Image(kind_of(run).figure(run))}


def _warning_tags(facts: RunFacts) -> list[str]:
    tags = {"random weights": not facts.provenance["weights_real"],
            "synthetic": facts.provenance["synthetic"]}  # fmt: skip
    return [tag for tag, holds in tags.items() if holds]


def _has_key() -> bool:
    import wandb

    return bool(os.environ.get("WANDB_API_KEY") or wandb.api.api_key)
