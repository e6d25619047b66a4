"""A corpus that is read once, for processes that do many runs on it."""

from __future__ import annotations

from pathlib import Path

from raqa.corpora.base import Corpus, Recordings

Times = dict[Path, tuple[int, int]]


class ReadOnce(Corpus):
    """Passes everything on to a corpus, and keeps what it read while its label tables stay."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.name, self.title, self.licence = corpus.name, corpus.title, corpus.licence
        self.how_to_get, self.synthetic = corpus.how_to_get, corpus.synthetic
        self.attributes = corpus.attributes
        self._read: tuple[Times, Recordings] | None = None

    def read(self) -> Recordings:
        """Read, or return what was read before, unless a label table has another size or time."""
        if self._read is not None:
            times, recordings = self._read
            if times == _times(recordings):
                return recordings
        recordings = self._corpus.read()
        self._read = (_times(recordings), recordings)
        return recordings

    @property
    def subject_known(self) -> bool:
        """As the corpus says."""
        return self._corpus.subject_known

    @property
    def place(self) -> Path | None:
        """As the corpus says."""
        return self._corpus.place

    def notes(self) -> tuple[str, ...]:
        """As the corpus says."""
        return self._corpus.notes()


def _times(recordings: Recordings) -> Times:
    """Size and time of every label table; a table that is gone is like no other."""
    try:
        facts = {path: path.stat() for path in recordings.sources}
    except FileNotFoundError:
        return {}
    return {path: (one.st_size, one.st_mtime_ns) for path, one in facts.items()}
