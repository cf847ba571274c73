"""What texts may be given to a call: one or many, pairs, cut into words or not."""

from __future__ import annotations

from typing import Any

_FORMS = (
    "a text (str), a list of texts, or with is_split_into_words a list of words or of lists of words; "
    "pairs of texts as tuples of two"
)


def _is_text(value: Any, depth: int = 3) -> bool:
    """Whether the first items of a value are texts; nothing but those is looked at, the extension sees the rest."""
    if isinstance(value, str):
        return True
    if depth and isinstance(value, (list, tuple)):
        return not value or _is_text(value[0], depth - 1)
    return False


def _first(place: str, value: Any) -> tuple[str, Any]:
    """The first item of lists in lists, which is no text, and where it stands."""
    while isinstance(value, (list, tuple)) and value:
        place, value = f"{place}[0]", value[0]
    return place, value


def arranged(text: Any, text_pair: Any, *, is_split_into_words: bool) -> tuple[list[Any], bool]:
    """The inputs of a call as a list, and whether they were given as a batch.

    Raises:
        ValueError: They have another form; the batches of a pair have different lengths.
        TypeError: A batch was paired with one text.
    """
    for name, value in (("text", text), ("text_pair", text_pair)):
        if not _is_text(value) and not (name == "text_pair" and value is None):
            place, item = _first(name, value)
            raise ValueError(f"`{place}` is {type(item).__name__}, expected {_FORMS}")
    is_batch = isinstance(text, (list, tuple))
    if is_split_into_words:
        is_batch = bool(is_batch and text and isinstance(text[0], (list, tuple)))
    if not is_batch and isinstance(text, str) and isinstance(text_pair, (list, tuple)) and text_pair:
        raise TypeError(f"`text` is one text, so `text_pair` must be one too, not {type(text_pair).__name__}")
    if not is_batch:
        return ([(text, text_pair)] if text_pair else [text]), False
    if text_pair is None:
        # Pairs may be lists, which the caller can change before the encodings are made.
        return [tuple(item) if isinstance(item, list) else item for item in text], True
    if isinstance(text_pair, str):
        raise TypeError("`text` is a batch, so `text_pair` must be a list of as many texts, not str")
    if len(text) != len(text_pair):
        raise ValueError(f"`text` has `{len(text)}` items and `text_pair` has `{len(text_pair)}`, expected as many")
    return list(zip(text, text_pair, strict=True)), True


def has_pairs(inputs: list[Any], *, is_split_into_words: bool) -> bool:
    """Whether the first input is a pair."""
    if not inputs or not isinstance(inputs[0], (list, tuple)):
        return False
    return not is_split_into_words or bool(inputs[0] and isinstance(inputs[0][0], (list, tuple)))
