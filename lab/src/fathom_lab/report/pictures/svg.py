"""SVG for an HTML page: text is text in the page's font, and colours are the page's CSS variables, so that they follow
its dark or light theme."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib
from matplotlib.figure import Figure

# Placeholders for the page's variables in the output of matplotlib. They are close to the real colours, because a PNG
# keeps them.
_THEME = {
    "#1c2021": "--ink", "#6b7471": "--muted", "#c9cecb": "--line", "#e9ecea": "--band", "#fffffe": "--page",
    "#0072b1": "--series-1", "#d55e01": "--series-2", "#009e72": "--series-3", "#cc79a6": "--series-4",
    "#e69f01": "--series-5", "#56b4e8": "--series-6", "#8a6d3c": "--series-7",
}
INK, MUTED, LINE, BAND, PAGE, *SERIES = _THEME
FONT = 13
LETTER = 7.4  # pixels: upper estimate of the width of a letter at 13 pixels
BOLD = 8.4
PIXEL = 1 / 72  # inches: one pixel is one point of matplotlib

_STYLE: dict[str, Any] = {
    "font.size": FONT, "text.color": INK, "axes.labelcolor": MUTED, "axes.edgecolor": LINE,
    "xtick.color": LINE, "ytick.color": LINE, "xtick.labelcolor": MUTED, "ytick.labelcolor": MUTED,
    "axes.linewidth": 1.0, "axes.spines.top": False, "axes.spines.right": False,
    "svg.fonttype": "none", "svg.hashsalt": "fathom-lab",
    "text.parse_math": False, "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.dpi": 144,
}


@dataclasses.dataclass(frozen=True)
class Picture:
    svg: str
    about: str  # a description for screen readers
    caption: str


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Figures have the page's style, and their SVG is reproducible, while the block lasts."""
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters missing in matplotlib's font; the page's font has them
        yield


def svg(figure: Figure, prefix: str) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _for_a_page(file.getvalue(), prefix)


def _for_a_page(svg: str, prefix: str) -> str:
    """Adapts an SVG file to the page: removes its header and metadata, uses the page's colours, and makes ids unique.
    """
    svg = svg[svg.index("<svg"):]
    for size in ("width", "height"):
        svg = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    tags = re.compile(r"<[^>]*>")
    svg = tags.sub(lambda match: _tag(match[0], prefix), svg)
    return re.sub(r">\s+<", "><", svg)


def _tag(tag: str, prefix: str) -> str:
    """Changes one tag. Text of users is outside of tags and stays unchanged."""
    tag = re.sub(r'( id="|url\(#|href="#)', lambda match: match[1] + prefix, tag)
    tag = re.sub(r"font: [^;\"]*", _font, tag)
    tag = re.sub(r"font-family: [^;\"]*(; )?", "", tag)
    for color, variable in _THEME.items():
        tag = tag.replace(color, f"var({variable})")
    return tag


def _font(match: re.Match[str]) -> str:
    """Replaces the `font` of older versions of matplotlib: keeps size and weight, drops the family."""
    size = re.search(r"[\d.]+px", match[0])
    weight = "; font-weight: 700" if re.search("bold|[67]00", match[0]) else ""
    return f"font-size: {size[0] if size else f'{FONT}px'}{weight}"


def shortened(text: str, letters: int) -> str:
    """Shortens the text, and replaces characters that XML and fonts cannot represent."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return shown if len(shown) <= letters else shown[: max(letters - 1, 1)] + "…"
