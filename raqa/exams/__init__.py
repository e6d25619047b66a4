"""Exams: sets of questions that are only asked, never trained on."""
