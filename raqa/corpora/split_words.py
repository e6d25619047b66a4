"""The words that tables use for the three sides of a split."""

from __future__ import annotations

SPLIT_WORDS = {
    **dict.fromkeys(("train", "training", "tr"), "train"),
    **dict.fromkeys(("validation", "val", "valid", "dev", "development"), "validation"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}
"""Lower-case word to side."""
