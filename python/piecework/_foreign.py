"""Components of the library `tokenizers`, which other programs put into tokenizers: told by their module, read as JSON.

That library is never imported here.
"""

from __future__ import annotations

_PACKAGE = "tokenizers"


def is_foreign(value: object) -> bool:
    """Whether an object is of the library `tokenizers`."""
    return type(value).__module__.partition(".")[0] == _PACKAGE


def state_of(value: object) -> bytes:
    """The JSON of a component, as it stands in a `tokenizer.json`.

    Raises:
        TypeError: It is written in Python, and has none.
    """
    try:
        state: bytes = value.__getstate__()  # type: ignore[assignment]
    except Exception as error:
        raise TypeError(
            f"a {type(value).__name__} with something written in Python has no JSON, so it cannot be taken over"
        ) from error
    return state
