"""What the numbers of a recipe's report mean, in plain words."""

from raqa.reports.glossary import EXAMS, NUMBERS, QUESTIONS

_BEST = (
    (
        "Best",
        "Every encoder of a row is compared with every other on the same test recordings: errors "
        "are averaged over seeds, subjects drawn again with all their recordings, the p-values of "
        "all pairs of the row corrected together (Holm). Bold are the smallest error and those "
        "that can not be told from it.",
    ),
)
_MARKS = (
    (
        "†",
        "The encoder saw the tested corpus in pre-training, or may have. It is shown, and can not "
        "be the best.",
    ),
    (
        "Random weights",
        "The encoder was never trained. Such numbers show that a table works, and nothing else.",
    ),
    (
        "Collapsed",
        "The predictions of so many seeds, say 2 of 5, hardly spread: the model says nearly the "
        "same for everyone, and its error is that of a constant.",
    ),
    ("Paper", "The published number, and ours minus the published one."),
)
TERMS = (*_BEST, *_MARKS, *(entry for entry in NUMBERS if entry[0] != "Against median"))
"""Term and explanation, where errors of numbers are shown."""

ANSWERS = (
    (
        "Bold",
        "Better than the question prior: the 95 % interval of the difference, on the same "
        "questions and the same drawn subjects, leaves out 0.",
    ),
    *(entry for entry in _MARKS if entry[0] != "Collapsed"),
    *(entry for entry in QUESTIONS if entry[0] != "Against prior"),
)
"""The same where answers to questions are shown."""

EXAM_TERMS = (
    (
        "Bold",
        "The first of two models is better: the 95 % interval of the difference, on the same "
        "questions and the same drawn subjects, leaves out 0.",
    ),
    ("Paper", "The published number, and ours minus the published one."),
    *(entry for entry in EXAMS if not entry[0].startswith("Chance")),
)
"""The same where answers to exams are shown."""
