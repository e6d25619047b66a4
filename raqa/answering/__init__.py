"""Heads that answer questions about recordings, and how they are trained."""
