"""A fitted head: predicts in label units, and goes to a file and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.heads.base import DirectHead, GradientHead, Head, StackedModel
from raqa.heads.data import FloatArray
from raqa.training.head_file import read_arrays, write_arrays
from raqa.training.history import HISTORY, best_epochs
from raqa.training.objective import Objective, Predicted, objective_for
from raqa.training.scaling import Scaling

BATCH_ROWS = 1024  # recordings predicted at a time; bounds the memory of wide heads


@dataclass(frozen=True, eq=False)
class FittedHead:
    """The fitted models of all seeds with the scaling that they were fitted in.

    Attributes:
        head: the recipe.
        width: length of one input.
        parameters: arrays by name: a GradientHead's with the seed as first dimension, a
            DirectHead's as it named them, the same for every seed.
        history: HISTORY columns.
        classes: how many classes there are; 0 where a number is predicted.
        metadata: what the caller said at `save`, for example the encoder's fingerprint.
    """

    head: Head
    width: int
    seeds: tuple[int, ...]
    scaling: Scaling
    parameters: Mapping[str, FloatArray]
    history: pl.DataFrame
    classes: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def best_epoch(self) -> dict[int, int]:
        """The epoch, from 1, whose weights each seed kept (0: fitted without epochs)."""
        return best_epochs(self.history)

    @property
    def objective(self) -> Objective:
        """What the models' outputs mean."""
        return objective_for(self.classes, self.scaling)

    def predict(self, inputs: FloatArray) -> NDArray[np.float64]:
        """Predict `[recordings, width]` as `[seeds, recordings]`, on the CPU.

        Returns:
            numbers in label units, or the numbers of the most probable classes.

        Raises:
            UserError: inputs of another width, or with NaN or infinite values.
        """
        return self.predicted(inputs).values

    def predicted(self, inputs: FloatArray) -> Predicted:
        """The same as `predict`, with the probabilities of classes."""
        return self.objective.predicted(self.answers(inputs))

    def answers(self, inputs: FloatArray) -> NDArray[np.float64]:
        """Answers as the objective defines them: in label units, or probabilities."""
        bad = int((~np.isfinite(inputs)).any(axis=1).sum())
        if bad:
            raise UserError(f"{bad} of {len(inputs)} embeddings hold NaN or infinite values.")
        starts = range(0, max(len(inputs), 1), BATCH_ROWS)
        parts = [self._answers(inputs[start : start + BATCH_ROWS]) for start in starts]
        return np.concatenate(parts, axis=1)

    def _answers(self, inputs: FloatArray) -> NDArray[np.float64]:
        if isinstance(self.head, DirectHead):
            scaled = self.scaling.inputs(inputs) if self.head.uses_audio else inputs
            answer = self.head.predict(dict(self.parameters), scaled).astype(np.float64)
            return np.stack([answer] * len(self.seeds))
        model = self._model
        standardised = torch.from_numpy(self.scaling.inputs(inputs))
        standardised = standardised.to(next(model.parameters()).dtype)
        with torch.inference_mode():
            outputs = model(standardised.expand(len(self.seeds), -1, -1))
        return self.objective.answers(outputs.numpy())

    @cached_property
    def _model(self) -> StackedModel:
        assert isinstance(self.head, GradientHead)
        model = self.head.build(self.width, self.seeds, self.objective.outputs)
        stored = {name: torch.from_numpy(array) for name, array in self.parameters.items()}
        model.load_state_dict(stored, assign=True)
        return model.eval()

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write one safetensors file; `metadata` should name the encoder's fingerprint."""
        arrays: dict[str, NDArray[Any]] = {
            f"parameter.{name}": array for name, array in self.parameters.items()
        }
        arrays["input_mean"] = self.scaling.input_mean
        arrays["input_factor"] = self.scaling.input_factor
        kind = type(self.head)
        facts = {
            "head": f"{kind.__module__}.{kind.__qualname__}",
            "head_settings": asdict(self.head),  # type: ignore[call-overload]
            "width": self.width,
            "seeds": self.seeds,
            "classes": self.classes,
            "label_mean": self.scaling.label_mean,
            "label_scale": self.scaling.label_scale,
            "history": self.history.to_dict(as_series=False),
            "metadata": dict(metadata),
        }
        write_arrays(path, arrays, facts)

    @classmethod
    def load(cls, path: Path) -> FittedHead:
        """Read what `save` wrote.

        Raises:
            UserError: there is no such file, it is damaged, or its head is not known here.
        """
        arrays, facts = read_arrays(path)
        try:
            fitted = cls(
                head=_head(facts["head"], facts["head_settings"]),
                width=facts["width"],
                seeds=tuple(facts["seeds"]),
                scaling=Scaling(
                    arrays.pop("input_mean"),
                    arrays.pop("input_factor"),
                    facts["label_mean"],
                    facts["label_scale"],
                ),
                parameters={
                    name.removeprefix("parameter."): array for name, array in arrays.items()
                },
                history=pl.DataFrame(facts["history"], schema=dict(HISTORY)),
                classes=facts["classes"],
                metadata=facts["metadata"],
            )
            if isinstance(fitted.head, GradientHead):
                _ = fitted._model  # refuses parameters of another shape
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise UserError(
                f"{path} does not hold a head that this version can read ({error}). Fit it anew."
            ) from error
        return fitted


def _head(target: str, settings: Mapping[str, Any]) -> Head:
    module, _, name = target.rpartition(".")
    try:
        kind = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"its head {target} is not installed here") from error
    if not (isinstance(kind, type) and issubclass(kind, GradientHead | DirectHead)):
        raise ValueError(f"{target} is not a head")
    made: Head = kind(**settings)
    return made
