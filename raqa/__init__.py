"""raqa: which encoder, head and training regime works on respiratory audio, and by how much.

From Python, two lines give every finished run as a table, and three lines an embedding::

    from raqa import load_encoder, load_results

    results = load_results("runs")  # a polars DataFrame; .to_pandas() makes a pandas one

    encoder = load_encoder("opera_ct")
    vectors = encoder.embed(waveforms, sample_rate=16_000)  # [clips, width]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raqa.configuration.encoder import load_encoder
    from raqa.reports.results import load_results

__version__ = "0.1.0"
__all__ = ["__version__", "load_encoder", "load_results"]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: `import raqa` stays quick."""
    if name == "load_results":
        from raqa.reports.results import load_results

        return load_results
    if name == "load_encoder":
        from raqa.configuration.encoder import load_encoder

        return load_encoder
    raise AttributeError(f"module 'raqa' has no attribute {name!r}")
