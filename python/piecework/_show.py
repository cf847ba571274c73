"""The `repr` and `str` of components and tokenizers, made from their JSON.

`Name(key=value, ...)`; strings stand in double quotes, unescaped; names of variants stand bare. `repr` shows up to 99
elements of a list, `str` up to 5, and cuts long strings.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

_BARE = {"behavior", "prepend_scheme", "direction", "strategy", "progress_format"}
"""Keys whose values are names of variants."""
_PAIRS = {"sep", "cls"}
"""Keys whose values are pairs."""
_LISTS_OF_PAIRS = {"merges", "vocab"}
_STRUCTS = {"truncation": "TruncationParams", "padding": "PaddingParams", "bpe_trainer": "BpeTrainer"}
_VARIANTS = {"String", "Regex", "Fixed"}

_LONG = 100
"""Bytes of a string that `str` shows."""


def full(description: dict[str, Any], name: str | None = None) -> str:
    """The `repr` of a description; its name is its `type` if none is given."""
    return _Writer(limit=99, cut=False).struct(description, name)


def short(description: dict[str, Any], name: str | None = None) -> str:
    """The `str` of a description."""
    return _Writer(limit=5, cut=True).struct(description, name)


class _Writer:
    def __init__(self, *, limit: int, cut: bool) -> None:
        self.limit = limit
        self.cut = cut

    def struct(self, fields: dict[str, Any], name: str | None) -> str:
        name = name if name is not None else fields["type"]
        shown = [f"{key}={self.value(value, key)}" for key, value in fields.items() if key != "type"]
        return f"{name}({', '.join(shown)})"

    def some(self, items: list[str]) -> str:
        return ", ".join(items[: self.limit]) + (", ..." if len(items) > self.limit else "")

    def value(self, value: Any, key: str = "") -> str:
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, str):
            return value if key in _BARE else f'"{self.string(value)}"'
        if isinstance(value, float):
            return _decimal(value)
        if isinstance(value, (list, tuple)):
            return self.items(value, key)
        if isinstance(value, dict):
            return self.mapping(value, key)
        return str(value)

    def string(self, value: str) -> str:
        if not self.cut or len(value) <= _LONG // 4 or len(data := value.encode("utf-8", "replace")) <= _LONG:
            return value
        return data[:_LONG].decode("utf-8", "ignore") + "..."

    def items(self, value: list[Any] | tuple[Any, ...], key: str) -> str:
        if key in _PAIRS or (isinstance(value, tuple) and not key):
            return f"({', '.join(self.value(v) for v in value)})"
        if key in _LISTS_OF_PAIRS:
            value = [tuple(v) for v in value[: self.limit + 1]]
        if key == "added_tokens":
            return f"[{self.some([self.map(v) for v in value[: self.limit + 1]])}]"
        if key == "special_tokens":
            return f"[{self.some([self.struct(v, 'AddedToken') for v in value[: self.limit + 1]])}]"
        return f"[{self.some([self.value(v) for v in value[: self.limit + 1]])}]"

    def mapping(self, value: dict[str, Any], key: str) -> str:
        if "type" in value:
            return self.struct(value, None)
        if key in _STRUCTS:
            return self.struct(value, _STRUCTS[key])
        if key == "special_tokens":
            shown = [f'"{self.string(k)}":{self.struct(v, "SpecialToken")}' for k, v in value.items()]
            return "{" + self.some(shown) + "}"
        if len(value) == 1:
            [(name, inner)] = value.items()
            if name in _VARIANTS:
                return f"{name}({self.value(inner)})"
            if name == "SpecialToken":
                return self.struct(inner, name)
            if name == "Sequence":
                return f"Sequence(id={inner['id']}, type_id={inner['type_id']})"
        return self.map(value)

    def map(self, value: dict[str, Any]) -> str:
        return "{" + self.some([f'"{self.string(k)}":{self.value(v)}' for k, v in value.items()]) + "}"


def _decimal(value: float) -> str:
    """All digits, without an exponent; a whole number without a point."""
    if value == int(value):
        return str(int(value))
    return format(Decimal(repr(value)), "f")
