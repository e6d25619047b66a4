"""What each number of a report means, in plain words: term and explanation."""

_COUNTED = (
    "n",
    "Recordings, with people in brackets. With fewer than 50 people the intervals are too "
    "narrow to be relied on.",
)
_INTERVAL = (
    "95 % interval",
    "Where the number would probably lie if other people had been tested with the same trained "
    "models. People are drawn again with all their recordings, so that someone with many "
    "recordings does not make it look more certain than it is.",
)
NUMBERS = (
    (
        "MAE",
        "Mean absolute error: how far a prediction is from the truth on average, in the unit of "
        "the task. Smaller is better. Shown as mean ± standard deviation over seeds; a seed is one "
        "training, started with random numbers of its own.",
    ),
    _INTERVAL,
    (
        "Median",
        "The error of always saying the median of the training labels, the best one can do "
        "without listening. This is the baseline.",
    ),
    (
        "Against median",
        "The model's MAE minus the median's on the same recordings; below 0 the model is better. "
        "It is called above the median only where the whole 95 % interval lies below 0.",
    ),
    (
        "Mean, MAD",
        "The error of always saying the training mean, and the mean absolute deviation of all "
        "labels from their mean, as papers report it. Both are usually easier to beat.",
    ),
    (
        "R²",
        "The share of the labels' variance that the predictions explain: 1 is perfect, 0 no better "
        "than the mean of the test labels.",
    ),
    (
        "Spearman",
        "Whether predictions put recordings in the right order: 1 perfectly, 0 not at all.",
    ),
    (
        "Spread",
        "Standard deviation of the predictions over that of the labels. Near 0 the model says "
        "nearly the same for everyone.",
    ),
    (
        "Bias",
        "Mean of prediction minus truth: above 0 the model says too much, below 0 too little.",
    ),
    _COUNTED,
)
"""Of runs that predict a number."""

CLASSES = (
    (
        "AUROC",
        "Area under the ROC curve: how often a recording that has the class is given a higher "
        "probability than one that has not; 0.5 is chance, 1 perfect. With two classes it is that "
        "of the last one, with more the mean of each class against the rest. Shown as mean ± "
        "standard deviation over seeds; a seed is one training, started with random numbers of "
        "its own.",
    ),
    _INTERVAL,
    (
        "Cross-entropy",
        "How surprised the model is at the truth on average: the negative logarithm of the "
        "probability that it gave the true class, in nat. Smaller is better.",
    ),
    (
        "Prior",
        "The cross-entropy of always saying how frequent the classes are in training, the best "
        "one can do without listening. This is the baseline.",
    ),
    (
        "Against prior",
        "The model's cross-entropy minus the prior's on the same recordings; below 0 the model is "
        "better. It is called above the prior only where the whole 95 % interval lies below 0.",
    ),
    (
        "AUPRC",
        "Area under the curve of precision and recall; chance is the share of the class among "
        "the test recordings.",
    ),
    (
        "Macro-F1, balanced accuracy",
        "F1 and recall of the most probable class, averaged over the classes that the test side "
        "has, so that a rare class counts as much as a frequent one.",
    ),
    (
        "Calibration error",
        "How far the predicted class's probability is from how often it is right: predictions "
        "are sorted into 15 equal bins by their probability, and distances averaged. 0 is best.",
    ),
    _COUNTED,
)
"""Of runs that predict classes."""

QUESTIONS = (
    (
        "Macro-F1",
        "F1 of every answer that occurs, averaged so that a rare one counts as much as a frequent "
        "one; computed for each corpus, attribute and question type by itself and then averaged. "
        "Unreadable and refused answers are wrong. Groups in which all are answered alike tell "
        "nothing and are left out. Shown as mean ± standard deviation over seeds.",
    ),
    _INTERVAL,
    (
        "Prior",
        "What comes of giving the most frequent training answer to each question without "
        "listening. This is the baseline.",
    ),
    (
        "Against prior",
        "The model's error minus the prior's on the same questions, the error being 1 − balanced "
        "accuracy (or the relative MAE where all answers are numbers); below 0 the model is "
        "better. Guessing at random does not gain on it, as it does in macro-F1. It is called "
        "above the prior only where the whole 95 % interval lies below 0.",
    ),
    (
        "Relative MAE",
        "Mean absolute error of a number divided by that of the training median, averaged over "
        "attributes; below 1 is better than the median. An answer without a number counts as the "
        "number farthest from the truth within the training range.",
    ),
    (
        "BERTScore",
        "How alike the words of answer and right answer are to a language model. Fluent wrong "
        "answers score high; compare it only among models that word their answers alike.",
    ),
    (
        "Unreadable, refused",
        "Answers in which no single label or number could be found, and answers that decline. "
        "An answer that never came back is neither: it makes the run incomplete.",
    ),
    _COUNTED,
)
"""Of runs that answer questions."""

EXAMS = (
    (
        "Accuracy",
        "The mean score of all answers that have one, each counting once: 1 for a right choice, "
        "label or statement, 0 for a wrong, unreadable or refused one, and between 0 and 1 for an "
        "open answer, (mean of its four grades − 1) ÷ 2.",
    ),
    _INTERVAL,
    (
        "Chance, against chance",
        "How often guessing evenly among the options would be right; only choices have it. A model "
        "is called above chance only where the whole 95 % interval of the difference over choices "
        "lies on that side.",
    ),
    (
        "1–3",
        "The mean of what a judge gave open answers for correctness, relevance, completeness and "
        "clarity.",
    ),
    (
        "ROUGE-L, BERTScore",
        "How alike the words of an answer and of its reference are, and their meaning to a "
        "language model. A fluent wrong answer scores high: neither says whether it is right.",
    ),
    (
        "Unscored",
        "Nothing came back for the question, or the judge failed on the answer. Such answers are "
        "neither right nor wrong: they are left out, counted, and named with the reason.",
    ),
    _COUNTED,
)
"""Of runs that sat an exam."""
