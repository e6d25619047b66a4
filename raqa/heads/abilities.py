"""What heads of every kind say of themselves; no heavy library is needed to read it."""

from __future__ import annotations

from typing import ClassVar


class Abilities:
    """What a head can do beside its task, looked at before anything is computed.

    Attributes:
        takes_frames: whether an embedding may be one vector for every step of time.
        several_devices: whether training on more than one device is worth it.
    """

    takes_frames: ClassVar[bool] = False
    several_devices: ClassVar[bool] = False
