"""Checks of arguments and attributes: each gives the value back or raises."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

from piecework.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable


def wrong_type(name: str, expected: str, value: object) -> TypeError:
    """The error for a value of another type."""
    return TypeError(f"`{name}` must be {expected}, not {type(value).__name__}")


def boolean(name: str, value: object) -> bool:
    """True or False."""
    if isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise wrong_type(name, "bool", value)


def optional_boolean(name: str, value: object) -> bool | None:
    """True, False or None."""
    return None if value is None else boolean(name, value)


def text(name: str, value: object) -> str:
    """A string that is Unicode: one with a lone surrogate raises `UnicodeEncodeError`, whose reason has the name."""
    if not isinstance(value, str):
        raise wrong_type(name, "str", value)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            error.reason += f" (in {name})"
            raise
    return value


def optional_text(name: str, value: object) -> str | None:
    """A string or None."""
    return None if value is None else text(name, value)


def character(name: str, value: object) -> str:
    """A string of one character."""
    value = text(name, value)
    if len(value) != 1:
        raise ValueError(f"`{name}` is {value!r}, expected a string of length 1")
    return value


def natural(name: str, value: object, bits: int = 64) -> int:
    """An integer of at least 0 that fits so many bits."""
    if not hasattr(type(value), "__index__"):
        raise wrong_type(name, "int", value)
    number = operator.index(value)  # type: ignore[arg-type]
    if number < 0:
        raise OverflowError(f"`{name}` is {number}, expected 0 or more")
    if number >= 1 << bits:
        raise OverflowError(f"`{name}` is {number}, which does not fit {bits} bits")
    return number


def positive(name: str, value: object) -> int:
    """An integer of at least 1."""
    number = natural(name, value)
    if number == 0:
        raise SpecError("is 0, expected 1 or more", name)
    return number


def optional_natural(name: str, value: object) -> int | None:
    """An integer of at least 0, or None."""
    return None if value is None else natural(name, value)


def number(name: str, value: object) -> float:
    """A real number that is finite, as JSON has no others."""
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__float__"):
        raise wrong_type(name, "float", value)
    number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError(f"`{name}` is {number}, expected a finite number")
    return number


def optional_number(name: str, value: object) -> float | None:
    """A real number or None."""
    return None if value is None else number(name, value)


def id_number(name: str, value: object) -> int:
    """The id of a token: 32 bits."""
    result = natural(name, value)
    if result >= 1 << 32:
        raise OverflowError(f"`{name}` is {result}, which is no id: ids have 32 bits")
    return result


def optional_id(name: str, value: object) -> int | None:
    """The id of a token or None."""
    return None if value is None else id_number(name, value)


def one_of(*choices: str) -> Callable[[str, object], str]:
    """One of a few strings."""

    def check(name: str, value: object) -> str:
        value = text(name, value)
        if value not in choices:
            raise ValueError(f"`{name}` is {value!r}, expected one of `{'`, `'.join(choices)}`")
        return value

    return check
