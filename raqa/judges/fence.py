"""Quoting what others wrote in a prompt, so that nothing in it can end the quotation.

A quotation is one line: a JSON string in which signs that steer a reader are spelt out. Around it
stand marks that nobody who wrote it could know, because they are a hash of what is quoted.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata

_SPELT_OUT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are invisible, turn text around or break lines."""
_TOKENS = frozenset("<>[]")
"""What the marks of chat templates are made of: <|im_end|>, </s>, [/INST]."""


def quoted(text: str, longest: int) -> str:
    """A text as one line between double quotes, and how much of it that is where it was cut.

    Letters of every language stay as they are; control and format signs, line ends, and the
    brackets of which chat templates make their marks are spelt out (\\u003c).

    Args:
        longest: characters of `text` that are quoted.
    """
    line = "".join(_safe(sign) for sign in json.dumps(text[:longest], ensure_ascii=False))
    cut = len(text) - longest
    return line if cut <= 0 else f"{line} (cut: {longest:,} of {len(text):,} characters)"


def _safe(sign: str) -> str:
    if sign in _TOKENS or unicodedata.category(sign) in _SPELT_OUT:
        units = sign.encode("utf-16-be", errors="surrogatepass")
        return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    return sign


def mark(*texts: str) -> str:
    """A word of twelve letters that stands in none of the texts: the same for the same texts.

    It is a hash of them, so that a text that holds its own mark can not be written, short of
    trying 10^16 of them; should one hold it, the next hash is taken.
    """
    everything = "\0".join(texts)
    for attempt in range(len(everything) + 2):
        digest = hashlib.blake2b(
            f"{attempt}\0{everything}".encode(errors="surrogatepass"), digest_size=6
        ).digest()
        word = "".join(chr(ord("a") + half) for byte in digest for half in divmod(byte, 16))
        if word not in everything.casefold():
            return word
    raise AssertionError("a text has fewer words of twelve letters than it has letters")
