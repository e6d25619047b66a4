"""Stable pseudo-random numbers for pairs of recording and question, and the ids made of them.

The same on every machine and in every order: a text is hashed once (BLAKE2), and a pair's number
is mixed from its two texts' hashes with the finaliser of SplitMix64 (Steele et al. 2014,
doi:10.1145/2660193.2660195), over whole arrays at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

ID_DIGITS = 20
"""Hexadecimal digits of an id: with nine million, two are the same with a probability of 3e-11."""

_HEX = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), "u1").reshape(256, 2)


def text_keys(texts: Sequence[str]) -> Keys:
    """Hash texts to two numbers each: [texts, 2]."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(digests, ">u8").reshape(-1, 2).astype(np.uint64)


def text_key(*parts: str) -> Keys:
    """Hash one text, given in parts, to two numbers: [2]."""
    key: Keys = text_keys(["\0".join(parts)])[0]
    return key


def mix(numbers: Keys) -> Keys:
    """Scramble numbers one to one, so that near ones end up far apart."""
    mixed = numbers.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def pair(items: Keys, question: np.uint64) -> Keys:
    """A number for every item with one question, both given by one of their two numbers."""
    return mix(items ^ mix(np.array([question]))[0])


def ids(first: Keys, second: Keys) -> pa.StringArray:
    """Write pairs' two numbers as ids of ID_DIGITS hexadecimal digits."""
    rows, width = len(first), ID_DIGITS // 2
    both = np.stack([first, second], axis=1).astype(">u8").view("u1").reshape(rows, 16)
    text = np.ascontiguousarray(_HEX[both[:, :width]])
    offsets = np.arange(rows + 1, dtype=np.int32) * ID_DIGITS
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(text))
