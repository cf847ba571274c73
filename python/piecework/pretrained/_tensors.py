"""Lists, numpy arrays and tensors of torch: told apart, and turned into one another."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

TENSOR_TYPES = ("np", "pt")
_INTEGERS = 9
"""Arrays of so many axes do not occur; the search for an element ends there."""


def tensor_type(kind: object) -> str | None:
    """The name of a kind of tensors: `np`, `pt`, or None for lists. Enums of other libraries are taken by their value.

    Raises:
        ValueError: There is no such kind.
    """
    name = getattr(kind, "value", kind)
    if name is None or name in TENSOR_TYPES:
        return name
    raise ValueError(f"unknown kind of tensors `{name}`, expected one of `np`, `pt` or None")


def is_tensor(kind: str, value: object) -> bool:
    """Whether a value is of a kind already."""
    if kind == "np":
        return isinstance(value, np.ndarray)
    return bool(_torch().is_tensor(value))


def to_tensor(kind: str, value: Any) -> Any:
    """An array or tensor of lists.

    Rows of different lengths become an array of arrays in numpy; in torch they are an error.
    """
    if kind == "pt":
        return _to_torch(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple, np.ndarray)):
        lengths = {len(row) for row in value}
        if len(lengths) > 1:
            return array_of_rows(value)
    return np.asarray(value, dtype=np.int64 if _is_empty(value) else None)


def array_of_rows(rows: Any) -> np.ndarray[Any, Any]:
    """An array whose elements are arrays of different lengths."""
    out = np.empty(len(rows), dtype=object)
    for i, row in enumerate(rows):
        out[i] = np.asarray(row, dtype=np.int64 if _is_empty(row) else None)
    return out


def _is_empty(value: Any) -> bool:
    """Whether there is no number in a value, so that its type has to be told."""
    for _ in range(_INTEGERS):
        if isinstance(value, np.ndarray):
            return value.size == 0
        if not isinstance(value, (list, tuple)):
            return False
        if not value:
            return True
        value = value[0]
    return False


def _to_torch(value: Any) -> Any:
    torch = _torch()
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        value = np.array(value)
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    return torch.tensor(value, dtype=torch.int64 if _is_empty(value) else None)


def _torch() -> Any:
    try:
        import torch  # noqa: PLC0415 - only those who ask for its tensors have it
    except ImportError as error:
        raise ImportError("tensors of torch were asked for, but torch is not installed") from error
    return torch


def to_python(value: Any) -> Any:
    """Arrays and tensors as lists and numbers; lists and dicts are gone through, all else stays as it is."""
    if isinstance(value, (int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        if not value or isinstance(value[0], (int, str)):
            return value
        return [to_python(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)) or is_torch(value):
        return value.tolist()
    if hasattr(value, "keys"):
        return {key: to_python(value[key]) for key in value}
    return value


def is_torch(value: object) -> bool:
    """Whether a value is a tensor of torch, without importing it."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.is_tensor(value))
