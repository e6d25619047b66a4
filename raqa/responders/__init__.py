"""Models that others trained: asked in words about recordings, and what they said kept."""
