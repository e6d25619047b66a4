"""Extraction at speed, and the store on disk."""
