"""Text in HTML so that every character of it can be seen."""

from __future__ import annotations

import unicodedata
from html import escape

# Joiners make one picture, or one form of a word, of what stands around them.
_JOINERS = "\u200c\u200d"
_SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}


def direction(text: str) -> str:
    """The direction that a text is read in: that of its first letter that has one."""
    strong = (unicodedata.bidirectional(c) for c in text)
    return "rtl" if next((d for d in strong if d in ("L", "R", "AL")), "L") != "L" else "ltr"


def in_box(text: str) -> str:
    """The text for a box of its own: white space as signs, and nothing that acts on what stands around."""
    shown = "".join(_in_box(text, at) for at in range(len(text)))
    # A mark that stands alone needs something to stand on.
    return f"◌{shown}" if text and unicodedata.category(text[0]).startswith("M") else shown


def _in_box(text: str, at: int) -> str:
    sign = _SIGNS.get(text[at])
    return f"<i>{sign}</i>" if sign else _character(text, at)


def in_line(text: str) -> str:
    """The text for a line of running text: white space stays as it is."""
    return "".join(
        "<i>↵</i>\n" if c == "\n" else c if c in " \t" else _character(text, at) for at, c in enumerate(text)
    )


def _character(text: str, at: int) -> str:
    c = text[at]
    is_inside = 0 < at < len(text) - 1
    if c in _JOINERS and is_inside:
        return c
    # Controls, and what turns the direction of the text: its code. U+E0000 and up are tags of flags.
    if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and not (c >= "\U000e0000" and is_inside):
        return f"<i>U+{ord(c):04X}</i>"
    return escape(c)
