"""Waveform to embedding: one file per model family."""
