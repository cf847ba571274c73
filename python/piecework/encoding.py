"""Encodings: what a tokenizer made of one text, or of a pair."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import boolean, id_number, natural, text, wrong_type
from piecework._component import dumps
from piecework.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Encoding"]

Range = tuple[int, int]


def is_left(direction: object, what: str) -> bool:
    """Whether a direction is the left one."""
    if direction not in ("left", "right"):
        if not isinstance(direction, str):
            raise wrong_type("direction", "str", direction)
        raise ValueError(f"Invalid {what} direction value : {direction} (expected `left` or `right`)")
    return direction == "left"


class Encoding:
    """The tokens of a text and all that is known of them.

    An encoding is a view of a row of the columns that a call has made; its lists are made when they are read.

    Example:
        >>> from piecework import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE({"h": 0, "u": 1, "g": 2, "ug": 3}, [("u", "g")]))
        >>> encoding = tokenizer.encode("hug")
        >>> encoding.ids, encoding.tokens, encoding.offsets
        ([0, 3], ['h', 'ug'], [(0, 1), (1, 3)])
    """

    __slots__ = ("__weakref__", "_columns", "_overflow", "_own_ranges", "_row")

    _columns: _core.Columns
    _row: int
    _own_ranges: dict[int, Range] | None
    """Tokens of each sequence, where they are not those of the columns."""
    _overflow: list[Encoding] | None
    """What truncation cut off, where it is not that of the columns."""

    def __init__(self) -> None:
        self._set(_core.Columns.from_lists([], [], [], [], [], [], []), 0, {}, [])

    @staticmethod
    def _view(columns: _core.Columns, row: int) -> Encoding:
        """The encoding of a row."""
        encoding = _new(Encoding)
        encoding._columns = columns
        encoding._row = row
        encoding._own_ranges = None
        encoding._overflow = None
        return encoding

    def _set(self, columns: _core.Columns, row: int, ranges: dict[int, Range], overflow: list[Encoding]) -> None:
        self._columns = columns
        self._row = row
        self._own_ranges = ranges
        self._overflow = overflow

    def _copy(self) -> Encoding:
        encoding = _new(Encoding)
        encoding._set(self._columns, self._row, dict(self._ranges()), list(self.overflowing))
        return encoding

    def _ranges(self) -> dict[int, Range]:
        """The tokens of each sequence; none means that all are of sequence 0."""
        if self._own_ranges is not None:
            return self._own_ranges
        found = self._columns.sequences(self._row)
        return {sequence: tokens for sequence, tokens in enumerate(found) if tokens is not None}

    def _range(self, sequence_index: int) -> Range:
        return self._ranges().get(natural("sequence_index", sequence_index), (0, len(self)))

    # -----------------------------------------------------------------------------------------------------------------
    # Columns

    def __len__(self) -> int:
        return self._columns.length(self._row)

    @property
    def ids(self) -> list[int]:
        """Ids of the tokens."""
        return self._columns.ids(self._row)

    @property
    def type_ids(self) -> list[int]:
        """Type ids: by default 0 for the first text and 1 for the second."""
        return self._columns.type_ids(self._row)

    @property
    def tokens(self) -> list[str]:
        """Texts of the tokens."""
        return self._columns.tokens(self._row)

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Spans of the tokens, in code points of the text; (0, 0) for tokens that no text stands for."""
        return self._columns.offsets(self._row)

    @property
    def word_ids(self) -> list[int | None]:
        """Number of the word that each token belongs to; None for special tokens and padding."""
        return self._columns.word_ids(self._row)

    @property
    def words(self) -> list[int | None]:
        """An older name of `word_ids`."""
        warnings.warn(
            "Deprecated in 0.9.4: Encoding.words is deprecated, please use Encoding.word_ids instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.word_ids

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for special tokens that were put in and for padding, else 0."""
        return self._columns.special_tokens_mask(self._row)

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, else 1."""
        return self._columns.attention_mask(self._row)

    @property
    def sequence_ids(self) -> list[int | None]:
        """0 for tokens of the first text, 1 for those of the second, None for others.

        Where the texts are not told apart (a single one without a post-processor, or after `truncate`) all tokens are
        of the first, padding and special tokens too. After `merge` a text that comes later takes the place of an
        earlier one of the same number, whose tokens become None.
        """
        ranges = self._ranges()
        out: list[int | None] = [None] * len(self)
        # As in the reference: n sequences are taken for those numbered 0 to n - 1, and one that is not there for
        # everything.
        for sequence in range(self.n_sequences):
            start, end = ranges.get(sequence, (0, len(self)))
            out[start:end] = [sequence] * (end - start)
        return out

    @property
    def n_sequences(self) -> int:
        """Number of texts: 1, or 2 for a pair. After `truncate` and where they are not told apart 1."""
        return len(self._ranges()) or 1

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off, as encodings."""
        if self._overflow is None:
            self._overflow = [Encoding._view(self._columns, row) for row in self._columns.overflow(self._row)]
        return list(self._overflow)

    # -----------------------------------------------------------------------------------------------------------------
    # From characters and words to tokens, and back

    def token_to_sequence(self, token_index: int) -> int | None:
        """The text that a token belongs to."""
        token_index = natural("token_index", token_index)
        if token_index >= len(self):
            return None
        ranges = self._ranges()
        if not ranges:
            return 0
        return next((sequence for sequence, (start, end) in ranges.items() if start <= token_index < end), None)

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """The span of a token; None for those of no text by `sequence_ids`."""
        if self.token_to_sequence(token_index) is None:
            return None
        return self._columns.span(self._row, token_index)

    def token_to_word(self, token_index: int) -> int | None:
        """The word that a token belongs to."""
        if self.token_to_sequence(token_index) is None:
            return None
        return self._columns.word(self._row, token_index)

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The token that covers a code point of a text."""
        return self._columns.char_to_token(self._row, *self._range(sequence_index), natural("char_pos", char_pos))

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word that covers a code point of a text."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """The tokens of a word: the first, and one past the last."""
        return self._columns.word_to_tokens(self._row, *self._range(sequence_index), natural("word_index", word_index))

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """The span of a word, in code points of its text."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        first, end = tokens
        return self._columns.span(self._row, first)[0], self._columns.span(self._row, end - 1)[1]

    # -----------------------------------------------------------------------------------------------------------------
    # Changes

    def set_sequence_id(self, sequence_id: int) -> None:
        """Let a sequence span all tokens. Others stay, and lose those that a sequence of a higher number spans too."""
        sequence_id = natural("sequence_id", sequence_id)
        self._set(self._columns, self._row, {**self._ranges(), sequence_id: (0, len(self))}, self.overflowing)

    def pad(
        self,
        length: int,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",  # noqa: S107 - a token of a vocabulary
    ) -> None:
        """Fill the encoding, and what overflowed, up to `length` tokens.

        Args:
            length: So many tokens at least.
            direction: The side that is filled: `left` or `right`.
            pad_id: Id of the padding token.
            pad_type_id: Its type id.
            pad_token: Its text.
        """
        length = natural("length", length)
        left = is_left(direction, "padding")
        pad_id, pad_type_id = id_number("pad_id", pad_id), id_number("pad_type_id", pad_type_id)
        pad_token = text("pad_token", pad_token)
        overflow = self.overflowing
        for encoding in overflow:
            encoding.pad(length, direction, pad_id, pad_type_id, pad_token)
        missing = length - len(self)
        if missing <= 0:
            self._overflow = overflow
            return
        shift = missing if left else 0
        ranges = {sequence: (start + shift, end + shift) for sequence, (start, end) in self._ranges().items()}
        columns = self._columns.padded(self._row, length, left, pad_id, pad_type_id, pad_token)
        self._set(columns, 0, ranges, overflow)

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep at most `max_length` tokens; the rest becomes `overflowing`.

        Args:
            max_length: So many tokens at most.
            stride: Tokens that each part shares with the one before.
            direction: The side that is cut off: `left` or `right`.
        """
        max_length, stride = natural("max_length", max_length), natural("stride", stride)
        left = is_left(direction, "truncation")
        n = len(self)
        if max_length >= n:
            return
        if max_length == 0:
            self._set(self._columns.slice(self._row, 0, 0), 0, {}, [self._copy()])
            return
        if stride >= max_length:
            raise SettingError(f"stride is `{stride}`, which must be less than max_length `{max_length}`")
        parts = []
        for start, end in _core.truncation_windows(n, max_length, stride, left):
            part = _new(Encoding)
            part._set(self._columns.slice(self._row, start, end), 0, {}, [])
            parts.append(part)
        self._set(parts[0]._columns, 0, {}, parts[1:])

    @staticmethod
    def merge(encodings: list[Encoding], growing_offsets: bool = True) -> Encoding:
        """Put encodings one behind the other.

        Args:
            encodings: The encodings.
            growing_offsets: Whether the spans of each are moved by the end of the last span before it. (Special tokens
                and padding end at 0: behind them nothing is moved.)
        """
        growing = boolean("growing_offsets", growing_offsets)
        if not isinstance(encodings, (list, tuple)):
            raise wrong_type("encodings", "list of Encoding", encodings)
        for i, encoding in enumerate(encodings):
            if not isinstance(encoding, Encoding):
                raise wrong_type(f"encodings[{i}]", "Encoding", encoding)
        if not encodings:
            return Encoding()
        if not any(encoding.overflowing for encoding in encodings):
            return _row_of(encodings, growing)
        out = encodings[0]._copy()
        for encoding in encodings[1:]:
            out = _joined(out, encoding, growing)
        return out

    # -----------------------------------------------------------------------------------------------------------------
    # Copies

    def _state(self) -> dict[str, Any]:
        return {
            "ids": self.ids,
            "type_ids": self.type_ids,
            "tokens": self.tokens,
            "words": self.word_ids,
            "offsets": self.offsets,
            "special_tokens_mask": self.special_tokens_mask,
            "attention_mask": self.attention_mask,
            "overflowing": [encoding._state() for encoding in self.overflowing],
            "sequence_ranges": {str(k): {"start": start, "end": end} for k, (start, end) in self._ranges().items()},
        }

    def _restore(self, state: dict[str, Any]) -> None:
        columns = _core.Columns.from_lists(
            state["ids"],
            state["type_ids"],
            state["tokens"],
            state["words"],
            [(start, end) for start, end in state["offsets"]],
            state["special_tokens_mask"],
            state["attention_mask"],
        )
        overflow = []
        for part in state["overflowing"]:
            overflow.append(_new(Encoding))
            overflow[-1]._restore(part)
        ranges = {int(k): (tokens["start"], tokens["end"]) for k, tokens in state["sequence_ranges"].items()}
        self._set(columns, 0, ranges, overflow)

    def __getstate__(self) -> bytes:
        return dumps(self._state()).encode("utf-8", "surrogatepass")

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray)):
            raise wrong_type("state", "bytes", state)
        self._restore(json.loads(state))

    def __repr__(self) -> str:
        attributes = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{attributes}])"


_new = object.__new__


def _joined(first: Encoding, second: Encoding, growing: bool) -> Encoding:
    """Two encodings one behind the other, and what overflows of them in all combinations.

    Each of those has the combinations behind it as its own overflow, as in the reference.
    """
    out = _row_of((first, second), growing)
    overflow = []
    for part in first.overflowing:
        overflow.append(_joined(part, second, growing))
        overflow.extend(_joined(part, other, growing) for other in second.overflowing)
    overflow.extend(_joined(first, other, growing) for other in second.overflowing)
    out._overflow = overflow
    return out


def _row_of(parts: Sequence[Encoding], growing: bool) -> Encoding:
    """The tokens of encodings one behind the other."""
    ranges: dict[int, Range] = {}
    at = 0
    for part in parts:
        ranges.update({k: (start + at, end + at) for k, (start, end) in part._ranges().items()})
        at += len(part)
    out = _new(Encoding)
    out._set(_core.Columns.join([(part._columns, part._row) for part in parts], growing), 0, ranges, [])
    return out


def rows_of(name: str, encoding: object) -> tuple[list[tuple[_core.Columns, int]], tuple[Range | None, Range | None]]:
    """An encoding and what overflowed as rows of columns, and the tokens of each sequence in the encoding."""
    if not isinstance(encoding, Encoding):
        raise wrong_type(name, "Encoding", encoding)
    ranges = encoding._ranges()
    rows = [(part._columns, part._row) for part in (encoding, *encoding.overflowing)]
    return rows, (ranges.get(0), ranges.get(1))


def process(
    processor: _core.PostProcessor, encoding: Encoding, pair: Encoding | None, add_special_tokens: bool
) -> Encoding:
    """What a post-processor makes of encodings."""
    rows = [rows_of("encoding", encoding)]
    if pair is not None:
        rows.append(rows_of("pair", pair))
    return Encoding._view(processor.process(rows, add_special_tokens), 0)
