"""How a run that was asked to stop ends; no heavy library is needed to catch it."""

from __future__ import annotations


class StoppedError(BaseException):
    """The run stopped because it was asked to; the same run started again goes on.

    Like KeyboardInterrupt it is no Exception: nothing that goes on after an error, such as the
    next cell of a sweep or the next file of a corpus, shall go on after it.
    """
