"""A small Pengi that every machine can run."""

from __future__ import annotations

import pytest

from raqa.responders.pengi.model import Pengi
from tests.responders.pengi.small import SmallPengi, network, published, save, save_tokenizers


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallPengi:
    """Its files."""
    folder = tmp_path_factory.mktemp("pengi")
    save_tokenizers(folder)
    tensors = published(network())
    return SmallPengi(folder, tensors, save(tensors, folder / "base.pth"))


@pytest.fixture(scope="session")
def pengi(small: SmallPengi) -> Pengi:
    """The model, loaded; tests do not change it."""
    return small.load()
