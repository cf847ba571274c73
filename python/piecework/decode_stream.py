"""Decoding id by id, as a model that generates ids gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import boolean, id_number, wrong_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.tokenizer import Tokenizer

__all__ = ["BoundDecodeStream", "DecodeStream"]


def _ids(value: object) -> list[int]:
    if hasattr(type(value), "__index__"):
        return [id_number("id", value)]
    if isinstance(value, str) or not hasattr(type(value), "__iter__"):
        raise TypeError("StreamInput must be either an integer or a list of integers")
    ids: Any = value
    return [id_number("id", i) for i in ids]


def _program(tokenizer: object) -> _core.Program:
    program = getattr(tokenizer, "_program", None)
    if program is None:
        raise wrong_type("tokenizer", "Tokenizer", tokenizer)
    compiled: _core.Program = program()
    return compiled


class DecodeStream:
    """Turns ids into text as they come.

    What comes out, joined, is what `Tokenizer.decode` gives for all ids, unless that takes back what has come out
    already, as a `Replace` with the `Regex` `a$` behind `Fuse` does: while it does not start with what has come out,
    nothing more does, and `flush` gives all that stands behind what they have in common. Never more than the bytes of
    an unfinished character are held back (and what the decoder itself leaves open, as a blank that only a further
    token brings out); `flush` gives them at the end. A step costs the same however long the stream is, but with
    decoders written in Python and where one that looks at tokens (`WordPiece`, say, or a `Replace` with a `Regex`)
    stands behind one that joins them: these see all ids anew each time.

    Args:
        ids: Ids whose text is known already: it does not come out again.
        skip_special_tokens: Whether to leave special tokens out.

    Example:
        >>> from piecework import Tokenizer, decoders, models
        >>> tokenizer = Tokenizer(models.BPE({"Ã": 0, "©": 1, "a": 2}, []))
        >>> tokenizer.decoder = decoders.ByteLevel()
        >>> stream = decoders.DecodeStream()
        >>> [stream.step(tokenizer, id) for id in (2, 0, 1)]
        ['a', None, 'é']
    """

    __slots__ = ("_given", "_stream")

    def __init__(self, ids: Sequence[int] | None = None, skip_special_tokens: bool = False) -> None:
        if hasattr(type(ids), "__index__"):
            raise wrong_type("ids", "list of int", ids)
        self._given = [] if ids is None else _ids(ids)
        self._stream = _core.DecodeStream(boolean("skip_special_tokens", skip_special_tokens))

    def step(self, tokenizer: Tokenizer, id: int | Sequence[int]) -> str | None:
        """Take in an id or several.

        Args:
            tokenizer: The tokenizer. The decoder is the one that it has at the first step.
            id: The next id, or the next ids.

        Returns:
            The text that they complete, or None.
        """
        program = _program(tokenizer)
        ids = _ids(id)
        if self._given:
            self._stream.step(program, self._given)
            self._given = []
        return self._stream.step(program, ids)

    def flush(self, tokenizer: Tokenizer) -> str | None:
        """End the stream: the text that was held back, or None. The stream can be used anew then."""
        return self._stream.flush(_program(tokenizer))

    def __copy__(self) -> DecodeStream:
        other = DecodeStream.__new__(DecodeStream)
        other._given = list(self._given)
        other._stream = self._stream.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream:
        return self.__copy__()


class BoundDecodeStream:
    """A `DecodeStream` that knows its tokenizer: what `Tokenizer.decode_stream` gives.

    Example:
        >>> from piecework import Tokenizer, models
        >>> stream = Tokenizer(models.BPE({"h": 0, "i": 1}, [])).decode_stream()
        >>> stream.step(0), stream.step(1), stream.flush()
        ('h', ' i', None)
    """

    __slots__ = ("_stream", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, stream: DecodeStream) -> None:
        self._tokenizer = tokenizer
        self._stream = stream

    def step(self, id: int | Sequence[int]) -> str | None:
        """Take in an id or several; gives the text that they complete, or None."""
        return self._stream.step(self._tokenizer, id)

    def flush(self) -> str | None:
        """End the stream: the text that was held back, or None."""
        return self._stream.flush(self._tokenizer)

    def __copy__(self) -> BoundDecodeStream:
        return BoundDecodeStream(self._tokenizer, self._stream.__copy__())

    def __deepcopy__(self, memo: dict[int, Any]) -> BoundDecodeStream:
        return self.__copy__()
