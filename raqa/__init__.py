"""raqa: which encoder, head and training regime works on respiratory audio, and by how much."""

__version__ = "0.1.0"
