"""Heads that answer questions about recordings."""
