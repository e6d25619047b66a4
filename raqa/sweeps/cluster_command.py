"""`raqa status`, `raqa collect`, and `raqa sweep --on slurm`, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from raqa.sweeps import report_command
from raqa.sweeps.command import ConfigFolder, Overrides, RecipeName, folders


def status(
    recipe: RecipeName, overrides: Overrides = None, config_dir: ConfigFolder = None
) -> None:
    """Say how far a recipe is: cells pending, running, done, failed with the cause and the log.

    For sweeps on a cluster, from any of its machines, also after whatever was submitting has ended.
    """
    from raqa.sweeps.recipe_file import read_recipe
    from raqa.sweeps.show import plan_bar
    from raqa.sweeps.slurm.show import print_overview
    from raqa.sweeps.slurm.standing import overview

    with plan_bar(Console(stderr=True)) as advance:
        seen = overview(read_recipe(recipe, overrides or (), folders(config_dir)), advance)
    print_overview(seen, Console())


def collect(
    recipe: RecipeName, overrides: Overrides = None, config_dir: ConfigFolder = None
) -> None:
    """Say what of a recipe has been gathered, and make its report of that."""
    from raqa.sweeps.recipe_file import read_recipe
    from raqa.sweeps.show import plan_bar
    from raqa.sweeps.slurm.show import print_gathered
    from raqa.sweeps.slurm.standing import overview

    with plan_bar(Console(stderr=True)) as advance:
        seen = overview(read_recipe(recipe, overrides or (), folders(config_dir)), advance)
    print_gathered(seen, Console())
    if seen.counts.get("done"):
        report_command.report([recipe, *(overrides or ())], config_dir=config_dir)


def submit(
    recipe: str,
    overrides: Sequence[str],
    config_folders: Sequence[Path],
    on: str,
    *,
    embed_on: str | None,
    pack: int,
    shards: int,
    force: bool,
) -> int:
    """Submit a recipe with a preset of conf/hydra/launcher; the exit status.

    Args:
        overrides: those that begin with `hydra.launcher.` are for the jobs, the others for cells.
        embed_on: another preset for the embeddings.

    Raises:
        UserError: something is wrong with the recipe, the preset or Slurm; nothing was submitted.
    """
    from raqa.sweeps.claim import ClaimedError
    from raqa.sweeps.recipe_file import read_recipe
    from raqa.sweeps.show import plan_bar
    from raqa.sweeps.slurm.preset import OWN, read_preset
    from raqa.sweeps.slurm.show import print_submitted
    from raqa.sweeps.slurm.submit import ClusterSettings
    from raqa.sweeps.slurm.submit import submit as hand_over
    from raqa.sweeps.sweep import BUSY, FAILED

    console = Console()
    own = [one for one in overrides if one.startswith(OWN)]
    settings = ClusterSettings(
        heads=read_preset(on, own, config_folders),
        embeddings=read_preset(embed_on or on, own, config_folders),
        pack=pack,
        shards=shards,
        force=force,
    )
    wanted = read_recipe(recipe, [one for one in overrides if one not in own], config_folders)
    try:
        with plan_bar(Console(stderr=True)) as advance:
            done = hand_over(wanted, settings, advance)
    except ClaimedError as busy:
        console.print(f"Another submission is under way: {busy.owner}.", highlight=False)
        return BUSY
    print_submitted(done, console)
    return FAILED if done.left_out else 0
