"""The encodings behind the columns of a batch, made when somebody asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.encoding import Encoding

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework._core import Columns


class Alignments:
    """Encodings of the rows of a batch.

    A batch that was asked for ids alone is encoded without spans, which takes half the time. The texts are encoded once
    more if somebody wants to know where a token came from: the program is immutable, so the result is the same.

    Args:
        columns: The columns with spans, or what encodes the batch to them.
        overflow: Whether what truncation cut off comes as rows too.
    """

    __slots__ = ("_columns", "_encodings", "_overflow")

    def __init__(self, columns: Columns | Callable[[], Columns], *, overflow: bool) -> None:
        self._columns = columns
        self._overflow = overflow
        self._encodings: list[Encoding] | None = None

    def encodings(self) -> list[Encoding]:
        """One encoding for each row."""
        if self._encodings is None:
            columns = self._columns() if callable(self._columns) else self._columns
            view = Encoding._view
            self._encodings = [view(columns, row) for row in rows_of(columns, overflow=self._overflow)]
            self._columns = columns  # lets go of the texts
        return self._encodings


def rows_of(columns: Columns, *, overflow: bool) -> list[int] | range:
    """The rows of a batch, with or without what truncation cut off."""
    return range(columns.rows) if overflow else columns.first_rows()
