"""Times five seeds side by side against five plain Lightning fits one after another.

Both sides do the same work: the same recipe, data and epochs, validation and early-stopping
bookkeeping after every epoch, the best epoch's weights kept. Run it by itself; with --check its
exit status is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import copy
import logging
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch
from pytorch_lightning.callbacks import Callback, EarlyStopping
from rich.console import Console
from rich.progress import track
from rich.table import Table
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.fit import fit
from raqa.training.settings import TrainerSettings

SEEDS = range(5)
RECORDINGS = 669  # training recordings of the cough paper's smallest corpus
VALIDATION = 167
WIDTH = 768

HEADS: dict[str, tuple[MLPHead, Callable[[], nn.Module], float]] = {
    "linear": (MLPHead(), lambda: nn.Linear(WIDTH, 1), 4.0),
    "mlp_small": (
        MLPHead(hidden=(256,), dropout=0.3),
        lambda: nn.Sequential(nn.Linear(WIDTH, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 1)),
        2.5,
    ),
    "mlp": (
        MLPHead(hidden=("width",)),
        lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1)),
        1.6,
    ),
}
"""Our head, the same as plain modules, and how many times faster side by side must be."""


class PlainModule(lightning.LightningModule):
    """One seed's model as one would write it for Lightning."""

    def __init__(self, network: nn.Module, settings: TrainerSettings, label_scale: float) -> None:
        super().__init__()
        self.network, self.settings, self.label_scale = network, settings, label_scale

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:  # noqa: ARG002
        """Mean squared error of one batch."""
        inputs, labels = batch
        return nn.functional.mse_loss(self.network(inputs).squeeze(1), labels)

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:  # noqa: ARG002
        """Log the mean absolute error in label units, which early stopping watches."""
        inputs, labels = batch
        errors = (self.network(inputs).squeeze(1) - labels).abs() * self.label_scale
        self.log("validation_mae", errors.mean(), batch_size=len(labels))

    def configure_optimizers(self) -> Any:
        """Adam with the recipe's decay."""
        optimiser = torch.optim.Adam(
            self.parameters(),
            lr=self.settings.learning_rate,
            weight_decay=self.settings.weight_decay,
        )
        schedule = torch.optim.lr_scheduler.ExponentialLR(
            optimiser, self.settings.learning_rate_decay
        )
        return [optimiser], [schedule]


class KeepBest(Callback):
    """Keeps the best epoch's weights in memory."""

    best = float("inf")
    weights: dict[str, Tensor] | None = None

    def on_validation_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule
    ) -> None:
        """Copy the weights where the epoch is the best so far."""
        mae = float(trainer.callback_metrics["validation_mae"])
        if mae < self.best:
            self.best, self.weights = mae, copy.deepcopy(pl_module.state_dict())


def make_data() -> FitData:
    """Random inputs and a label that half depends on them, with the spread of ages."""
    random = np.random.default_rng(0)
    inputs = random.normal(size=(RECORDINGS + VALIDATION, WIDTH))
    signal = inputs @ random.normal(size=WIDTH) / WIDTH**0.5
    labels = 35 + 14 * (signal + random.normal(size=len(signal))) / 2**0.5
    x, y = inputs.astype(np.float32), labels.astype(np.float32)
    return FitData(x[:RECORDINGS], y[:RECORDINGS], x[RECORDINGS:], y[RECORDINGS:])


def time_side_by_side(head: MLPHead, data: FitData, settings: TrainerSettings) -> float:
    """Seconds of raqa's fit of all seeds."""
    start = time.perf_counter()
    fit(head, data, SEEDS, settings)
    return time.perf_counter() - start


def time_one_by_one(
    network: Callable[[], nn.Module], data: FitData, settings: TrainerSettings
) -> float:
    """Seconds of a plain Lightning fit for each seed."""
    start = time.perf_counter()
    mean, deviation = data.train_inputs.mean(0), data.train_inputs.std(0)
    label_mean, label_scale = float(data.train_labels.mean()), float(data.train_labels.std())

    def dataset(inputs: Any, labels: Any) -> TensorDataset:
        standardised = (inputs - mean) / deviation, (labels - label_mean) / label_scale
        return TensorDataset(*map(torch.from_numpy, standardised))

    train = dataset(data.train_inputs, data.train_labels)
    validation = dataset(data.validation_inputs, data.validation_labels)
    for seed in SEEDS:
        torch.manual_seed(seed)
        best = KeepBest()
        trainer = lightning.Trainer(
            accelerator="cpu",
            max_epochs=settings.max_epochs,
            callbacks=[EarlyStopping("validation_mae", patience=settings.patience), best],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
        )
        module = PlainModule(network(), settings, label_scale)
        trainer.fit(
            module,
            DataLoader(train, batch_size=settings.batch_size, shuffle=True),
            DataLoader(validation, batch_size=VALIDATION),
        )
        assert best.weights is not None
        module.load_state_dict(best.weights)
    return time.perf_counter() - start


def measure(name: str, data: FitData, arguments: argparse.Namespace) -> tuple[float, float]:
    """Median seconds of both sides, repeats interleaved, after one short fit to warm up."""
    head, network, _ = HEADS[name]
    settings = TrainerSettings(
        accelerator="cpu", max_epochs=arguments.epochs, patience=arguments.epochs
    )
    warm_up = TrainerSettings(accelerator="cpu", max_epochs=2)
    time_side_by_side(head, data, warm_up)
    time_one_by_one(network, data, warm_up)
    pairs = [
        (time_side_by_side(head, data, settings), time_one_by_one(network, data, settings))
        for _ in track(range(arguments.repeats), f"{name} …", transient=True)
    ]
    ours, plain = zip(*pairs, strict=True)
    return statistics.median(ours), statistics.median(plain)


def main() -> int:
    """Measure every head, print the table, and say whether all goals are reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30, help="of every fit (default 30)")
    parser.add_argument("--repeats", type=int, default=5, help="of each side (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default 2)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="pytorch_lightning|torch|typing_extensions")

    console, data, missed = Console(), make_data(), []
    table = Table(
        "head", "side by side", "one by one", "times faster", "goal",
        title=f"{len(SEEDS)} seeds, {RECORDINGS} × {WIDTH} inputs, {arguments.epochs} epochs",
        caption=f"medians of {arguments.repeats}; {platform.processor() or platform.machine()}, "
        f"{torch.get_num_threads()} threads, torch {torch.__version__}, "
        f"lightning {lightning.__version__}",
    )  # fmt: skip
    for name, (_, _, goal) in HEADS.items():
        ours, plain = measure(name, data, arguments)
        reached = plain / ours >= goal
        missed += [] if reached else [name]
        ratio = f"[{'green' if reached else 'red'}]{plain / ours:.1f} ×[/]"
        table.add_row(name, f"{ours:.2f} s", f"{plain:.2f} s", ratio, f"{goal:g} ×")
    console.print(table)
    if missed:
        console.print(f"Goal missed: {', '.join(missed)}")
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
