"""Static types of the surface, held by mypy; nothing here runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

from piecework import AutoTokenizer, BatchEncoding, Encoding, PreTrainedTokenizer, Tokenizer, reference
from piecework.budgets import Chunk
from piecework.inspect import MergeRound, TracedToken, compare, overlap, trace, train_trace
from piecework.pretrained import CharSpan, TokenSpan


def encoding(tokenizer: Tokenizer) -> None:
    one = tokenizer.encode("text")
    assert_type(one, Encoding)
    assert_type(one.ids, list[int])
    assert_type(one.tokens, list[str])
    assert_type(one.offsets, list[tuple[int, int]])
    assert_type(one.word_ids, list[int | None])
    assert_type(one.overflowing, list[Encoding])
    assert_type(one.char_to_token(0), int | None)
    assert_type(tokenizer.encode_batch(["a", ("b", "c")]), list[Encoding])


def ids(tokenizer: Tokenizer) -> None:
    rows = tokenizer.encode_ids(["text"])
    assert_type(rows.ids, NDArray[np.uint32])
    assert_type(rows.offsets, NDArray[np.int64])


def vocabulary(tokenizer: Tokenizer) -> None:
    assert_type(tokenizer.token_to_id("a"), int | None)
    assert_type(tokenizer.id_to_token(0), str | None)
    assert_type(tokenizer.get_vocab_size(), int)
    assert_type(tokenizer.decode([1, 2]), str)


def inside(tokenizer: Tokenizer) -> None:
    shown = trace(tokenizer, "text")
    assert_type(shown.tokens, list[TracedToken])
    assert_type(shown.encoding, Encoding)
    assert_type(train_trace(tokenizer, ["text"]).merges, list[MergeRound])
    assert_type(compare([tokenizer], ["text"]).measures[0].fertility, float)
    assert_type(overlap(tokenizer, tokenizer).shared, frozenset[str])
    assert_type(reference.Unigram.from_counts({"a": 1}).encode_word("a"), tuple[list[str], float])


def called(folder: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert_type(tokenizer, PreTrainedTokenizer)
    batch = tokenizer(["text"], padding=True, return_tensors="np")
    assert_type(batch, BatchEncoding)
    assert_type(batch.encodings, list[Encoding] | None)
    assert_type(batch.token_to_chars(0, 1), CharSpan | None)
    assert_type(batch.word_to_tokens(0), TokenSpan | None)
    assert_type(tokenizer.pad_token, str | None)
    assert_type(tokenizer.pad_token_id, int | None)
    assert_type(tokenizer.count("text"), int)
    assert_type(tokenizer.count(["text"]), NDArray[np.uint32])
    assert_type(tokenizer.decode([1, 2]), str)
    assert_type(tokenizer.decode([[1], [2]]), list[str])
    assert_type(tokenizer.chunk("text", 8), list[Chunk])
    assert_type(PreTrainedTokenizer.from_pretrained(folder, model_type="bert"), PreTrainedTokenizer)
