"""Conversations in which nobody can forge what belongs to the template: control tokens in messages stay plain text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from piecework.pretrained import _templates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.pretrained._calling import Calling

_START, _END = "\U000f0000", "\U000f0001"
"""Put around control tokens in what users wrote; these characters are for private use."""


def control_tokens(tokenizer: Calling, template: str) -> tuple[str, ...]:
    """Added tokens that mean something to the model: special ones, and those that the template writes itself."""
    named = tokenizer.chat_control_tokens
    written = _templates.literals(template)

    def controls(content: str) -> bool:
        if named is not None:
            return content in named
        return content in written and not content.isspace()

    added = tokenizer.added_tokens_decoder.values()
    return tuple(token.content for token in added if token.special or controls(token.content))


@lru_cache(maxsize=64)
def _patterns(tokens: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds the tokens in a text, and what finds those that are marked; longer ones go first."""
    either = "|".join(map(re.escape, sorted(tokens, key=len, reverse=True))) or "(?!)"
    return re.compile(either), re.compile(f"{_START}({either}){_END}|[{_START}{_END}]")


def mark(value: Any, tokens: tuple[str, ...]) -> Any:
    """What users wrote, with marks around control tokens; messages, lists and dicts are gone through."""
    if isinstance(value, str):
        bare = value.replace(_START, "").replace(_END, "")
        return _patterns(tokens)[0].sub(f"{_START}\\g<0>{_END}", bare)
    if isinstance(value, dict):
        return {key: mark(item, tokens) for key, item in value.items()}
    return [mark(item, tokens) for item in value] if isinstance(value, (list, tuple)) else value


def marked(variables: Mapping[str, Any], tokens: tuple[str, ...]) -> dict[str, Any]:
    """Variables of a template with marks."""
    return {name: mark(_templates.plain(value), tokens) for name, value in variables.items()}


def encode(tokenizer: Calling, chat: str) -> list[int]:
    """The ids of a rendered conversation: what is marked as text without added tokens, all else as usual.

    Raises:
        ValueError: The tokenizer makes a control token out of plain text.
    """
    pieces = _patterns(tuple(tokenizer.added_tokens_encoder))[1].split(chat)
    ids = _plain_ids(tokenizer, pieces[0])
    for number, piece in enumerate(pieces[1:], 1):
        if not piece:
            continue
        is_text = number % 2 == 1
        made = _ids_within(tokenizer, piece, is_text=is_text)
        if is_text and tokenizer.convert_tokens_to_ids(piece) in made:
            raise ValueError(f"`{piece}` cannot be taken as text: the tokenizer makes the control token out of it")
        ids += made
    return ids


def _ids_within(tokenizer: Calling, piece: str, *, is_text: bool) -> list[int]:
    """The ids of a piece as if something stood before it, so that no blank is put in front."""
    encode_piece = _text_ids if is_text else _plain_ids
    newline, made = _plain_ids(tokenizer, "\n"), encode_piece(tokenizer, f"\n{piece}")
    return made[len(newline) :] if made[: len(newline)] == newline else encode_piece(tokenizer, piece)


def _plain_ids(tokenizer: Calling, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False)
    return ids


def _text_ids(tokenizer: Calling, text: str) -> list[int]:
    """The ids of a text in which no added token is looked for."""
    backend = tokenizer.backend_tokenizer
    if backend.normalizer is not None:
        text = backend.normalizer.normalize_str(text)
    pretokens = [text]
    if backend.pre_tokenizer is not None:
        pretokens = [pretoken for pretoken, _ in backend.pre_tokenizer.pre_tokenize_str(text)]
    return [token.id for pretoken in pretokens for token in backend.model.tokenize(pretoken)]
