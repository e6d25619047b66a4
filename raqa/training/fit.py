"""`fit`: from a head, data and seeds to a fitted head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from raqa.errors import UserError
from raqa.heads.base import DirectHead, Head
from raqa.heads.data import FitData
from raqa.training.fitted import FittedHead
from raqa.training.history import HISTORY, epoch_metrics
from raqa.training.objective import objective_for
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings

if TYPE_CHECKING:
    from pytorch_lightning.loggers import Logger
    from rich.console import Console


def fit(
    head: Head,
    data: FitData,
    seeds: Sequence[int],
    settings: TrainerSettings,
    *,
    loggers: Sequence[Logger] = (),
    console: Console | None = None,
    checkpoint: Path | None = None,
    stop: Callable[[], bool] | None = None,
) -> FittedHead:
    """Fit a head for all seeds at once; each seed's result is that of fitting it alone.

    A GradientHead is trained by Lightning with the settings' recipe. A DirectHead is given
    standardised inputs (if the settings say so) and labels in their own units; nothing in it is
    random, so that all seeds are equal.

    Args:
        loggers: Lightning loggers, told of each epoch.
        console: where to show the progress bar; None shows none.
        checkpoint: file for the state of a training in epochs, written now and then and when it
            stops. Where there is one of the very same fit, training goes on with it, and its
            result is that of a training without a stop, to the last bit with as many threads.
            Removing it is the caller's business.
        stop: asked after each epoch whether to stop there.

    Raises:
        UserError: seeds that are negative, repeated or none, a device that is not there, or
            training that diverged.
        StoppedError: `stop` asked for it.
    """
    _check_seeds(seeds)
    scaling = Scaling.learn(data, settings)
    if isinstance(head, DirectHead):
        return _fit_directly(head, data, seeds, scaling, loggers)
    from raqa.training.loop import train

    objective = objective_for(data.classes, scaling)
    selection = train(
        head,
        data,
        seeds,
        scaling,
        settings,
        objective=objective,
        loggers=loggers,
        console=console,
        checkpoint=checkpoint,
        stop=stop,
    )
    return FittedHead(
        head=head,
        width=data.width,
        seeds=tuple(seeds),
        scaling=scaling,
        parameters={name: value.cpu().numpy() for name, value in selection.best.items()},
        history=selection.history,
        classes=data.classes,
    )


def _fit_directly(
    head: DirectHead,
    data: FitData,
    seeds: Sequence[int],
    scaling: Scaling,
    loggers: Sequence[Logger],
) -> FittedHead:
    seen = data
    if head.uses_audio:
        seen = replace(
            data,
            train_inputs=scaling.inputs(data.train_inputs),
            validation_inputs=scaling.inputs(data.validation_inputs),
        )
    unmeasured = FittedHead(
        head=head,
        width=data.width,
        seeds=tuple(seeds),
        scaling=scaling,
        parameters=head.fit(seen),
        history=pl.DataFrame(schema=dict(HISTORY)),
        classes=data.classes,
    )
    answers = unmeasured.answers(data.validation_inputs)
    errors = unmeasured.objective.measured(answers, data.validation_labels)
    rows = [
        (seed, 0, None, float(error) if isfinite(error) else None)
        for seed, error in zip(seeds, errors, strict=True)
    ]
    history = pl.DataFrame(rows, schema=dict(HISTORY), orient="row")
    for logger in loggers:
        logger.log_metrics(epoch_metrics(history, unmeasured.objective.log_name), step=0)
    return replace(unmeasured, history=history)


def _check_seeds(seeds: Sequence[int]) -> None:
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        raise UserError(
            f"seeds are different whole numbers from 0, at least one, not {list(seeds)}."
        )
