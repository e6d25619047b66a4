"""What was handed to Slurm, on disk: the one thing that jobs and `raqa status` read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

from raqa.configuration.folder import config_folder
from raqa.embeddings.atomic import write_atomically
from raqa.errors import UserError
from raqa.sweeps.failure import Failure, recorded
from raqa.sweeps.places import submissions_folder
from raqa.sweeps.work import Job

Kind = Literal["embeddings", "heads"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_FACTS = "submission.json"
CODE_SUFFIXES = frozenset({".py", ".yaml", ".csv", ".json", ".html", ".css", ".js"})


@dataclass(frozen=True)
class Extraction:
    """Embeddings to extract: of one corpus, by one encoder, or a part of them.

    Attributes:
        overrides: of a cell that needs them.
        place: where the corpus is in the cell's config, `datamodule` or `regime.target`.
        shard: `i/n`; None: all of them.
    """

    label: str
    overrides: tuple[str, ...]
    config_folders: tuple[Path, ...]
    place: str
    shard: str | None


@dataclass(frozen=True)
class Submission:
    """One submission of a recipe.

    Attributes:
        name: a word of its own; names the folder and, with the kind behind it, the jobs.
        recipe: as it was typed.
        when: ISO 8601 with the offset, before the first job was submitted.
        commit: the checkout's, for messages.
        code: digest of all code and configs, as `code_digest`.
        extractions: one for each task of the embeddings array.
        packs: the cells that each task of the heads array works through.
        warning_s: how long before a time limit Slurm tells the job.
        requeues: how often a task is requeued at most.
    """

    name: str
    recipe: str
    when: str
    commit: str | None
    code: str
    runs: Path
    extractions: tuple[Extraction, ...]
    packs: tuple[tuple[Job, ...], ...]
    warning_s: int
    requeues: int

    @property
    def folder(self) -> Path:
        """Its scripts and logs, beside the runs."""
        return submissions_folder(self.runs) / self.name

    def job_name(self, kind: Kind) -> str:
        """What Slurm calls an array of it."""
        return f"{self.name}-{kind}"

    def job(self, kind: Kind) -> str | None:
        """The id of an array; None: not submitted, or nobody could write down that it was."""
        try:
            return (self.folder / f"{kind}.job").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None

    def log(self, kind: Kind, index: int) -> Path:
        """Where a task of an array writes what it has to say, also when it is requeued."""
        return self.folder / f"{kind}-{index}.log"

    def write(self) -> None:
        """Keep it, before anything is submitted."""
        text = _ADAPTER.dump_json(self, indent=2)
        write_atomically(self.folder / _FACTS, text)

    def write_job(self, kind: Kind, job: str) -> None:
        """Keep the id that Slurm gave an array."""
        write_atomically(self.folder / f"{kind}.job", job.encode())


_ADAPTER = TypeAdapter(Submission)


def read_submission(folder: Path) -> Submission:
    """Read a submission from its folder.

    Raises:
        UserError: there is none that can be read.
    """
    try:
        return _ADAPTER.validate_json((folder / _FACTS).read_bytes())
    except (OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{folder} holds no submission that can be read: {reason}") from error


def submissions(runs: Path) -> Iterator[Submission]:
    """All that were submitted, newest first; half-written ones are none."""
    for path in sorted(submissions_folder(runs).glob(f"*/{_FACTS}"), reverse=True):
        try:
            yield read_submission(path.parent)
        except UserError:  # of another version of raqa
            continue


def code_digest(config_folders: Sequence[Path] = ()) -> str:
    """SHA-256 over everything that decides what a job does: code, shipped and the user's configs.

    Committed or not, and also without a repository.
    """
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parents[2]
    for number, folder in enumerate((package, config_folder(), *config_folders)):
        for path in sorted(folder.rglob("*")):
            if path.suffix in CODE_SUFFIXES and path.is_file():
                name = f"{number}/{path.relative_to(folder).as_posix()}"
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def failure_since(submission: Submission, runs: Path, name: str) -> Failure | None:
    """Why a cell failed after it was submitted; None: it did not, or that was before."""
    failure = recorded(runs, name)
    if failure is None:
        return None
    earlier = datetime.fromisoformat(failure.when) < datetime.fromisoformat(submission.when)
    return None if earlier else failure
