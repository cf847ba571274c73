"""Subword tokenization: train, encode, align, decode, inspect.

`from piecework import Tokenizer, models, ...` reads like the library `tokenizers`: code written for it runs after
changing the import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import decoders, models, normalizers, pre_tokenizers, processors, trainers
from piecework._core import __version__
from piecework._types import (
    EncodeInput,
    InputSequence,
    Offsets,
    PreTokenizedEncodeInput,
    PreTokenizedInputSequence,
    TextEncodeInput,
    TextInputSequence,
)
from piecework.added_token import AddedToken
from piecework.batch import RaggedIds, TokenColumns
from piecework.encoding import Encoding
from piecework.errors import (
    DecodeError,
    EncodeError,
    FormatError,
    InternalError,
    PieceworkError,
    SettingError,
    SpecError,
    TemplateError,
    TrainingError,
)
from piecework.regex import Regex
from piecework.strings import (
    NormalizedString,
    OffsetReferential,
    OffsetType,
    PreTokenizedString,
    SplitDelimiterBehavior,
)
from piecework.token import Token
from piecework.tokenizer import Tokenizer
from piecework.word_counts import WordCounts

if TYPE_CHECKING:
    from piecework._alias import as_tokenizers
    from piecework.implementations import (
        BertWordPieceTokenizer,
        ByteLevelBPETokenizer,
        CharBPETokenizer,
        SentencePieceBPETokenizer,
        SentencePieceUnigramTokenizer,
    )
    from piecework.pretrained import AutoTokenizer, BatchEncoding, PreTrainedTokenizer

__all__ = [
    "AddedToken",
    "AutoTokenizer",
    "BatchEncoding",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "DecodeError",
    "EncodeError",
    "EncodeInput",
    "Encoding",
    "FormatError",
    "InputSequence",
    "InternalError",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PieceworkError",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "PreTrainedTokenizer",
    "RaggedIds",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SettingError",
    "SpecError",
    "SplitDelimiterBehavior",
    "TemplateError",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "TokenColumns",
    "Tokenizer",
    "TrainingError",
    "WordCounts",
    "__version__",
    "as_tokenizers",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "trainers",
]

# What only some programs need is imported when it is asked for.
_LATER = {
    "as_tokenizers": "_alias",
    "BertWordPieceTokenizer": "implementations",
    "ByteLevelBPETokenizer": "implementations",
    "CharBPETokenizer": "implementations",
    "SentencePieceBPETokenizer": "implementations",
    "SentencePieceUnigramTokenizer": "implementations",
    "AutoTokenizer": "pretrained",
    "BatchEncoding": "pretrained",
    "PreTrainedTokenizer": "pretrained",
    "budgets": "",
    "implementations": "",
    "integrations": "",
    "pretrained": "",
    "tasks": "",
    "tools": "",
}


def __getattr__(name: str) -> Any:
    """Import what was asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'piecework' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - not at import time

    module = import_module(f"piecework.{_LATER[name] or name}")
    return getattr(module, name) if _LATER[name] else module


def __dir__() -> list[str]:
    """All names, those that are imported later too."""
    return sorted({*globals(), *_LATER})
