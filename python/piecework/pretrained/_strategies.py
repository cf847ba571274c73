"""What `padding`, `truncation` and `max_length` of a call mean."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from piecework import _core, _settings
from piecework._checks import natural, one_of, wrong_type
from piecework.errors import SettingError

if TYPE_CHECKING:
    from piecework.pretrained._identity import Identity

UNLIMITED = 10**20
"""A `model_max_length` above this says that the model has no limit."""

PADDING = ("longest", "max_length", "do_not_pad")
TRUNCATION = ("longest_first", "only_first", "only_second", "do_not_truncate")

side_of_text = one_of("right", "left")
"""The check of a `padding_side` or `truncation_side`."""


class Strategies(NamedTuple):
    """Settings of a call: names of `PADDING` and `TRUNCATION`, and the length that they go by."""

    padding: str
    truncation: str
    max_length: int | None


def _named(what: str, value: object, default: str, names: tuple[str, ...]) -> str:
    """The name of a strategy; True stands for the first, False and None for the last."""
    if value is True:
        return default
    if value is False or value is None:
        return names[-1]
    name = getattr(value, "value", value)
    if name not in names:
        raise ValueError(f"unknown {what} `{name}`, expected True, False or one of `{'`, `'.join(names)}`")
    return str(name)


def number(name: str, value: object) -> int:
    """A value that must be a number. Some folders write whole numbers as floats, which stay what they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_type(name, "a number", value)
    return value  # type: ignore[return-value]


def resolve(
    tokenizer: Identity,
    padding: object,
    truncation: object,
    max_length: int | None,
    pad_to_multiple_of: int | None = None,
    *,
    verbose: bool = True,
) -> Strategies:
    """The strategies of a call.

    As in transformers, `max_length` alone truncates, and a length that is not given is that of the model; without
    either nothing is cut or filled up.

    Raises:
        ValueError: A strategy is unknown; there is no padding token; the lengths contradict each other.
    """
    if max_length is not None:
        max_length = natural("max_length", max_length)
    if pad_to_multiple_of is not None:
        pad_to_multiple_of = natural("pad_to_multiple_of", pad_to_multiple_of)
    if max_length is not None and padding is False and truncation is None:
        truncation = "longest_first"
    fill = _named("padding", padding, "longest", PADDING)
    cut = _named("truncation", truncation, "longest_first", TRUNCATION)
    if padding is True and verbose and max_length is not None and cut == "do_not_truncate":
        warnings.warn(
            "max_length has no effect on padding=True without truncation; padding='max_length' fills up to it",
            UserWarning,
            stacklevel=4,
        )
    if max_length is None:
        limit = number("model_max_length", tokenizer.model_max_length)
        if fill == "max_length":
            fill, max_length = ("do_not_pad", None) if limit > UNLIMITED else (fill, int(limit))
        if cut != "do_not_truncate":
            cut, max_length = ("do_not_truncate", max_length) if limit > UNLIMITED else (cut, int(limit))
    if fill != "do_not_pad" and tokenizer.pad_token is None:
        raise SettingError(
            "padding was asked for, but the tokenizer has no padding token: set tokenizer.pad_token, as in "
            "`tokenizer.pad_token = tokenizer.eos_token`, or add one with add_special_tokens({'pad_token': '[PAD]'})"
        )
    if (
        fill != "do_not_pad"
        and cut != "do_not_truncate"
        and pad_to_multiple_of
        and max_length is not None
        and max_length % pad_to_multiple_of
    ):
        raise SettingError(
            f"texts are truncated to max_length `{max_length}` and filled up to a multiple of pad_to_multiple_of "
            f"`{pad_to_multiple_of}`, but the one is no multiple of the other"
        )
    return Strategies(fill, cut, max_length)


def truncation_of(strategies: Strategies, side: str, stride: int, added: int) -> _core.Truncation | None:
    """The settings of the extension.

    Args:
        strategies: Those of the call.
        side: The side that is cut off.
        stride: Tokens that each part shares with the one before.
        added: Special tokens that a text gets, or a pair if the call has pairs.

    Raises:
        SettingError: No text can be truncated so.
    """
    if strategies.truncation == "do_not_truncate" or strategies.max_length is None:
        return None
    setting = _settings.truncation(
        strategies.max_length, stride, strategies.truncation, side_of_text("truncation_side", side)
    )
    _settings.check_fit(setting, added)
    return setting


def padding_of(
    tokenizer: Identity, strategies: Strategies, side: str | None, pad_to_multiple_of: int | None
) -> _core.Padding | None:
    """The settings of the extension.

    Raises:
        ValueError: The side is neither left nor right.
        SettingError: The padding token is not in the vocabulary.
    """
    if strategies.padding == "do_not_pad":
        return None
    pad_id = tokenizer.pad_token_id
    if pad_id is None:
        raise SettingError(
            f"the padding token `{tokenizer.pad_token}` is not in the vocabulary: "
            "add it with add_special_tokens({'pad_token': ...})"
        )
    length = strategies.max_length if strategies.padding == "max_length" else None
    return _settings.padding(
        direction=side_of_text("padding_side", tokenizer.padding_side if side is None else side),
        pad_id=pad_id,
        pad_type_id=tokenizer.pad_token_type_id,
        pad_token=str(tokenizer.pad_token),
        length=length,
        pad_to_multiple_of=pad_to_multiple_of,
    )
