"""How heads are trained: the recipe, each value checked when it is given."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

Device = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class TrainerSettings:
    """The cough-regression paper's recipe unless told otherwise.

    Standardising is not in the paper: with raw labels its learning rate hardly leaves zero.

    Attributes:
        optimizer: adam couples weight decay to the gradient (L2), adamw does not.
        learning_rate: of the first epoch.
        learning_rate_decay: factor on the learning rate after each epoch.
        gradient_clip_norm: longest gradient of one seed's whole model; None: never clipped.
        max_epochs: epochs at most.
        patience: epochs without a better validation error until a seed stops.
        standardise_inputs: each feature to mean 0 and SD 1 over the training recordings.
        standardise_label: the same for a label that is a number; predictions are in label units
            either way.
        precision: bits of parameters and inputs.
        calibration: share of the validation subjects that select nothing and are held back for an
            interval around predicted numbers (metrics/conformal.py); classes have none.
        accelerator: auto takes a GPU where there is one.
        devices: how many, or the numbers of the GPUs to use, in brackets; only language models
            are large enough for more than one.
    """

    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    learning_rate: Annotated[float, Field(gt=0, le=10)] = 1e-4
    weight_decay: Annotated[float, Field(ge=0, le=10)] = 1e-5
    batch_size: Annotated[int, Field(ge=1)] = 64
    learning_rate_decay: Annotated[float, Field(gt=0, le=1)] = 0.97
    gradient_clip_norm: Annotated[float, Field(gt=0)] | None = None
    max_epochs: Annotated[int, Field(ge=1)] = 64
    patience: Annotated[int, Field(ge=1)] = 10
    standardise_inputs: bool = True
    standardise_label: bool = True
    precision: Literal[32, 64] = 32
    calibration: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    accelerator: Literal["auto", "cpu", "cuda"] = "auto"
    devices: Annotated[int, Field(ge=1)] | Annotated[list[Device], Field(min_length=1)] = 1


def processes(settings: TrainerSettings) -> int:
    """How many processes train together, one for each device."""
    return settings.devices if isinstance(settings.devices, int) else len(set(settings.devices))
