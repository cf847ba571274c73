"""What a call gives for many texts at once, as numpy arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from piecework._core import LateColumns

__all__ = ["RaggedIds", "TokenColumns"]


class RaggedIds:
    """The ids of many texts, end to end.

    Attributes:
        ids: uint32 (T,), all texts end to end.
        offsets: int64 (N + 1,); text `i` has `ids[offsets[i]:offsets[i + 1]]`.

    Example:
        >>> from piecework import Tokenizer, models
        >>> ids = Tokenizer(models.BPE({"a": 0, "b": 1}, [])).encode_ids(["ab", "b"])
        >>> ids.ids, ids.offsets, len(ids)
        (array([0, 1, 1], dtype=uint32), array([0, 2, 3]), 2)
        >>> ids[1]
        array([1], dtype=uint32)
    """

    __slots__ = ("ids", "offsets")

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def __init__(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> None:
        self.ids = ids
        self.offsets = offsets

    def __len__(self) -> int:
        """Number of texts."""
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint32]:
        """The ids of a text: a view, not a copy."""
        n = len(self)
        if not -n <= row < n:
            raise IndexError(f"row {row} of {n}")
        row %= n
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.uint32]]:
        """The ids of each text."""
        bounds = self.offsets.tolist()
        return (self.ids[start:end] for start, end in pairwise(bounds))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each text, int64 (N,)."""
        lengths: NDArray[np.int64] = self.offsets[1:] - self.offsets[:-1]
        return lengths

    def tolist(self) -> list[list[int]]:
        """The ids of each text, as lists."""
        return [row.tolist() for row in self]

    def __repr__(self) -> str:
        return f"RaggedIds({len(self)} texts, {len(self.ids)} tokens)"


class TokenColumns:
    """All columns of many texts. Ragged: one array over all tokens. Padded: a matrix, one row a text.

    With T tokens, R rows and L tokens in the longest row:

    Attributes:
        ids: uint32 (T,), or int64 (R, L).
        spans: uint32 (T, 2), or int64 (R, L, 2): start and end in code points of the text; (0, 0) where no text stands.
        type_ids: uint32 (T,), or int64 (R, L).
        word_ids: int32 (T,), or int64 (R, L): number of the word; -1 for special tokens and padding.
        sequence_ids: int8 (T,), or int64 (R, L): 0 or 1; -1 for special tokens and padding.
        special_tokens_mask: uint8 (T,), or int64 (R, L).
        attention_mask: uint8 (T,), or int64 (R, L).
        offsets: int64 (R + 1,): where each row starts in the ragged arrays; the lengths of the rows either way.
        inputs: int64 (R,): the text that each row is of. Rows are the texts in order, unless overflow was asked for.

    Example:
        >>> from piecework import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
        >>> tokenizer.encode_columns(["ab", "b"]).spans
        array([[0, 1],
               [1, 2],
               [0, 1]], dtype=uint32)
        >>> tokenizer.encode_columns(["ab", "b"], padded=True).attention_mask
        array([[1, 1],
               [1, 0]])
    """

    __slots__ = (
        "_late",
        "attention_mask",
        "ids",
        "inputs",
        "offsets",
        "sequence_ids",
        "spans",
        "special_tokens_mask",
        "type_ids",
        "word_ids",
    )

    ids: NDArray[Any]
    spans: NDArray[Any]
    type_ids: NDArray[Any]
    word_ids: NDArray[Any]
    sequence_ids: NDArray[Any]
    special_tokens_mask: NDArray[Any]
    attention_mask: NDArray[Any]
    offsets: NDArray[np.int64]
    inputs: NDArray[np.int64]

    def __init__(self, late: LateColumns | None = None, **columns: NDArray[Any]) -> None:
        self._late = late
        for name, column in columns.items():
            setattr(self, name, column)

    if not TYPE_CHECKING:  # to a type checker there are the columns above and no others

        def __getattr__(self, name: str) -> NDArray[Any]:
            """A column that nobody has read yet."""
            late = None if name == "_late" else getattr(self, "_late", None)
            if late is None or name not in self.__slots__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            column: NDArray[Any] = late.column(name)
            setattr(self, name, column)
            return column

    def __reduce__(self) -> tuple[Any, ...]:
        columns = {name: getattr(self, name) for name in self.__slots__ if name != "_late"}
        return _token_columns, (columns,)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1

    @property
    def is_padded(self) -> bool:
        """Whether the columns are matrices."""
        return self.ids.ndim > 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each row, without the filling of a matrix, int64 (R,)."""
        lengths: NDArray[np.int64] = self.offsets[1:] - self.offsets[:-1]
        return lengths

    def __repr__(self) -> str:
        return f"TokenColumns({len(self)} rows, {int(self.offsets[-1])} tokens{', padded' if self.is_padded else ''})"


def _token_columns(columns: dict[str, NDArray[Any]]) -> TokenColumns:
    return TokenColumns(None, **columns)
