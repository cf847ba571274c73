"""The tokenizer: settable parts outside, a compiled program inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from piecework import _settings
from piecework._checks import boolean
from piecework._retraining import Retraining
from piecework.batch import RaggedIds, TokenColumns
from piecework.decode_stream import BoundDecodeStream, DecodeStream
from piecework.encoding import Encoding, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Tokenizer"]

T = TypeVar("T")
WordsInput = list[str] | tuple[str, ...]


class Tokenizer(Retraining):
    """A tokenizer: normalizer, pre-tokenizer, model, post-processor and decoder, and added tokens.

    The parts can be set, and changed in place; the next call uses them as they are then. Encoding runs in the
    extension, without the GIL, so threads can share a tokenizer.

    Args:
        model: What turns pretokens into tokens.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")]))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.encode("hi hi").tokens
        ['hi', 'hi']
    """

    # -----------------------------------------------------------------------------------------------------------------
    # Encoding

    def encode(
        self,
        sequence: str | WordsInput,
        pair: str | WordsInput | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        truncation: bool | int | dict[str, Any] | None = None,
        padding: bool | int | dict[str, Any] | None = None,
    ) -> Encoding:
        """Encode a text, or a pair of texts.

        Args:
            sequence: The text, or a list of words with `is_pretokenized`.
            pair: The second text of a pair.
            is_pretokenized: Whether texts come as lists of words; each word goes through the pipeline alone.
            add_special_tokens: Whether the post-processor puts in special tokens.
            truncation: For this call: `None` takes the setting of the tokenizer, `False` none, an integer is a
                max_length, a dict holds the arguments of `enable_truncation`.
            padding: The same for `enable_padding`; an integer is a length.

        Raises:
            EncodeError: A character is unknown and the model names no token for it that exists.
            UnicodeEncodeError: The text has a lone surrogate.
        """
        columns = self._program().encode(
            sequence,
            pair,
            boolean("is_pretokenized", is_pretokenized),
            boolean("add_special_tokens", add_special_tokens),
            _settings.truncation_of_call(truncation, self._truncation),
            _settings.padding_of_call(padding, self._padding),
        )
        return Encoding._view(columns, 0)

    def encode_batch(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        truncation: bool | int | dict[str, Any] | None = None,
        padding: bool | int | dict[str, Any] | None = None,
    ) -> list[Encoding]:
        """Encode many texts or pairs, in parallel; padding makes them equally long.

        Args:
            input: Texts, or pairs of texts as tuples or lists of two. With `is_pretokenized` each text is a list of
                words.
            is_pretokenized: Whether texts come as lists of words.
            add_special_tokens: Whether the post-processor puts in special tokens.
            truncation: For this call, as in `encode`.
            padding: For this call, as in `encode`.

        Raises:
            TypeError: An item is no text; the message has its index.
            UnicodeEncodeError: A text has a lone surrogate; the reason has its index.
        """
        return self._encode_batch(input, is_pretokenized, add_special_tokens, truncation, padding, spans=True)

    def encode_batch_fast(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        truncation: bool | int | dict[str, Any] | None = None,
        padding: bool | int | dict[str, Any] | None = None,
    ) -> list[Encoding]:
        """The same without spans: offsets are (0, 0), words None, and the tokens of a text have an empty text."""
        return self._encode_batch(input, is_pretokenized, add_special_tokens, truncation, padding, spans=False)

    def _encode_batch(
        self,
        batch: Iterable[Any],
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: bool | int | dict[str, Any] | None,
        padding: bool | int | dict[str, Any] | None,
        *,
        spans: bool,
    ) -> list[Encoding]:
        columns = self._program().encode_batch(
            batch,
            boolean("is_pretokenized", is_pretokenized),
            boolean("add_special_tokens", add_special_tokens),
            _settings.truncation_of_call(truncation, self._truncation),
            _settings.padding_of_call(padding, self._padding),
            spans,
        )
        view = Encoding._view
        return [view(columns, row) for row in columns.first_rows()]

    def encode_ids(
        self,
        texts: Iterable[Any],
        add_special_tokens: bool = True,
        *,
        is_pretokenized: bool = False,
        truncation: bool | int | dict[str, Any] | None = None,
    ) -> RaggedIds:
        """The ids of many texts, as one array: the quickest way to ids.

        Args:
            texts: Texts or pairs, as in `encode_batch`.
            add_special_tokens: Whether the post-processor puts in special tokens.
            is_pretokenized: Whether texts come as lists of words.
            truncation: For this call, as in `encode`. Rows are never padded.

        Example:
            >>> from piecework import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")]))
            >>> tokenizer.encode_ids(["hi", "hih"]).tolist()
            [[2], [2, 0]]
        """
        ids, offsets = self._program().encode_ids(
            texts,
            boolean("is_pretokenized", is_pretokenized),
            boolean("add_special_tokens", add_special_tokens),
            _settings.truncation_of_call(truncation, self._truncation),
        )
        return RaggedIds(ids, offsets)

    def encode_columns(
        self,
        texts: Iterable[Any],
        *,
        padded: bool = False,
        overflow: bool = False,
        add_special_tokens: bool = True,
        is_pretokenized: bool = False,
        truncation: bool | int | dict[str, Any] | None = None,
        padding: bool | int | dict[str, Any] | None = None,
    ) -> TokenColumns:
        """All columns of many texts as numpy arrays, without an object for each text.

        Args:
            texts: Texts or pairs, as in `encode_batch`.
            padded: Whether to give matrices, one row a text, filled up as `padding` says (by default with id 0).
            overflow: Whether what truncation cuts off comes as rows too, behind the row that it belongs to.
            add_special_tokens: Whether the post-processor puts in special tokens.
            is_pretokenized: Whether texts come as lists of words.
            truncation: For this call, as in `encode`.
            padding: For this call, as in `encode`.
        """
        columns = self._program().encode_columns(
            texts,
            boolean("is_pretokenized", is_pretokenized),
            boolean("add_special_tokens", add_special_tokens),
            _settings.truncation_of_call(truncation, self._truncation),
            _settings.padding_of_call(padding, self._padding),
            boolean("padded", padded),
            boolean("overflow", overflow),
        )
        return TokenColumns(**columns)

    def count(
        self,
        texts: Iterable[Any],
        *,
        add_special_tokens: bool = True,
        is_pretokenized: bool = False,
        truncation: bool | int | dict[str, Any] | None = None,
    ) -> NDArray[np.uint32]:
        """The number of tokens of each text, uint32 (N,).

        Args:
            texts: Texts or pairs, as in `encode_batch`.
            add_special_tokens: Whether the tokens that the post-processor puts in count.
            is_pretokenized: Whether texts come as lists of words.
            truncation: For this call, as in `encode`.
        """
        return self._program().count(
            texts,
            boolean("is_pretokenized", is_pretokenized),
            boolean("add_special_tokens", add_special_tokens),
            _settings.truncation_of_call(truncation, self._truncation),
        )

    async def async_encode(self, sequence: Any, pair: Any = None, *args: Any, **options: Any) -> Encoding:
        """`encode` in a thread of the event loop's pool."""
        return await _in_thread(self.encode, sequence, pair, *args, **options)

    async def async_encode_batch(self, input: Iterable[Any], *args: Any, **options: Any) -> list[Encoding]:
        """`encode_batch` in a thread of the event loop's pool."""
        return await _in_thread(self.encode_batch, input, *args, **options)

    async def async_encode_batch_fast(self, input: Iterable[Any], *args: Any, **options: Any) -> list[Encoding]:
        """`encode_batch_fast` in a thread of the event loop's pool."""
        return await _in_thread(self.encode_batch_fast, input, *args, **options)

    def post_process(
        self,
        encoding: Encoding,
        pair: Encoding | None = None,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Truncate encodings, put in special tokens, and pad, as `encode` does at the end."""
        columns = self._program().post_process(
            rows_of("encoding", encoding),
            None if pair is None else rows_of("pair", pair),
            boolean("add_special_tokens", add_special_tokens),
            self._truncation,
            self._padding,
        )
        return Encoding._view(columns, 0)

    # -----------------------------------------------------------------------------------------------------------------
    # Decoding

    def decode(self, ids: Sequence[int] | NDArray[Any], skip_special_tokens: bool = True) -> str:
        """The text of ids.

        Args:
            ids: Ids; those that no token has are passed over.
            skip_special_tokens: Whether to leave special tokens out.
        """
        return self._program().decode(ids, boolean("skip_special_tokens", skip_special_tokens))

    def decode_batch(self, sequences: Iterable[Any], skip_special_tokens: bool = True) -> list[str]:
        """The texts of many lists of ids."""
        return self._program().decode_batch(sequences, boolean("skip_special_tokens", skip_special_tokens))

    def decode_stream(self, skip_special_tokens: bool = True) -> BoundDecodeStream:
        """Decode ids as they come, one step at a time.

        Args:
            skip_special_tokens: Whether to leave special tokens out.

        Example:
            >>> from piecework import Tokenizer, models
            >>> stream = Tokenizer(models.BPE({"h": 0, "i": 1}, [])).decode_stream()
            >>> [stream.step(0), stream.step([1, 0]), stream.flush()]
            ['h', ' i h', None]
        """
        return BoundDecodeStream(self, DecodeStream(skip_special_tokens=skip_special_tokens))

    async def async_decode_batch(self, sequences: Iterable[Any], skip_special_tokens: bool = True) -> list[str]:
        """`decode_batch` in a thread of the event loop's pool."""
        return await _in_thread(self.decode_batch, sequences, skip_special_tokens)


async def _in_thread(call: Callable[..., T], *args: Any, **options: Any) -> T:
    import asyncio  # noqa: PLC0415 - not at import time

    return await asyncio.to_thread(call, *args, **options)
