"""Runs in one process share an encoder and what a corpus read; stale parts are never served."""

from __future__ import annotations

import os
from pathlib import Path

from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.configuration.reuse import read_corpus, reusing_parts
from raqa.corpora.demo import Demo


def _encoder(*overrides: str) -> object:
    return build_node(compose_config(overrides), "encoder")


def test_equal_configs_get_one_encoder_and_others_another() -> None:
    with reusing_parts():
        first = _encoder()
        assert _encoder("head=linear") is first
        assert _encoder("encoder.bands=32") is not first
        assert _encoder() is not first  # only the last one is kept
    assert _encoder() is not _encoder()


def test_equal_corpora_are_read_once(tmp_path: Path) -> None:
    with reusing_parts():
        first = read_corpus(Demo(tmp_path, subjects=10))
        assert read_corpus(Demo(tmp_path, subjects=10)) is first
        assert read_corpus(Demo(tmp_path, subjects=11)) is not first
    assert read_corpus(Demo(tmp_path, subjects=10)) is not first


def test_a_corpus_whose_labels_have_changed_is_read_again(tmp_path: Path) -> None:
    with reusing_parts():
        corpus = Demo(tmp_path, subjects=10)
        first = read_corpus(corpus)
        (labels,) = first.sources
        labels.write_text(labels.read_text().replace("female", "male"))
        os.utime(labels, (1, 1))
        assert read_corpus(corpus).table["sex"].unique().to_list() == ["male"]
