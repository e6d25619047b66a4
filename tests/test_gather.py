"""Embeddings of several corpora as one table of inputs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from raqa.embeddings.extract import Embeddings
from raqa.gather import Embedded
from raqa.tables import set_aside_table


@pytest.mark.parametrize("shape", [(4,), (3, 4)], ids=["vectors", "frames"])
def test_rows_get_the_embeddings_of_their_recordings(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    one, other = (random.normal(size=(2, *shape)).astype(np.float32) for _ in range(2))
    embedded = Embedded(
        {
            "kauh": Embeddings(["a", "b"], one, set_aside_table(), 0, 2),
            "circor": Embeddings(["a", "c"], other, set_aside_table(), 0, 2),
        }
    )
    rows = pl.DataFrame({"corpus": ["circor", "kauh", "circor"], "recording_id": ["c", "a", "a"]})
    assert np.array_equal(embedded.inputs(rows), np.stack([other[1], one[0], other[0]]))
