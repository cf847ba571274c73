"""The tokenizer that people call: texts in, columns out, folders of transformers read and written."""

from __future__ import annotations

from piecework.pretrained.auto import AutoTokenizer
from piecework.pretrained.batch_encoding import BatchEncoding, CharSpan, TokenSpan
from piecework.pretrained.tokenizer import PreTrainedTokenizer

__all__ = ["AutoTokenizer", "BatchEncoding", "CharSpan", "PreTrainedTokenizer", "TokenSpan"]
