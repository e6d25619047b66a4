"""From a preset in conf/hydra/launcher to the batch script that Slurm runs."""

from __future__ import annotations

import shlex
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from raqa.configuration.folder import ROOT_CONFIG, config_folder, group_choices
from raqa.errors import UserError, neighbours
from raqa.sweeps.slurm.submission import Kind, Submission
from raqa.sweeps.slurm.task import REQUEUES, WARNING

GROUP = "hydra/launcher"
OWN = "hydra.launcher."

_FLAGS = {
    "partition": "partition",
    "account": "account",
    "qos": "qos",
    "constraint": "constraint",
    "exclude": "exclude",
    "comment": "comment",
    "gres": "gres",
    "timeout_min": "time",
    "cpus_per_task": "cpus-per-task",
    "cpus_per_gpu": "cpus-per-gpu",
    "gpus_per_node": "gpus-per-node",
    "gpus_per_task": "gpus-per-task",
    "mem_per_gpu": "mem-per-gpu",
    "mem_per_cpu": "mem-per-cpu",
}
"""Settings of the preset that sbatch takes under another spelling, or the same."""

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
"""Nodes often have no network; with these, what is missing is noticed without retries."""


@dataclass(frozen=True)
class Preset:
    """What jobs ask of the cluster, under the names of hydra-submitit-launcher."""

    name: str
    settings: Mapping[str, Any]

    @property
    def warning_s(self) -> int:
        """How long before the time limit a job is told."""
        return int(self.settings["signal_delay_s"])

    @property
    def requeues(self) -> int:
        """How often a job may be requeued."""
        return int(self.settings["max_num_timeout"])


def read_preset(
    name: str, overrides: Sequence[str] = (), config_folders: Sequence[Path] = ()
) -> Preset:
    """Read a preset with settings such as `hydra.launcher.partition=gpu`.

    Raises:
        UserError: there is no such preset for Slurm, or a setting does not exist.
    """
    choices = [one for one in group_choices(GROUP, config_folders) if one.startswith("slurm")]
    if name not in choices:
        raise UserError(f"{name}: there is no such way to Slurm. {neighbours(name, choices)}")
    search = [f"hydra.searchpath=[{','.join(f'file://{path}' for path in config_folders)}]"]
    given = [*(search if config_folders else []), f"{GROUP}={name}", *overrides]
    try:
        with initialize_config_dir(config_dir=str(config_folder()), version_base="1.3"):
            node = compose(ROOT_CONFIG, given, return_hydra_config=True).hydra.launcher
        # submitit's folder is of no use here, and unknown before Hydra runs.
        settings = {str(key): _plain(node[key]) for key in node if key != "submitit_folder"}
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(" ".join(str(error).split())) from error
    if settings["nodes"] != 1 or settings["tasks_per_node"] != 1:
        raise UserError(
            f"{name}: nodes={settings['nodes']}, tasks_per_node={settings['tasks_per_node']}: a "
            "run is one task; more would train it several times into one folder."
        )
    return Preset(name, settings)


def write_script(
    submission: Submission, kind: Kind, tasks: int, preset: Preset, after: str | None
) -> Path:
    """Write the batch script of an array beside the submission.

    Args:
        after: a job that has to end first, however it ends.
    """
    path = submission.folder / f"{kind}.sh"
    flags = [f"#SBATCH --{flag}" for flag in _flags(submission, kind, tasks, preset, after)]
    setup = list(preset.settings.get("setup") or [])
    path.write_text("\n".join(["#!/bin/bash", *flags, *_body(submission, kind, setup), ""]))
    return path


def _plain(value: Any) -> Any:
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value


def _flags(
    submission: Submission, kind: Kind, tasks: int, preset: Preset, after: str | None
) -> Iterator[str]:
    settings = preset.settings
    log = str(submission.log(kind, 0).absolute()).replace("%", "%%")
    yield f"job-name={submission.job_name(kind)}"
    yield f"array=0-{tasks - 1}%{settings['array_parallelism']}"
    yield f"output={shlex.quote(log.replace(f'{kind}-0.log', f'{kind}-%a.log'))}"
    yield "open-mode=append"  # a requeued task goes on in its log
    yield "nodes=1"
    yield "ntasks=1"
    yield "requeue"
    yield f"signal=B:USR2@{preset.warning_s}"
    if after is not None:
        yield f"dependency=afterany:{after}"
    if settings.get("mem_gb"):
        yield f"mem={settings['mem_gb']}G"
    for name, flag in _FLAGS.items():
        if settings.get(name) is not None:
            yield f"{flag}={shlex.quote(str(settings[name]))}"
    for flag, value in (settings.get("additional_parameters") or {}).items():
        yield flag if value is True else f"{flag}={shlex.quote(str(value))}"


def _body(submission: Submission, kind: Kind, setup: Sequence[str]) -> Iterator[str]:
    yield from (f"export {name}=1" for name in OFFLINE)
    yield f"export {WARNING}={submission.warning_s} {REQUEUES}={submission.requeues}"
    yield "export OMP_NUM_THREADS=${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:-1}}"
    root = Path(__file__).resolve().parents[3]
    if str(root) not in sysconfig.get_paths().values():  # a checkout, perhaps not installed
        yield f"export PYTHONPATH={shlex.quote(str(root))}${{PYTHONPATH:+:$PYTHONPATH}}"
    yield from setup
    python, folder = shlex.quote(sys.executable), shlex.quote(str(submission.folder.absolute()))
    # In the shell's place, so that Slurm's signals reach Python.
    yield f"exec {python} -u -m raqa.sweeps.slurm.task {folder} {kind}"
