"""The tokenizer that people call: texts in, columns out, folders of transformers read and written."""

from __future__ import annotations

from piecework.pretrained.auto import AutoTokenizer
from piecework.pretrained.batch_encoding import BatchEncoding, CharSpan, TokenSpan
from piecework.pretrained.speech import WhisperTokenizer
from piecework.pretrained.tokenizer import PreTrainedTokenizer
from piecework.pretrained.translation import TranslationTokenizer

__all__ = [
    "AutoTokenizer",
    "BatchEncoding",
    "CharSpan",
    "PreTrainedTokenizer",
    "TokenSpan",
    "TranslationTokenizer",
    "WhisperTokenizer",
]
