"""Judges: who says whether an answer in free text is right.

Rules decide what can be read: letters, labels, numbers. A language model judges the rest by a
rubric. What a judge could not judge is unscored with the reason, which is not wrong.
"""
