"""Truncation and padding: how they are given, checked and shown."""

from __future__ import annotations

from typing import Any

from piecework import _core
from piecework._checks import id_number, natural, optional_natural, text, wrong_type
from piecework.errors import SettingError

STRATEGIES = ("longest_first", "only_first", "only_second")


def _direction(direction: object) -> str:
    if text("direction", direction) not in ("left", "right"):
        raise ValueError(f"Unknown `direction`: `{direction}`. Use one of `left` or `right`.")
    return str(direction)


def truncation(
    max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
) -> _core.Truncation:
    """Truncation settings, checked by themselves."""
    if text("strategy", strategy) not in STRATEGIES:
        raise ValueError(
            f"Unknown `strategy`: `{strategy}`. Use one of `longest_first`, `only_first`, or `only_second`"
        )
    left = _direction(direction) == "left"
    return _core.Truncation(natural("max_length", max_length), natural("stride", stride), strategy, left)


def padding(
    direction: str = "right",
    pad_id: int = 0,
    pad_type_id: int = 0,
    pad_token: str = "[PAD]",  # noqa: S107 - a token of a vocabulary
    length: int | None = None,
    pad_to_multiple_of: int | None = None,
) -> _core.Padding:
    """Padding settings, checked by themselves."""
    return _core.Padding(
        optional_natural("length", length),
        _direction(direction) == "left",
        optional_natural("pad_to_multiple_of", pad_to_multiple_of),
        id_number("pad_id", pad_id),
        id_number("pad_type_id", pad_type_id),
        text("pad_token", pad_token),
    )


def check_fit(setting: _core.Truncation, added: int) -> None:
    """Raise where no text could be truncated so.

    Args:
        setting: The truncation.
        added: Tokens that the post-processor adds to a single text.
    """
    room = setting.max_length - added
    if room < 0:
        raise SettingError(
            f"truncation max_length `{setting.max_length}` leaves no room for the `{added}` special tokens of a text, "
            f"expected at least `{added}`"
        )
    if setting.stride >= room and setting.stride > 0:
        raise SettingError(
            f"truncation stride `{setting.stride}` is not less than the `{room}` tokens that a text may keep "
            f"(max_length `{setting.max_length}` less `{added}` special tokens)"
        )


def truncation_of_call(value: object, setting: _core.Truncation | None) -> _core.Truncation | None:
    """The truncation of one call.

    None and True take the setting, False none; an int is a max_length, a dict holds all arguments.
    """
    if value is None:
        return setting
    if value is False:
        return None
    if value is True:
        if setting is None:
            raise SettingError(
                "truncation=True, but no truncation is set: give a max_length, or call enable_truncation"
            )
        return setting
    if isinstance(value, dict):
        return truncation(**value)
    if isinstance(value, _core.Truncation):
        return value
    if hasattr(type(value), "__index__"):
        return truncation(natural("truncation", value))
    raise wrong_type("truncation", "bool, int, dict or None", value)


def padding_of_call(value: object, setting: _core.Padding | None) -> _core.Padding | None:
    """The padding of one call.

    None takes the setting, True the setting or else the default, False none; an int is a length, a dict holds all
    arguments.
    """
    if value is None:
        return setting
    if value is False:
        return None
    if value is True:
        return padding() if setting is None else setting
    if isinstance(value, dict):
        return padding(**value)
    if isinstance(value, _core.Padding):
        return value
    if hasattr(type(value), "__index__"):
        length = natural("padding", value)
        if setting is None:
            return padding(length=length)
        return padding(**{**shown_padding(setting), "length": length})
    raise wrong_type("padding", "bool, int, dict or None", value)


def shown_truncation(setting: _core.Truncation) -> dict[str, Any]:
    """The settings as a dict."""
    return {
        "max_length": setting.max_length,
        "stride": setting.stride,
        "strategy": setting.strategy,
        "direction": "left" if setting.left else "right",
    }


def shown_padding(setting: _core.Padding) -> dict[str, Any]:
    """The settings as a dict."""
    return {
        "length": setting.length,
        "pad_to_multiple_of": setting.pad_to_multiple_of,
        "pad_id": setting.pad_id,
        "pad_token": setting.pad_token,
        "pad_type_id": setting.pad_type_id,
        "direction": "left" if setting.left else "right",
    }
