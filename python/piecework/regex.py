"""Regular expressions for the components that take a pattern."""

from __future__ import annotations

from typing import Any

from piecework import _core
from piecework._checks import text, wrong_type

Json = Any

BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
"""What may happen to a match: names in Python and in JSON."""


class Regex:
    r"""A regular expression, in the dialect of Oniguruma with Ruby syntax.

    Thus `(?m)` lets the dot match a newline, and `\h` is a hex digit.

    Args:
        pattern: The expression. It is compiled at once.

    Raises:
        SpecError: The expression is not one, or uses what cannot be translated; the message says where.

    Example:
        >>> from piecework import Regex, normalizers
        >>> normalizers.Replace(Regex(" {2,}"), " ").normalize_str("a   b")
        'a b'
    """

    __slots__ = ("_pattern",)

    def __init__(self, pattern: str) -> None:
        _core.check_regex(text("pattern", pattern))
        self._pattern = pattern

    @property
    def pattern(self) -> str:
        """The expression."""
        return self._pattern

    def __repr__(self) -> str:
        return f'Regex("{self.pattern}")'

    def __reduce__(self) -> tuple[type[Regex], tuple[str]]:
        return Regex, (self.pattern,)


def check_pattern(name: str, value: object) -> str | Regex:
    """Check a pattern: a literal string or a `Regex`."""
    if isinstance(value, Regex):
        return value
    if isinstance(value, str):
        return text(name, value)
    raise wrong_type(name, "str or Regex", value)


def dump_pattern(value: str | Regex) -> Json:
    """A pattern as it stands in JSON."""
    return {"String": value} if isinstance(value, str) else {"Regex": value.pattern}


def load_pattern(value: Json) -> str | Regex:
    """A pattern from its JSON."""
    if "String" in value:
        return str(value["String"])
    return Regex(value["Regex"])
