"""Encoding a batch to the columns that a call asks for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.pretrained import _strategies, _tensors
from piecework.pretrained._alignments import Alignments, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from piecework import _core
    from piecework._core import Columns
    from piecework.pretrained._strategies import Strategies
    from piecework.tokenizer import Tokenizer

_MATRICES = {
    "input_ids": "ids",
    "token_type_ids": "type_ids",
    "attention_mask": "attention_mask",
    "special_tokens_mask": "special_tokens_mask",
    "offset_mapping": "spans",
}
"""The columns of a call, in their order, as the extension names them."""


class Wanted(NamedTuple):
    """What a call is asked for.

    Attributes:
        names: Columns, in the order of `_MATRICES`.
        length: Whether the lengths of rows are a column too.
        overflow: Whether what truncation cuts off comes as rows too.
        tensors: `np`, `pt`, or None for lists.
    """

    names: list[str]
    length: bool
    overflow: bool
    tensors: str | None

    @staticmethod
    def of(
        model_input_names: list[str], flags: dict[str, bool | None], tensors: object, *, length: bool, overflow: bool
    ) -> Wanted:
        """What flags ask for; None asks the names of the model."""
        asked = {name: name in model_input_names if flag is None else flag for name, flag in flags.items()}
        names = [name for name in _MATRICES if name == "input_ids" or asked[name]]
        return Wanted(names, length, overflow, _tensors.tensor_type(tensors))


class Result(NamedTuple):
    """What encoding a batch gave: the columns that were asked for, all of them, and where tokens came from."""

    data: dict[str, Any]
    columns: Columns
    alignments: Alignments


def encoded(
    tokenizer: Any,
    backend: Tokenizer,
    inputs: list[Any],
    strategies: Strategies,
    wanted: Wanted,
    *,
    pairs: bool,
    spans: bool,
    add_special_tokens: bool,
    is_split_into_words: bool,
    stride: int,
    padding_side: str | None,
    pad_to_multiple_of: int | None,
) -> Result:
    """Encode a batch.

    Args:
        tokenizer: What names the padding token and the sides; of piecework, or of transformers.
        backend: What encodes.
        inputs: The texts.
        strategies: Truncation and padding.
        wanted: What is asked for.
        pairs: Whether they are pairs.
        spans: Whether spans are made at once. Without them encoding takes half the time; they can be had later.
        add_special_tokens: Whether special tokens are put in.
        is_split_into_words: Whether texts are lists of words.
        stride: Tokens that windows share.
        padding_side: The side that is filled; None asks the tokenizer.
        pad_to_multiple_of: Lengths are rounded up to a multiple of this.
    """
    added = backend.num_special_tokens_to_add(pairs) if add_special_tokens else 0
    truncation = _strategies.truncation_of(strategies, tokenizer.truncation_side, stride, added)
    padding = _strategies.padding_of(tokenizer, strategies, padding_side, pad_to_multiple_of)
    # Words are lists that may change after the call; with dropout encoding again gives something else; and without a
    # post-processor the type ids of pairs come with the spans only.
    spans |= is_split_into_words or "offset_mapping" in wanted.names
    spans |= bool(getattr(backend.model, "dropout", None)) or (pairs and backend.post_processor is None)
    encode = partial(backend._program().encode_batch, inputs, is_split_into_words, add_special_tokens, truncation)
    # Matrices can be filled up as they are written, but where a row may be longer than the length asked for.
    filled = spans or wanted.tensors is None or (strategies.padding == "max_length" and truncation is None)
    columns = encode(padding if filled else None, spans)
    alignments = Alignments(columns if spans else partial(encode, padding, True), overflow=wanted.overflow)
    return Result(_columns(columns, wanted, None if filled else padding), columns, alignments)


def longest(columns: Columns) -> int:
    """The number of tokens of the longest row."""
    return max((columns.length(row) for row in columns.first_rows()), default=0)


def _columns(columns: Columns, wanted: Wanted, padding: _core.Padding | None) -> dict[str, Any]:
    """The columns that were asked for, as lists or arrays; `padding` fills up what is not filled up yet."""
    rows = rows_of(columns, overflow=wanted.overflow)
    lengths = [columns.length(row) for row in rows] if padding is None else []
    if wanted.tensors is None:
        data: dict[str, Any] = {name: _lists(columns, name, rows) for name in wanted.names}
        if wanted.length:
            data["length"] = lengths
        if wanted.overflow:
            data["overflow_to_sample_mapping"] = _inputs_of(columns).tolist()
        return data
    if len(set(lengths)) > 1:
        return _ragged(columns, wanted, rows, lengths)
    matrices = columns.matrices([_MATRICES[name] for name in wanted.names], padding, wanted.overflow)
    data = {name: matrices[_MATRICES[name]] for name in wanted.names}
    if wanted.length:
        data["length"] = matrices["inputs"] * 0 + data["input_ids"].shape[1]
    if wanted.overflow:
        data["overflow_to_sample_mapping"] = matrices["inputs"]
    if wanted.tensors == "pt":
        data = {name: _tensors.to_tensor("pt", matrix) for name, matrix in data.items()}
    return data


def _lists(columns: Columns, name: str, rows: Any) -> list[list[Any]]:
    readers: dict[str, Callable[[int], list[Any]]] = {
        "input_ids": columns.ids,
        "token_type_ids": columns.type_ids,
        "attention_mask": columns.attention_mask,
        "special_tokens_mask": columns.special_tokens_mask,
        "offset_mapping": columns.offsets,
    }
    return [*map(readers[name], rows)]


def _ragged(columns: Columns, wanted: Wanted, rows: Any, lengths: list[int]) -> dict[str, Any]:
    """Rows of different lengths: arrays of arrays in numpy, an error in torch."""
    if wanted.tensors == "pt":
        raise ValueError(
            f"rows have from {min(lengths)} to {max(lengths)} tokens, and a tensor of torch needs rows of one length: "
            "ask for padding=True, and truncation=True if texts may be too long"
        )
    data: dict[str, Any] = {name: _tensors.array_of_rows(_lists(columns, name, rows)) for name in wanted.names}
    if wanted.length:
        data["length"] = _tensors.to_tensor("np", lengths)
    if wanted.overflow:
        data["overflow_to_sample_mapping"] = _inputs_of(columns)
    return data


def _inputs_of(columns: Columns) -> NDArray[Any]:
    """The text that each row is of, overflow included."""
    return columns.matrices([], None, True)["inputs"]
