"""Which results may rest on recordings that the encoder has seen before."""

from __future__ import annotations

import pytest

from raqa.configuration.folder import group_choices
from raqa.encoders.pretraining import footnotes, overlap

OPERA = ("opera_ct", "opera_ce", "opera_gt")


@pytest.mark.parametrize("encoder", OPERA)
@pytest.mark.parametrize("corpus", ["covid19_sounds", "uk_covid19", "coughvid", "icbhi", "hf_lung"])
def test_opera_was_pre_trained_on_five_collections(encoder: str, corpus: str) -> None:
    found = overlap(encoder, corpus)
    assert (found.status, found.mark, found.clean) == ("yes", "†", False)
    assert found.part
    assert "2406.16148" in found.source


@pytest.mark.parametrize("corpus", ["coswara", "cidrz", "kauh"])
def test_opera_is_clean_on_other_corpora(corpus: str) -> None:
    assert all(overlap(encoder, corpus).clean for encoder in OPERA)


def test_hear_on_cidrz_is_flagged_although_it_is_not_certain() -> None:
    found = overlap("hear", "cidrz")
    assert (found.status, found.mark, found.clean) == ("possibly", "†", False)
    assert overlap("hear", "coswara").clean


def test_m2d_resp_may_have_heard_respiratory_corpora() -> None:
    assert not overlap("m2d_resp", "coughvid").clean
    assert overlap("m2d_resp", "cidrz").clean


def test_synthetic_clips_are_clean_for_every_encoder_even_an_unknown_one() -> None:
    assert overlap("hear", "demo").clean
    assert overlap("my_own_encoder", "demo").clean


def test_an_encoder_that_nobody_examined_is_neither_clean_nor_called_guilty() -> None:
    found = overlap("my_own_encoder", "coswara")
    assert (found.status, found.mark, found.clean) == ("not examined", "?", False)


def test_every_shipped_encoder_and_corpus_has_an_entry_or_an_explicit_default() -> None:
    for encoder in group_choices("encoder"):
        for corpus in group_choices("datamodule"):
            found = overlap(encoder, corpus)
            assert found.source, (encoder, corpus)
            assert "no such encoder" not in found.source, encoder


def test_footnotes_explain_each_marked_pair_once() -> None:
    lines = footnotes(
        [("opera_ct", "coughvid"), ("opera_ct", "coswara"), ("opera_ct", "coughvid"),
         ("hear", "cidrz")]
    )  # fmt: skip
    assert len(lines) == 2
    assert lines[0].startswith("† opera_ct was pre-trained on coughvid (coughs")
    assert lines[1].startswith("† hear was possibly pre-trained on cidrz: ")
