"""Columns of a data set of `datasets`, encoded without a Python list on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from piecework._checks import wrong_type
from piecework.pretrained import PreTrainedTokenizer
from piecework.pretrained._strategies import UNLIMITED
from piecework.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["encode_column", "encoder"]

_COLUMNS = {
    "input_ids": "ids",
    "token_type_ids": "type_ids",
    "attention_mask": "attention_mask",
    "special_tokens_mask": "special_tokens_mask",
    "word_ids": "word_ids",
    "offset_mapping": "spans",
}
"""The columns that there are, as `TokenColumns` names them."""


def encode_column(
    dataset: Any,
    tokenizer: Tokenizer | PreTrainedTokenizer,
    column: str = "text",
    *,
    pair: str | None = None,
    outputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    keep: bool = False,
    batch_size: int = 1000,
    num_proc: int | None = None,
    add_special_tokens: bool = True,
    truncation: bool | int | dict[str, Any] | None = None,
    overflow: bool = False,
    **options: Any,
) -> Any:
    """Encode a column of texts in batches.

    Args:
        dataset: A `Dataset`, `DatasetDict` or `IterableDataset`.
        tokenizer: The tokenizer.
        column: The column of texts.
        pair: A column with the second texts of pairs.
        outputs: The columns to make: `input_ids`, `token_type_ids`, `attention_mask`, `special_tokens_mask`,
            `word_ids` (-1 where there is none), `offset_mapping`.
        keep: Whether the columns of the data set stay. With `overflow` they cannot: there may be more rows.
        batch_size: Texts of a batch.
        num_proc: Processes that work on the data set.
        add_special_tokens: Whether the post-processor puts in special tokens.
        truncation: As in `Tokenizer.encode`; True stands for the `model_max_length` of a `PreTrainedTokenizer`,
            if it has one.
        overflow: Whether what truncation cuts off comes as rows too, with the column `overflow_to_sample_mapping`:
            the number of the text in its batch.
        **options: More arguments of `Dataset.map`.

    Returns:
        The data set with the new columns.

    Raises:
        ValueError: A column has no such name, or arguments contradict each other.
    """
    if overflow and keep:
        raise ValueError("keep=True does not go with overflow=True: a text may become several rows")
    call = encoder(
        tokenizer,
        column,
        pair=pair,
        outputs=outputs,
        add_special_tokens=add_special_tokens,
        truncation=truncation,
        overflow=overflow,
        keep=keep,
    )
    if num_proc is not None:
        options["num_proc"] = num_proc
    if not keep:
        options.setdefault("remove_columns", _names(dataset))
    formatted = dataset.with_format("arrow")
    return formatted.map(call, batched=True, batch_size=batch_size, **options).with_format(None)


def _names(dataset: Any) -> list[str] | None:
    """The columns of a data set."""
    names = dataset.column_names
    if isinstance(names, dict):
        return sorted({name for columns in names.values() for name in columns})
    return names  # type: ignore[no-any-return]


def encoder(
    tokenizer: Tokenizer | PreTrainedTokenizer,
    column: str = "text",
    *,
    pair: str | None = None,
    outputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    add_special_tokens: bool = True,
    truncation: bool | int | dict[str, Any] | None = None,
    overflow: bool = False,
    keep: bool = False,
) -> Callable[[Any], Any]:
    """A function for `Dataset.map(..., batched=True)`; see `encode_column` for the arguments.

    It takes a table of Arrow, or a dict of lists, and gives a table. It pickles, so it works in several processes, and
    is the same for the same arguments, so results are found again.
    """
    unknown = [name for name in outputs if name not in _COLUMNS]
    if unknown:
        raise ValueError(f"unknown output `{unknown[0]}`, expected some of `{'`, `'.join(_COLUMNS)}`")
    if isinstance(tokenizer, PreTrainedTokenizer):
        if truncation is True:
            limit = tokenizer.model_max_length
            is_limited = limit <= UNLIMITED
            truncation = is_limited and {"max_length": int(limit), "direction": tokenizer.truncation_side}
        tokenizer = tokenizer.backend_tokenizer
    if not isinstance(tokenizer, Tokenizer):
        raise wrong_type("tokenizer", "Tokenizer or PreTrainedTokenizer", tokenizer)
    return _Encoder(tokenizer, column, pair, outputs, add_special_tokens, truncation, overflow=overflow, keep=keep)


class _Encoder:
    """Encodes batches of a data set."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        column: str,
        pair: str | None,
        outputs: tuple[str, ...],
        add_special_tokens: bool,
        truncation: bool | int | dict[str, Any] | None,
        *,
        overflow: bool,
        keep: bool,
    ) -> None:
        self.tokenizer = tokenizer
        self.column, self.pair, self.outputs = column, pair, outputs
        self.add_special_tokens, self.truncation = add_special_tokens, truncation
        self.overflow, self.keep = overflow, keep

    def __call__(self, batch: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415 - datasets brings it

        table = batch if isinstance(batch, pa.Table) else pa.table(dict(batch))
        texts = table.column(self.column).to_pylist()
        if self.pair is not None:
            texts = list(zip(texts, table.column(self.pair).to_pylist(), strict=True))
        columns = self.tokenizer.encode_columns(
            texts,
            overflow=self.overflow,
            add_special_tokens=self.add_special_tokens,
            truncation=self.truncation,
            padding=False,
        )
        made = {name: table.column(name) for name in table.column_names} if self.keep else {}
        made |= {name: _lists(pa, getattr(columns, _COLUMNS[name]), columns.offsets) for name in self.outputs}
        if self.overflow:
            made["overflow_to_sample_mapping"] = pa.array(columns.inputs)
        return pa.table(made)


def _lists(pa: Any, values: NDArray[Any], offsets: NDArray[np.int64]) -> Any:
    """An array of lists for Arrow: the numbers of all rows, and where each row starts."""
    # Ids and spans have 32 bits without a sign, and are below 2**31; torch knows no unsigned ones.
    numbers = values.astype(
        {np.dtype(np.uint32): np.int32, np.dtype(np.uint8): np.int8}.get(values.dtype, values.dtype), copy=False
    )
    inner = pa.array(numbers.reshape(-1))
    if numbers.ndim > 1:
        inner = pa.ListArray.from_arrays(pa.array(np.arange(len(numbers) + 1, dtype=np.int32) * 2), inner)
    if offsets[-1] < 1 << 31:
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), inner)
    return pa.LargeListArray.from_arrays(pa.array(offsets), inner)
