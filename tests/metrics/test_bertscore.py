"""BERTScore is that of the package bert-score, however few sentences are embedded."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from raqa.errors import UserError
from raqa.metrics import bertscore
from raqa.metrics.bertscore import BertScorer

WORDS = ["yes", "no", "the", "patient", "has", "does", "not", "have", "asthma", "a", "cough", "is",
         "dry", "wet", "42", "years", "old", "."]  # fmt: skip
LONGEST = 24
PAIRS = [
    ("yes the patient has asthma .", "yes the patient has asthma ."),
    ("no the patient does not have asthma .", "yes the patient has asthma ."),
    ("the cough is wet .", "the cough is dry ."),
    ("42", "the patient is 42 years old ."),
    ("asthmatic", "the patient has asthma ."),
    ("yes the patient has asthma .", "no the patient does not have asthma ."),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a WordPiece tokenizer, made on the spot, as a folder of transformers."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("t5-in-its-path")  # bert-score would take this for a T5
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "##tic", "asthma", "##s"]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=LONGEST)
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
            intermediate_size=16, max_position_embeddings=LONGEST, initializer_range=0.5,
        )  # fmt: skip
        BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def scorer(tiny: Path) -> BertScorer:
    return BertScorer(str(tiny), num_layers=2)


def by_the_package(tiny: Path, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Precision, recall and F1 `[pairs, 3]`, pair by pair, so that nothing is padded."""
    from bert_score import BERTScorer

    plain = tiny.parent / "tiny-bert"
    if not plain.exists():
        plain.symlink_to(tiny)
    assert "t5" not in plain.name
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.chdir(plain.parent)
        package = BERTScorer(model_type=plain.name, num_layers=2, device="cpu")
        return np.array(
            [[float(one) for one in package.score([said], [wanted])] for said, wanted in pairs]
        )


def test_scores_are_those_of_the_package(tiny, scorer):
    scores = scorer.score(*zip(*PAIRS, strict=True))
    ours = np.stack([scores.precision, scores.recall, scores.f1], axis=1)
    np.testing.assert_allclose(ours, by_the_package(tiny, PAIRS), atol=1e-4)
    assert np.ptp(scores.f1) > 0.05  # the pairs do differ
    assert scores.f1[0] == pytest.approx(1)


def test_a_pair_scores_the_same_whatever_stands_beside_it(scorer, monkeypatch):
    many = [PAIRS[place % len(PAIRS)] for place in range(40)]
    together = scorer.score(*zip(*many, strict=True)).f1
    monkeypatch.setattr(bertscore, "_TOKENS", 8)
    monkeypatch.setattr(bertscore, "_HELD", 1)
    monkeypatch.setattr(bertscore, "_PAIRS", 1)
    alone = np.concatenate([scorer.score([said], [wanted]).f1 for said, wanted in PAIRS])
    np.testing.assert_allclose(together, alone[np.arange(40) % len(PAIRS)], atol=1e-5)


def test_every_distinct_sentence_is_embedded_once(scorer, monkeypatch):
    seen: list[str] = []
    embed = BertScorer._embed
    monkeypatch.setattr(
        BertScorer,
        "_embed",
        lambda self, texts, known: (seen.extend(texts), embed(self, texts, known))[1],
    )
    pairs = [pair for pair in PAIRS for _ in range(50)]
    scorer.score(*zip(*pairs, strict=True))
    assert sorted(seen) == sorted({text for pair in PAIRS for text in pair})


def test_empty_texts_score_0_and_are_counted(scorer):
    scores = scorer.score(["", "  ", "yes"], ["yes", "yes", ""])
    assert scores.f1.tolist() == [0, 0, 0]
    assert scores.empty.tolist() == [True, True, False]


def test_long_texts_are_truncated_as_the_package_does_and_counted(tiny, scorer):
    long = "asthma " * 40
    exact = "asthma " * (LONGEST - 2)
    scores = scorer.score([long, exact, "yes"], ["yes"] * 3)
    assert scores.truncated.tolist() == [True, False, False]
    expected = by_the_package(tiny, [(long, "yes")])[0, 2]
    assert scores.f1[0] == pytest.approx(expected, abs=1e-4)


def test_a_model_without_a_baseline_is_not_rescaled_and_the_reason_is_given(scorer):
    assert scorer.score(["yes"], ["no"]).rescaled is None
    assert "no baseline file" in scorer.no_baseline


def test_a_baseline_of_the_package_is_found_by_the_name_of_the_model():
    assert BertScorer("roberta-large").no_baseline is None


def test_a_model_with_a_baseline_is_rescaled_as_the_package_does(scorer, monkeypatch, tmp_path):
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.2,0.2\n2,0.3,0.3,0.3\n", encoding="utf-8")
    monkeypatch.setattr(BertScorer, "_baseline_file", file)
    scores = scorer.score(["the cough is dry ."], ["the cough is wet ."])
    np.testing.assert_allclose(scores.rescaled, (scores.f1 - 0.3) / 0.7, rtol=1e-5)


def test_layers_are_those_that_the_package_found_best_or_must_be_given(tiny):
    assert BertScorer("roberta-large").layers == 17
    with pytest.raises(UserError, match="num_layers"):
        BertScorer(str(tiny)).score(["yes"], ["no"])
    with pytest.raises(UserError, match="has 3 layers; num_layers=9"):
        BertScorer(str(tiny), num_layers=9).score(["yes"], ["no"])


def test_a_model_that_is_not_there_is_the_users_mistake(tmp_path):
    with pytest.raises(UserError, match="bertscore.model="):
        BertScorer(str(tmp_path), num_layers=1).score(["yes"], ["no"])
