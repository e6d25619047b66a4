"""Presets are short, share the site's file, and become scripts that ask for what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from raqa.configuration.folder import config_folder, group_choices
from raqa.errors import UserError
from raqa.sweeps.slurm.preset import GROUP, OFFLINE, read_preset, write_script
from raqa.sweeps.slurm.submission import Submission

PRESETS = ("slurm", "slurm_gpu", "slurm_gpus")


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    """An empty one in a folder with a space and a percent sign, which sbatch would expand."""
    made = Submission(
        "a-name", "demo/table3", "2026-01-01T00:00:00+00:00", None, "", tmp_path / "my %j runs",
        (), (), warning_s=90, requeues=3,
    )  # fmt: skip
    made.folder.mkdir(parents=True)
    return made


def test_there_is_a_preset_for_cpus_for_one_gpu_and_for_several() -> None:
    assert tuple(group_choices(GROUP)) == PRESETS
    gpus = [read_preset(name).settings["gpus_per_node"] for name in PRESETS]
    assert gpus == [None, 1, 4]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_takes_what_the_sites_file_says(name: str) -> None:
    site = OmegaConf.to_container(OmegaConf.load(config_folder() / "site" / "slurm.yaml"))
    assert isinstance(site, dict)
    settings = read_preset(name).settings
    assert {key: settings[key] for key in site} == site
    assert read_preset(name, ["hydra.launcher.qos=night"]).settings["qos"] == "night"


def test_a_preset_of_another_kind_is_none() -> None:
    with pytest.raises(UserError, match="Choices: slurm, slurm_gpu, slurm_gpus"):
        read_preset("submitit_local")


def test_a_script_asks_for_what_the_preset_says(submission: Submission) -> None:
    preset = read_preset(
        "slurm_gpu",
        ["hydra.launcher.account=lungs", "hydra.launcher.constraint='a100|h100'",
         "hydra.launcher.setup=[module load cuda]", "hydra.launcher.array_parallelism=7",
         "+hydra.launcher.additional_parameters.reservation=course"],
    )  # fmt: skip
    text = write_script(submission, "heads", 12, preset, after="41").read_text()
    flags = re.findall(r"^#SBATCH --(.*)$", text, re.MULTILINE)
    assert {"job-name=a-name-heads", "array=0-11%7", "account=lungs", "constraint='a100|h100'",
            "reservation=course", "gpus-per-node=1", "ntasks=1", "requeue",
            "dependency=afterany:41"} <= set(flags)  # fmt: skip
    (output,) = [flag for flag in flags if flag.startswith("output=")]
    assert "my %%j runs" in output
    assert output.endswith("heads-%a.log'")
    assert not [flag for flag in flags if "None" in flag or "null" in flag]


def test_jobs_run_offline_and_set_up_comes_before_python(submission: Submission) -> None:
    preset = read_preset("slurm", ["hydra.launcher.setup=[module load cuda]"])
    lines = write_script(submission, "heads", 1, preset, after=None).read_text().splitlines()
    assert {f"export {name}=1" for name in OFFLINE} <= set(lines)
    assert lines[-2] == "module load cuda"
    assert lines[-1].startswith("exec ")
    assert not any("dependency" in line for line in lines)
