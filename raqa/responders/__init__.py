"""Models that others trained, asked questions about recordings."""
