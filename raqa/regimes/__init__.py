"""Recordings in, folds out."""
