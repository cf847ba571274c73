"""Filling up rows that are encoded already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework.pretrained import _tensors
from piecework.pretrained.batch_encoding import BatchEncoding

if TYPE_CHECKING:
    from piecework.pretrained._identity import Identity
    from piecework.pretrained._strategies import Strategies


def pad(
    tokenizer: Identity,
    given: Any,
    strategies: Strategies,
    multiple: int | None,
    side: str | None,
    return_attention_mask: bool | None,
    return_tensors: Any,
) -> BatchEncoding:
    """The rows of `PreTrainedTokenizer.pad`."""
    if isinstance(given, (list, tuple)):
        if not all(isinstance(row, Mapping) for row in given):
            raise ValueError("expected a list of dicts or a dict of lists")
        given = {name: [row[name] for row in given] for name in given[0]} if given else {}
    columns = dict(given)
    main = tokenizer.model_input_names[0]
    if main not in columns:
        others = f"only `{'`, `'.join(map(str, columns))}`" if columns else "and no other column either"
        raise ValueError(f"there is no `{main}` to fill up, {others}")
    kind = _tensors.tensor_type(return_tensors) or _kind_of(columns[main])
    columns = {name: _tensors.to_python(column) for name, column in columns.items()}
    masked = "attention_mask" in tokenizer.model_input_names if return_attention_mask is None else return_attention_mask
    rows = columns[main]
    if rows is None or len(rows) == 0:
        if return_attention_mask:
            columns["attention_mask"] = []
        return BatchEncoding(columns)
    one = not isinstance(rows[0], (list, tuple))
    if one:
        columns = {name: [column] for name, column in columns.items()}
    if masked:
        columns.setdefault("attention_mask", [[1] * len(row) for row in columns[main]])
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"columns have different numbers of rows: {sizes}")
    _fill(tokenizer, columns, strategies, multiple, side)
    if one:
        columns = {name: column[0] for name, column in columns.items()}
    return BatchEncoding(columns, tensor_type=kind)


def _kind_of(rows: Any) -> str | None:
    """The kind of tensors that rows are, or consist of."""
    for value in (rows, rows[0] if isinstance(rows, (list, tuple)) and rows else None):
        if _tensors.is_torch(value):
            return "pt"
        if hasattr(value, "dtype"):
            return "np"
    return None


def _fill(
    tokenizer: Identity, columns: dict[str, Any], strategies: Strategies, multiple: int | None, side: str | None
) -> None:
    """Fill the columns up in place."""
    rows = columns[tokenizer.model_input_names[0]]
    length = strategies.max_length
    if strategies.padding == "longest":
        length = max(len(row) for row in rows)
    if strategies.padding == "do_not_pad" or length is None:
        return
    if multiple is not None:
        length = -(-length // multiple) * multiple
    side = tokenizer.padding_side if side is None else side
    if side not in ("right", "left"):
        raise ValueError(f"padding_side is `{side}`, expected `right` or `left`")
    lacking = [max(length - len(row), 0) for row in rows]
    filling = {
        tokenizer.model_input_names[0]: tokenizer.pad_token_id,
        "attention_mask": 0,
        "token_type_ids": tokenizer.pad_token_type_id,
        "special_tokens_mask": 1,
    }
    for name, value in filling.items():
        if name in columns:
            pairs = zip(columns[name], lacking, strict=True)
            columns[name] = [
                list(row) + [value] * n if side == "right" else [value] * n + list(row) for row, n in pairs
            ]
