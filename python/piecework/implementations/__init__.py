"""Tokenizers that come ready: all parts are chosen, a vocabulary is to be loaded or trained."""

from __future__ import annotations

from piecework.implementations.base_tokenizer import BaseTokenizer
from piecework.implementations.bert_wordpiece import BertWordPieceTokenizer
from piecework.implementations.byte_level_bpe import ByteLevelBPETokenizer
from piecework.implementations.char_level_bpe import CharBPETokenizer
from piecework.implementations.sentencepiece_bpe import SentencePieceBPETokenizer
from piecework.implementations.sentencepiece_unigram import SentencePieceUnigramTokenizer

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]
