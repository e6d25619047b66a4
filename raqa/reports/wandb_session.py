"""Begin and end a run of Weights & Biases so that nothing about the service harms what it shows.

Where the service can not be reached, the run is kept in files, as with offline mode, and pushed
later (reports/wandb_push.py).
"""

from __future__ import annotations

import os
import ssl
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.reports.wandb_attempts import note_end
from raqa.reports.wandb_log import wait_for_end

Mode = Literal["online", "offline"]

PROBE_S = 5.0
"""How long the service may take to answer at all before it counts as unreachable."""

INIT_S = 30.0
"""How long beginning a run may take; the library's own limit is 90."""

FINISH_S = 120.0
"""How long sending the rest at the end may take; the library's own limit is none."""

RANKS = ("SLURM_PROCID", "RANK", "LOCAL_RANK")
"""A process's number among those of one run, as Slurm, torchrun and Lightning say it."""

_said: set[str] = set()


@dataclass
class Session:
    """A run of Weights & Biases that is open.

    Attributes:
        run: the library's.
        offline: it goes to files.
    """

    run: Any
    offline: bool

    def close(self, exit_code: int) -> None:
        """End it; what could not be sent in time stays in its files and is pushed later.

        Args:
            exit_code: 0 is a finished run, anything else a failed one.
        """
        folder = Path(self.run.dir).parent
        to_be_pushed = self.offline
        try:
            self.run.finish(exit_code=exit_code)
            if self.offline:
                wait_for_end(folder / f"run-{self.run.id}.wandb")
        except Exception as error:  # whatever it is, the result is in the run folder
            to_be_pushed = True
            _say_kept(f"not everything was sent ({first_line(error)})", folder.parent)
        if to_be_pushed:
            note_end(folder, exit_code)


def begin(mode: Mode, folder: Path, *, resume: bool, **described: Any) -> Session | None:
    """Begin a run; offline where the service can not be reached, None where even that fails.

    Says why on standard error, once in a process.

    Args:
        folder: its subfolder ``wandb`` gets W&B's own files.
        resume: online, continue the run of this id instead of overwriting it.
        described: arguments of ``wandb.init``: project, id, config, ...
    """
    reason = unreachable() if mode == "online" else None
    if reason is None:
        try:
            return Session(_init(mode, folder, resume, described), mode == "offline")
        except Exception as error:  # of many kinds; none of them may cost the run
            reason = first_line(error)
            _forget_service()
    if mode == "offline":
        say_once(f"Weights & Biases does not follow this run ({reason}); its result is complete.")
        return None
    _say_kept(reason, folder / "wandb")
    return begin("offline", folder, resume=False, **described)


def require_key(asked: str) -> None:
    """Refuse to go online without a key; the library would stop and ask for one.

    Args:
        asked: what the user typed, for the message.

    Raises:
        UserError: no key was found in the environment or where `wandb login` leaves it, or it
            can not be one.
    """
    _library()
    import wandb

    try:
        found = wandb.login(prompt=False, verify=False)
    except wandb.errors.AuthenticationError as error:  # its message does not show the key
        raise UserError(f"{asked}: {first_line(error)}") from error
    if not found:
        raise UserError(
            f"{asked}: no key for Weights & Biases. Run `wandb login` once, set WANDB_API_KEY, "
            "or choose logger=wandb_offline and push later with `raqa wandb push`."
        )


def unreachable() -> str | None:
    """Why the service does not answer, in one line; None: it does, whatever it answers."""
    url = service_url()
    try:
        with urllib.request.urlopen(url, timeout=PROBE_S):
            return None
    except urllib.error.HTTPError:  # an answer
        return None
    except (OSError, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLError):  # the library brings certificates of its own
            return None
        return f"{url} can not be reached: {first_line(cause)}"


def service_url() -> str:
    """Where the service is; WANDB_BASE_URL names another one."""
    return str(_library().settings.base_url)


def first_process() -> bool:
    """Whether this is the one process of a run that speaks for all of them."""
    return all(os.environ.get(name, "0") in {"", "0"} for name in RANKS)


def say_once(text: str) -> None:
    """Print a line on standard error, unless this process has printed one like it."""
    if text not in _said:
        _said.add(text)
        print(text, file=sys.stderr, flush=True)


def first_line(error: object) -> str:
    """The first line of an error's message, or its kind."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _say_kept(reason: str, files: Path) -> None:
    say_once(f"Weights & Biases: {reason}. Kept below {files}; `raqa wandb push` sends it later.")


def _init(mode: Mode, folder: Path, resume: bool, described: dict[str, Any]) -> Any:
    import wandb

    make_folder(folder)
    _library()
    return wandb.init(
        **described,
        dir=str(folder),
        mode=mode,
        resume="allow" if resume and mode == "online" else None,
        reinit="finish_previous",
        settings=wandb.Settings(
            silent=True,
            console="off",
            save_code=False,
            disable_git=True,  # provenance has the commit; a remote's address can hold a password
            init_timeout=INIT_S,
            finish_timeout=FINISH_S,
            finish_timeout_raises=True,
        ),
    )


def _library() -> Any:
    """The library set up to be silent, also about where it found the key."""
    import wandb

    return wandb.setup(settings=wandb.Settings(silent=True))


def _forget_service() -> None:
    """End the library's background process, which takes the id of a failed run for used."""
    import wandb

    wandb.teardown()
