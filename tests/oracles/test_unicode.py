"""Every code point goes through each component as in the reference: the tables have the right version of Unicode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import tokenizers.normalizers
import tokenizers.pre_tokenizers

import piecework.normalizers
import piecework.pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1024
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]

NORMALIZERS = [
    "NFC()",
    "NFD()",
    "NFKC()",
    "NFKD()",
    "Lowercase()",
    "StripAccents()",
    "Nmt()",
    "Strip()",
    "ByteLevel()",
    "BertNormalizer(True, False, False, False)",
    "BertNormalizer(False, True, False, False)",
    "BertNormalizer(False, False, True, False)",
]
PRE_TOKENIZERS = [
    "BertPreTokenizer()",
    "ByteLevel(False)",
    "Digits()",
    "Metaspace()",
    "Punctuation('removed')",
    "UnicodeScripts()",
    "Whitespace()",
    "WhitespaceSplit()",
]


def differing(ours: Callable[[str], Any], theirs: Callable[[str], Any], wrap: Callable[[str], str]) -> list[str]:
    """The code points that come out differently; they are tried alone only where a whole block of them differs."""
    found = []
    for at in range(0, len(CHARACTERS), BLOCK):
        block = CHARACTERS[at : at + BLOCK]
        together = "".join(map(wrap, block))
        if ours(together) != theirs(together):
            found += [f"U+{ord(c):04X}" for c in block if ours(wrap(c)) != theirs(wrap(c))] or [
                f"after U+{ord(block[0]):04X}"
            ]
    return found


@pytest.mark.parametrize("expression", NORMALIZERS)
def test_normalizer(expression: str) -> None:
    ours = eval(expression, vars(piecework.normalizers))
    theirs = eval(expression, vars(tokenizers.normalizers))
    assert differing(ours.normalize_str, theirs.normalize_str, lambda c: f"{c}x") == []


@pytest.mark.parametrize("neighbour", ["x", "\u4e2d"])
@pytest.mark.parametrize("expression", PRE_TOKENIZERS)
def test_pre_tokenizer(expression: str, neighbour: str) -> None:
    ours = eval(expression, vars(piecework.pre_tokenizers))
    theirs = eval(expression, vars(tokenizers.pre_tokenizers))
    assert differing(ours.pre_tokenize_str, theirs.pre_tokenize_str, lambda c: c + neighbour) == []
