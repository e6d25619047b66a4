"""One call of `raqa prepare`: look, say, ask, work, write the manifest."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from filelock import FileLock, Timeout
from rich.console import Console
from rich.markup import escape

from raqa.corpora.base import Corpus
from raqa.corpora.downloads import Downloads
from raqa.corpora.prepare.plan import Item, Plan, look
from raqa.corpora.prepare.records import Record, Workshop
from raqa.corpora.prepare.show import (
    Bars,
    print_complete,
    print_facts,
    print_plan,
    print_record,
    print_to_ask,
)
from raqa.corpora.prepare.work import Worker
from raqa.download.fetch import Patience, StoppedFetchError
from raqa.errors import UserError
from raqa.folders import make_folder

AT_ONCE = 4
"""Downloads that run side by side; publishers' servers take more for an attack."""


@dataclass(frozen=True)
class Wishes:
    """What the user asked for beside the corpus.

    Attributes:
        agreed: asked before anything is written; returns whether to go on.
        dry_run: only say what would be done.
        verify: read every file that was fetched, not only its size.
    """

    agreed: Callable[[], bool] = lambda: True
    dry_run: bool = False
    verify: bool = False
    patience: Patience = field(default_factory=Patience)


def prepare_corpus(corpus: Corpus, wishes: Wishes, console: Console) -> None:
    """Fetch what is openly downloadable of a corpus into its folder, or say whom to ask.

    Raises:
        UserError: a file can not be had, is damaged or refused, or something is in its way;
            whatever else could be fetched is in place.
    """
    print_facts(corpus, console)
    downloads, place = corpus.downloads, corpus.place
    if downloads is None or place is None:
        print_to_ask(corpus, console)
        return
    workshop = Workshop(place.absolute())
    with console.status("looking what is there"):
        plan = _look(workshop, downloads, wishes)
    if plan.complete:
        print_complete(plan, downloads, console, verified=wishes.verify)
        return
    print_plan(plan, downloads, console)
    _check_room(plan)
    if wishes.dry_run:
        console.print("Nothing was fetched: this was a dry run.")
        return
    if not wishes.agreed():
        console.print("Nothing was fetched.")
        return
    with _alone(workshop, console):
        records = _work(workshop, downloads, wishes, console)
        facts = {
            "corpus": corpus.name,
            "title": corpus.title,
            "licence": corpus.licence,
            "page": downloads.page,
            "left to do by hand": downloads.by_hand,
            "written by": f"raqa {_version()}",
        }
        workshop.finish(records, facts)
    print_complete(look(workshop.place, downloads), downloads, console)


def _look(workshop: Workshop, downloads: Downloads, wishes: Wishes) -> Plan:
    """Look what is there; files that somebody changed end the call.

    Raises:
        UserError: naming them, or what stands where the folder should be.
    """
    for path in (workshop.place, workshop.inner):
        if path.exists() and not path.is_dir():
            raise UserError(f"{path} is a file, and a folder is needed there: move it away.")
    if workshop.inner.is_symlink():
        raise UserError(f"{workshop.inner} is a link, and raqa writes only inside the folder.")
    plan = look(workshop.place, downloads, thorough=wishes.verify)
    if plan.changed:
        shown = ", ".join(plan.changed[:5]) + (" ..." if len(plan.changed) > 5 else "")
        raise UserError(
            f"{len(plan.changed):,} files in {workshop.place} are not as they were fetched: "
            f"{shown}. Move them away, and the same command fetches them anew."
        )
    return plan


def _check_room(plan: Plan) -> None:
    needed = plan.to_fetch + plan.to_unpack
    if needed > plan.room:
        raise UserError(
            f"{plan.place}: {needed / 1e9:,.2f} GB are needed and {plan.room / 1e9:,.2f} GB are "
            "free. Make room, or choose another folder with paths.data=DIR."
        )


@contextmanager
def _alone(workshop: Workshop, console: Console) -> Iterator[None]:
    """Hold the lock of a corpus's folder."""
    lock = FileLock(workshop.lock)
    try:
        make_folder(workshop.inner)
        lock.acquire(timeout=0)
    except Timeout:
        console.print("Another `raqa prepare` is at work in this folder; waiting for it.")
        lock.acquire()
    except OSError as error:
        raise UserError(_storage(error, workshop)) from None
    try:
        yield
    finally:
        lock.release()


def _work(
    workshop: Workshop, downloads: Downloads, wishes: Wishes, console: Console
) -> list[Record]:
    """Fetch and settle all that is not in place.

    Raises:
        UserError: with the problems of all downloads.
    """
    worker = Worker(workshop, downloads.page, wishes.patience, threading.Event())
    plan = look(workshop.place, downloads)  # the one before us may have done it
    todo = [item for item in plan.items if not item.complete]
    problems = _fetch_all(worker, todo, console)
    failed = {file for file, _ in problems}
    records = [item.record for item in plan.items if item.complete and item.record]
    messages = [text for _, text in problems]
    for item in todo:
        if item.download.file in failed:
            continue
        try:
            with console.status(f"checking and unpacking {escape(item.download.file)}"):
                records.append(worker.settle(item.download))
            print_record(records[-1], console)
        except UserError as error:
            messages += error.problems
        except OSError as error:
            messages.append(_storage(error, workshop))
    if not messages:
        records += _settle_parts(worker, downloads, console)
    if messages:
        raise UserError(messages)
    return records


def _fetch_all(worker: Worker, todo: Sequence[Item], console: Console) -> list[tuple[str, str]]:
    """Fetch files side by side.

    Returns:
        what could not be fetched, each with the reason.

    Raises:
        KeyboardInterrupt: after all have stopped; what has arrived is kept.
    """
    problems = list[tuple[str, str]]()

    def one(item: Item, bars: Bars) -> None:
        download = item.download
        try:
            worker.fetch(download, bars.notice(download.file, download.size))
        except UserError as error:
            problems.extend((download.file, text) for text in error.problems)
        except OSError as error:
            problems.append((download.file, _storage(error, worker.workshop)))
        except StoppedFetchError:
            pass  # what set `stop` is being raised below; what has arrived is kept

    with Bars(console) as bars, ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(one, item, bars) for item in todo]
        try:
            for future in futures:
                future.result()
        except BaseException:
            worker.stop.set()
            raise
    return problems


def _settle_parts(worker: Worker, downloads: Downloads, console: Console) -> list[Record]:
    records = list[Record]()
    for parts in downloads.parts:
        try:
            with console.status(f"unpacking {escape(parts.pattern)}"):
                made = worker.settle_parts(parts)
        except OSError as error:
            raise UserError(_storage(error, worker.workshop)) from None
        for record in made:
            print_record(record, console)
        records += made
    return records


def _storage(error: OSError, workshop: Workshop) -> str:
    """What the user can do about a file that can not be written."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return (
            f"{workshop.place}: the disk is full. Make room, and the same command goes on from "
            "there."
        )
    return f"{workshop.place} can not be written ({error.strerror or error})."


def _version() -> str:
    try:
        return version("raqa")
    except PackageNotFoundError:
        return "from a checkout"
