"""A token as models and components written in Python see it."""

from __future__ import annotations

from piecework._checks import id_number, natural, text, wrong_type


def _span(name: str, value: object) -> tuple[int, int]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise wrong_type(name, "tuple of two int", value)
    return natural(f"{name}[0]", value[0]), natural(f"{name}[1]", value[1])


class Token:
    """A token found in a text.

    Args:
        id: Its id.
        value: Its text.
        offsets: Its span.

    Example:
        >>> from piecework import Token
        >>> Token(3, "hug", (0, 3)).as_tuple()
        (3, 'hug', (0, 3))
    """

    __slots__ = ("id", "offsets", "value")

    def __init__(self, id: int, value: str, offsets: tuple[int, int]) -> None:
        self.id = id_number("id", id)
        self.value = text("value", value)
        self.offsets = _span("offsets", offsets)

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Id, text and span."""
        return self.id, self.value, self.offsets

    def __repr__(self) -> str:
        return f"Token(id={self.id}, value={self.value!r}, offsets={self.offsets})"


def found(id: int, value: str, offsets: tuple[int, int]) -> Token:
    """A token that a model found, of which nothing has to be checked."""
    token = Token.__new__(Token)
    token.id, token.value, token.offsets = id, value, offsets
    return token
