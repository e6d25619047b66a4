"""The head that learns nothing: a model that others trained is asked as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from raqa.answering.base import (
    Asked,
    FittedQuestionHead,
    Fitting,
    QuestionHead,
    QuestionPairs,
    answers_table,
)
from raqa.embeddings.hashes import HashCache
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.responders.base import UNHEARD, Responder
from raqa.responders.evaluate import evaluate
from raqa.responders.hearing import Hearing
from raqa.responders.store import ResponseStore
from raqa.responders.usage import FACTS_FILE, USAGE_FILE, usage_text, write_usage
from raqa.tables import TaskKind
from raqa.training.history import HISTORY

if TYPE_CHECKING:
    from rich.console import Console


@checked(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class ZeroShotHead(QuestionHead):
    """Asks a responder.

    Attributes:
        responder: who is asked.
        hearing: what it is given of a recording.
        folder: where responses are kept, and the hashes that tell whether a recording changed.
    """

    responder: Responder | None
    hearing: Hearing = field(default_factory=Hearing)
    folder: Path = Path("cache/responses")
    kinds: ClassVar[tuple[TaskKind, ...]] = (*QuestionHead.kinds, "exam")
    says_labels: ClassVar[bool] = False
    uses_embeddings: ClassVar[bool] = False
    learns: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.responder is None:
            raise UserError("head=zero_shot asks a responder: set responder=NAME (see --help).")
        if self.hearing.given not in self.responder.inputs:
            raise UserError(
                f"head.hearing.given={self.hearing.given}: this responder takes "
                f"{', '.join(self.responder.inputs)}."
            )

    @property
    def uses_audio(self) -> bool:  # type: ignore[override]
        """Whether anything of the recording is given."""
        return self.hearing.given != "none"

    @property
    def variant(self) -> str:  # type: ignore[override]
        """The model, or the responder without one, and what it is given: `qwen2_audio_7b_none`."""
        assert self.responder is not None
        name = self.responder.name.rstrip("/").rsplit("/", maxsplit=1)[-1]
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40]
        return f"{plain}_{self.hearing.given}"

    def check(self) -> None:
        """Look for what the responder needs.

        Raises:
            UserError: something is missing.
        """
        assert self.responder is not None
        self.responder.check(self.hearing.of(self.responder))

    def fit(
        self,
        train: QuestionPairs,  # noqa: ARG002
        validation: QuestionPairs,  # noqa: ARG002
        fitting: Fitting,
    ) -> FittedZeroShot:
        """Learn nothing: no pair is looked at."""
        stop = fitting.stop or (lambda: False)
        return FittedZeroShot(self, tuple(fitting.seeds), fitting.console, stop)

    def load(self, folder: Path, seeds: Sequence[int]) -> FittedZeroShot:
        """Be ready to ask again.

        Raises:
            UserError: it is not there, or another responder was asked.
        """
        file = folder / FACTS_FILE
        if not file.is_file():
            raise UserError(f"There is no zero-shot head at {folder}.")
        if json.loads(file.read_text(encoding="utf-8")) != self.facts:
            raise UserError(f"{folder} is of another responder, or one that was given other input.")
        return FittedZeroShot(self, tuple(seeds))

    @property
    def facts(self) -> dict[str, object]:
        """Who is asked and what it is given, as plain JSON values."""
        assert self.responder is not None
        heard = self.hearing.of(self.responder)
        return {"responder": dict(self.responder.identity), "hearing": heard.facts}


@dataclass
class FittedZeroShot(FittedQuestionHead):
    """A responder, and what the last questions took.

    Attributes:
        usage: USAGE columns, or None before anything was asked.
    """

    head: ZeroShotHead
    seeds: tuple[int, ...]
    console: Console | None = None
    stop: Callable[[], bool] = lambda: False
    usage: pl.DataFrame | None = None
    history: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=dict(HISTORY)))

    def answer(self, asked: Asked) -> pl.DataFrame:
        """Ask every question once; seeds change nothing, so all have the same answers."""
        assert self.head.responder is not None
        hashes = HashCache(self.head.folder / "hashes")
        with ResponseStore(self.head.folder) as store:
            found = evaluate(
                asked, self.head.responder, self.head.hearing, store, hashes,
                console=self.console, stop=self.stop,
            )  # fmt: skip
        self.usage = found.usage
        if self.console is not None:
            self.console.print(usage_text(found.usage), highlight=False, markup=False)
        parts = [found.answers.with_columns(seed=pl.lit(seed, pl.Int64)) for seed in self.seeds]
        return answers_table(pl.concat(parts))

    def unanswered(self) -> Mapping[str, str]:
        """Why nothing came back for a question, by qa_id."""
        if self.usage is None:
            return {}
        failed = self.usage.filter(outcome="failed").select("qa_id", "reason")
        return {name: reason or "nothing came back" for name, reason in failed.iter_rows()}

    def unusable(self) -> frozenset[str]:
        """Questions about recordings that can not be opened or are unusable."""
        why = self.unanswered()
        return frozenset(name for name, reason in why.items() if reason.startswith(UNHEARD))

    def save(self, folder: Path) -> None:
        """Write who was asked and what it took; the responses themselves are in the store."""
        make_folder(folder)
        text = json.dumps(self.head.facts, indent=2, sort_keys=True, default=str)
        (folder / FACTS_FILE).write_text(text + "\n", encoding="utf-8")
        if self.usage is not None:
            write_usage(self.usage, folder / USAGE_FILE)
