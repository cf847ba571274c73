"""Static types of the surface, held by mypy; nothing here runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

from piecework import Encoding, Tokenizer, reference
from piecework.inspect import MergeRound, TracedToken, compare, overlap, trace, train_trace


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
