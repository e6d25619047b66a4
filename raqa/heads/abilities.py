"""What heads of every kind say of themselves; no heavy library is needed to read it."""

from __future__ import annotations

from typing import ClassVar


class Abilities:
    """What a head can do beside its task, looked at before anything is computed.

    Attributes:
        takes_frames: whether an embedding may be one vector for every step of time.
        several_devices: whether training on more than one device is worth it.
        uses_embeddings: whether it is given embeddings at all; else no encoder is needed, and
            which one was chosen is no part of a run.
        learns: whether anything is learnt; else its questions need a test side only.
        variant: what a run's name adds to the head's, where the choice alone does not tell it.
    """

    takes_frames: ClassVar[bool] = False
    several_devices: ClassVar[bool] = False
    uses_embeddings: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    variant: ClassVar[str] = ""

    def check(self) -> None:
        """Look for what it needs beside the settings, before any work.

        Raises:
            UserError: something is missing; says what and how to get it.
        """
