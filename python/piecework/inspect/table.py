"""Tables for terminals that need nothing but text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDEST_CELL = 60
_NUMBER = re.compile(r"-?[\d,]+(\.\d+)?%?")
# Controls, and what changes the direction or the form of text around it, would garble a line.
_ESCAPED = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")


class Table(NamedTuple):
    """Rows of text under a title."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def is_numeric(self, column: int) -> bool:
        """Whether there are only numbers in a column."""
        cells = [row[column] for row in self.rows if row[column]]
        return bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)

    def text(self) -> str:
        """The table as lines; a cell that is too wide goes on below."""
        cells = [[_fold(printable(cell)) for cell in row] for row in [self.columns, *self.rows]]
        widths = [max(_width(line) for row in cells for line in row[i]) for i in range(len(self.columns))]
        numeric = [self.is_numeric(i) for i in range(len(self.columns))]
        lines = [printable(self.title)]
        for number, row in enumerate(cells):
            for at in range(max(len(cell) for cell in row)):
                shown = [cell[at] if at < len(cell) else "" for cell in row]
                gaps = [" " * (width - _width(part)) for part, width in zip(shown, widths, strict=True)]
                padded = [gap + s if right else s + gap for s, gap, right in zip(shown, gaps, numeric, strict=True)]
                lines.append(f"  {'  '.join(padded)}".rstrip())
            if number == 0:
                lines.append(f"  {'  '.join('─' * width for width in widths)}")
        return "\n".join(lines)


def printable(text: str) -> str:
    """The text with a code in the place of each character that would not show as itself."""
    return "".join(_code(c) if unicodedata.category(c) in _ESCAPED else c for c in text)


def symbols(*texts: str, gap: str = " ") -> str:
    """Texts side by side, with a sign for each blank in them."""
    return gap.join(text.replace(" ", "␣") for text in texts)


def _code(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    return known or f"\\u{{{ord(character):x}}}"


def _width(text: str) -> int:
    """Columns that a terminal takes for a text."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _fold(text: str) -> list[str]:
    lines, width = [""], 0
    for character in text:
        own = _width(character)
        if width + own > _WIDEST_CELL:
            lines.append("")
            width = 0
        lines[-1] += character
        width += own
    return lines


def texts(tables: Sequence[Table]) -> str:
    """Several tables, one below the other."""
    return "\n\n".join(table.text() for table in tables)
