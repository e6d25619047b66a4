"""What each number of a report means, in plain words."""

GLOSSARY = (
    (
        "MAE",
        "Mean absolute error: how far a prediction is from the truth on average, in the unit of "
        "the task. Smaller is better. Shown as mean ± standard deviation over seeds; a seed is one "
        "training, started with random numbers of its own.",
    ),
    (
        "95 % interval",
        "Where the MAE would probably lie if other people had been tested with the same trained "
        "models. People are drawn again with all their recordings, so that someone with many "
        "recordings does not make it look more certain than it is.",
    ),
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
    (
        "n",
        "Recordings, with people in brackets. With fewer than 50 people the intervals are too "
        "narrow to be relied on.",
    ),
)
"""Term and explanation."""
