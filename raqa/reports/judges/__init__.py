"""Judges set beside each other: rules, models and clinicians."""
