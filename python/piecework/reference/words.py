"""What is learnt from, words or pieces with their counts; and lists of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, TypeVar

from piecework.errors import TrainingError

Count = TypeVar("Count", int, float)


def checked(name: str, counts: Mapping[str, Count], kind: type[Any] = Integral) -> Mapping[str, Count]:
    """The same counts, if they are counts of what occurs.

    Args:
        name: What the argument is called.
        counts: Words or pieces, and how often each occurs.
        kind: `Integral`, or `Real` for counts that are expected.

    Raises:
        TypeError: There is something else than texts with numbers.
        TrainingError: Something does not occur.
    """
    if not isinstance(counts, Mapping):
        raise TypeError(f"`{name}` must be a mapping of texts to counts, not {type(counts).__name__}")
    items: Iterable[tuple[object, Any]] = counts.items()
    for text, count in items:
        if not isinstance(text, str) or not isinstance(count, kind):
            raise TypeError(f"`{name}` must be a mapping of texts to counts, but has {text!r}: {count!r}")
        if not count > 0:
            raise TrainingError(f"`{name}` has {text!r}: {count}, but what is learnt from must occur")
    return counts


def listed(special_tokens: Iterable[str]) -> list[str]:
    """The same tokens as a list.

    Raises:
        TypeError: It is a single text, which would be taken apart into its characters.
    """
    if isinstance(special_tokens, str):
        raise TypeError(f"`special_tokens` must be a list of texts, not the text {special_tokens!r}")
    return list(special_tokens)


def without_repeats(tokens: Iterable[str]) -> list[str]:
    """The same tokens, each where it stands first."""
    return list(dict.fromkeys(tokens))
