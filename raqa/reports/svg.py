"""Figures as SVG inside a page: no fixed size, colours that follow the page's theme."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from raqa.reports.plots import BASELINE, INK, LINE, MODEL, MUTED, WATERMARK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_THEME = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    MODEL: "var(--model)",
    BASELINE: "var(--baseline)",
    WATERMARK: "var(--alarm)",
}


def inline_svg(figure: Figure, *, name: str, description: str) -> str:
    """Draw a figure as an `<svg>` element for a page.

    Args:
        name: different for every figure of a page, so that their inner ids do not clash.
        description: read aloud in place of the picture.
    """
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        # A date would make two equal reports differ.
        figure.savefig(
            buffer,
            format="svg",
            transparent=True,
            dpi=200,
            metadata={"Date": None, "Creator": None},
        )
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", buffer.getvalue(), flags=re.S)
    svg = re.sub(r" ?font-family: [^;\"]*;", "", svg[svg.index("<svg") :])
    svg = _without_idle_ids(svg.replace("xlink:href", "href"))
    for colour, variable in _THEME.items():
        svg = svg.replace(colour, variable)
    head = (
        f'<svg class="plot" style="--inches: {figure.get_figwidth():g}" role="img"'
        f' aria-label="{html.escape(description)}" viewBox='
    )
    return re.sub(
        r'<svg [^>]*?viewBox=("[^"]+")[^>]*>', lambda match: f"{head}{match[1]}>", svg, count=1
    )


def _without_idle_ids(svg: str) -> str:
    used = set(re.findall(r"#([\w-]+)", svg))
    return re.sub(
        r' id="([^"]+)"', lambda match: match.group(0) if match.group(1) in used else "", svg
    )
