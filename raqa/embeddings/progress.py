"""The progress bar of an extraction or an evaluation; silent where nobody looks."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console


class Progress:
    """Counts recordings, or what else is named, with their rate and the time left.

    Args:
        console: None, or one that is no terminal: nothing is shown.
        total: recordings to come.
        title: stands before the bar.
        noun: what is counted.
    """

    def __init__(
        self, console: Console | None, total: int, title: str, noun: str = "recordings"
    ) -> None:
        self._bar = None
        self._noun = noun
        if console is None or not console.is_terminal:
            return
        from rich import progress

        self._bar = progress.Progress(
            progress.TextColumn("[bold]{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[rate]}"),
            progress.TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task(title, total=total, rate="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self, count: int) -> None:
        """Count that many as done."""
        if self._bar:
            self._bar.advance(self._task, count)
            speed = self._bar.tasks[0].speed
            rate = f"{speed:.0f} {self._noun}/s" if speed else ""
            self._bar.update(self._task, rate=rate)
