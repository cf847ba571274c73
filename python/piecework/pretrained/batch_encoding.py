"""What a tokenizer gives for a call: columns by name, and where every token came from."""

from __future__ import annotations

import logging
from collections import UserDict
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.encoding import Encoding
from piecework.pretrained import _tensors
from piecework.pretrained._alignments import Alignments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

__all__ = ["BatchEncoding", "CharSpan", "TokenSpan"]

logger = logging.getLogger(__name__)


class CharSpan(NamedTuple):
    """Code points of a text: the first, and one past the last.

    Example:
        >>> from piecework.pretrained import CharSpan
        >>> "some text"[slice(*CharSpan(5, 9))]
        'text'
    """

    start: int
    end: int


class TokenSpan(NamedTuple):
    """Tokens of a text: the first, and one past the last.

    Example:
        >>> from piecework.pretrained import TokenSpan
        >>> list(range(*TokenSpan(1, 3)))
        [1, 2]
    """

    start: int
    end: int


class BatchEncoding(UserDict[str, Any]):
    """The columns of a call (`input_ids`, ...), and for each row the look-ups between tokens, words and text.

    Look-ups take the row first and may leave it out, which means row 0: `token_to_word(row, token)` or
    `token_to_word(token)`. Negative rows, tokens and words count from the end.

    Args:
        data: The columns.
        encoding: The encoding of each row, or one for a single row.
        tensor_type: Turn the columns into arrays: `np` or `pt`.
        prepend_batch_axis: Whether each column gets one more axis in front then.
        n_sequences: 1, or 2 for pairs; by default that of the first encoding.

    Example:
        >>> from piecework import BatchEncoding
        >>> batch = BatchEncoding({"input_ids": [[5, 6]]}, tensor_type="np")
        >>> batch.input_ids
        array([[5, 6]])
    """

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        encoding: Encoding | Sequence[Encoding] | None = None,
        tensor_type: object = None,
        prepend_batch_axis: bool = False,
        n_sequences: int | None = None,
    ) -> None:
        self._alignments: Alignments | list[Encoding] | None = None
        if encoding is not None:
            self._alignments = [encoding] if isinstance(encoding, Encoding) else list(encoding)
        self._n_sequences = n_sequences
        self._tokenizer: Any = None
        """The tokenizer that made the batch; `piecework.tasks` asks it for the texts of tokens."""
        super().__init__(data)
        self.convert_to_tensors(tensor_type, prepend_batch_axis)

    @classmethod
    def _made(cls, data: dict[str, Any], alignments: Alignments, tokenizer: object) -> Self:
        """The result of a call."""
        batch = cls.__new__(cls)
        batch.data = data
        batch._alignments = alignments
        batch._n_sequences = None
        batch._tokenizer = tokenizer
        return batch

    # -----------------------------------------------------------------------------------------------------------------
    # Columns

    def __getitem__(self, item: Any) -> Any:
        """A column by name, the encodings of rows by number or slice; without encodings a slice of all columns."""
        if isinstance(item, str):
            return self.data[item]
        encodings = self.encodings
        if encodings is not None:
            return encodings[item]
        if isinstance(item, slice):
            return {name: column[item] for name, column in self.data.items()}
        raise KeyError(f"`{item!r}`: expected the name of a column, a slice, or (with encodings) the number of a row")

    def __getattr__(self, name: str) -> Any:
        """A column as an attribute."""
        if name == "data" or name not in self.data:
            raise AttributeError(f"there is no column `{name}`")
        return self.data[name]

    @property
    def encodings(self) -> list[Encoding] | None:
        """The encoding of each row, if they are known."""
        if isinstance(self._alignments, Alignments):
            self._alignments = self._alignments.encodings()
        return self._alignments

    @property
    def is_fast(self) -> bool:
        """Whether the encodings are known, and so the look-ups work."""
        return self._alignments is not None

    @property
    def n_sequences(self) -> int | None:
        """1 for texts, 2 for pairs, None if it is not known."""
        if self._n_sequences is None and self.encodings:
            self._n_sequences = self.encodings[0].n_sequences
        return self._n_sequences

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "encodings": self.encodings, "n_sequences": self.n_sequences}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.data = state["data"]
        self._alignments = state["encodings"]
        self._n_sequences = state["n_sequences"]
        self._tokenizer = None

    # -----------------------------------------------------------------------------------------------------------------
    # Tensors

    def convert_to_tensors(self, tensor_type: object = None, prepend_batch_axis: bool = False) -> Self:
        """Turn lists into arrays, in place; columns that are arrays already stay.

        Args:
            tensor_type: `np` for numpy, `pt` for torch, None for nothing.
            prepend_batch_axis: Whether each column gets one more axis in front.

        Raises:
            ValueError: The rows of a column have different lengths (only torch minds).
        """
        kind = _tensors.tensor_type(tensor_type)
        if kind is None:
            return self
        for name, column in self.data.items():
            value = [column] if prepend_batch_axis else column
            if _tensors.is_tensor(kind, value):
                continue
            try:
                self.data[name] = _tensors.to_tensor(kind, value)
            except (ValueError, TypeError, RuntimeError) as error:
                raise ValueError(
                    f"no tensor can be made of `{name}`: its rows have different lengths or are no numbers; "
                    "padding=True and truncation=True make rows of one length"
                ) from error
        return self

    def to(self, device: Any, *, non_blocking: bool = False) -> Self:
        """Move tensors of torch to a device, in place.

        Args:
            device: A device, its name or its number.
            non_blocking: Whether the call may return before the copy is done.
        """
        if not (isinstance(device, (str, int)) or type(device).__name__ == "device"):
            logger.warning("a batch can be moved to a device only, not to %s", device)
            return self
        self.data = {
            name: column.to(device=device, non_blocking=non_blocking)
            if callable(getattr(column, "to", None))
            else column
            for name, column in self.data.items()
        }
        return self

    # -----------------------------------------------------------------------------------------------------------------
    # Rows

    def _row(self, index: int, what: str) -> Encoding:
        encodings = self.encodings
        if not encodings:
            raise ValueError(f"{what}() needs the encodings of a batch, and this one has none")
        return encodings[index]

    def tokens(self, batch_index: int = 0) -> list[str]:
        """The tokens of a row."""
        return self._row(batch_index, "tokens").tokens

    def word_ids(self, batch_index: int = 0) -> list[int | None]:
        """The number of the word that each token of a row belongs to; None for special tokens."""
        return self._row(batch_index, "word_ids").word_ids

    def sequence_ids(self, batch_index: int = 0) -> list[int | None]:
        """For each token of a row 0 or 1, the text that it belongs to; None for special tokens."""
        return self._row(batch_index, "sequence_ids").sequence_ids

    # -----------------------------------------------------------------------------------------------------------------
    # From tokens to words and text, and back

    def token_to_sequence(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """The text of a pair that a token belongs to."""
        row, token = self._token(batch_or_token_index, token_index, "token_to_sequence")
        return None if token < 0 else row.token_to_sequence(token)

    def token_to_word(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """The word that a token belongs to."""
        row, token = self._token(batch_or_token_index, token_index, "token_to_word")
        return None if token < 0 else row.token_to_word(token)

    def token_to_chars(self, batch_or_token_index: int, token_index: int | None = None) -> CharSpan | None:
        """The span of a token; None for special tokens."""
        row, token = self._token(batch_or_token_index, token_index, "token_to_chars")
        span = None if token < 0 else row.token_to_chars(token)
        return None if span is None else CharSpan(*span)

    def word_to_tokens(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> TokenSpan | None:
        """The tokens of a word."""
        row, word = self._word(batch_or_word_index, word_index, sequence_index, "word_to_tokens")
        span = None if word < 0 else row.word_to_tokens(word, sequence_index)
        return None if span is None else TokenSpan(*span)

    def word_to_chars(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> CharSpan | None:
        """The span of a word; None if there is no such word."""
        row, word = self._word(batch_or_word_index, word_index, sequence_index, "word_to_chars")
        span = None if word < 0 else row.word_to_chars(word, sequence_index)
        return None if span is None else CharSpan(*span)

    def char_to_token(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """The token that covers a code point of a text."""
        row, position = self._place(batch_or_char_index, char_index, "char_to_token")
        return row.char_to_token(position, sequence_index)

    def char_to_word(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """The word that covers a code point of a text."""
        row, position = self._place(batch_or_char_index, char_index, "char_to_word")
        return row.char_to_word(position, sequence_index)

    def _place(self, row_or_index: int, index: int | None, what: str) -> tuple[Encoding, int]:
        """The row that was meant, and the place in it."""
        if index is None:
            return self._row(0, what), row_or_index
        return self._row(row_or_index, what), index

    def _token(self, row_or_token: int, token: int | None, what: str) -> tuple[Encoding, int]:
        """The same for tokens, of which negative ones count from the end."""
        row, index = self._place(row_or_token, token, what)
        return row, index + len(row) if index < 0 else index

    def _word(self, row_or_word: int, word: int | None, sequence: int, what: str) -> tuple[Encoding, int]:
        """The same for words, of which negative ones count from the last of their text."""
        row, index = self._place(row_or_word, word, what)
        if index < 0:
            words = zip(row.word_ids, row.sequence_ids, strict=True)
            index += max((number for number, of in words if number is not None and of == sequence), default=-1) + 1
        return row, index
