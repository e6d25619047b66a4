"""Where curves and results go besides the run folder: the interface, and the choice of nowhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict
from pydantic import dataclasses as checked

if TYPE_CHECKING:
    from pytorch_lightning.loggers import Logger

    from raqa.reports.run_tables import Run


@dataclass(frozen=True)
class RunFacts:
    """What a tracker has to know when a run starts.

    Attributes:
        run: the run's identity; the same run continues under the same id.
        words: names of the groups chosen (corpus, task, encoder, head, regime).
        config: the resolved config, without transient fields.
        provenance: versions, commit, machine.
    """

    run: str
    words: Mapping[str, str]
    config: Mapping[str, Any]
    provenance: Mapping[str, Any]


class Tracker(ABC):
    """Follows a run from start to result. Local files are the truth; a tracker only shows them."""

    @abstractmethod
    def check(self) -> None:
        """Refuse what can not work (no key, for example) before any work.

        Raises:
            UserError: saying what is missing and how to get it.
        """

    @abstractmethod
    def start(self, facts: RunFacts) -> Sequence[Logger]:
        """Begin to follow a run; the loggers returned get its curves."""

    @abstractmethod
    def finish(self, run: Run) -> None:
        """Show the finished run's numbers."""

    @abstractmethod
    def abandon(self) -> None:
        """The run failed or was interrupted; leave what is there so that it can be continued."""


@checked.dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class LocalFiles(Tracker):
    """Nothing besides the run folder."""

    def check(self) -> None:
        """Nothing can be missing."""

    def start(self, facts: RunFacts) -> Sequence[Logger]:  # noqa: ARG002 - nothing to follow
        """Follow nothing: the run folder holds the history."""
        return ()

    def finish(self, run: Run) -> None:
        """Nothing to show elsewhere."""

    def abandon(self) -> None:
        """Nothing to close."""
