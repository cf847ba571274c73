"""Subword tokenization: train, encode, align, decode, inspect.

`from piecework import Tokenizer, models, ...` reads like the library `tokenizers`: code written for it runs after
changing the import.
"""

from __future__ import annotations

from piecework import decoders, models, normalizers, pre_tokenizers, processors, trainers
from piecework._alias import as_tokenizers
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
    TrainingError,
)
from piecework.implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer,
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

__all__ = [
    "AddedToken",
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
    "RaggedIds",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SettingError",
    "SpecError",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "TokenColumns",
    "Tokenizer",
    "TrainingError",
    "__version__",
    "as_tokenizers",
    "decoders",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "trainers",
]
