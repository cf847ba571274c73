"""Counting a corpus is cutting each of its texts, whatever way the counter takes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from piecework import AddedToken, Tokenizer, WordCounts
from support.pipelines import normalizers, pre_tokenizers
from support.texts import texts

MODEL = {"type": "BPE", "vocab": {}, "merges": []}


def by_hand(tokenizer: Tokenizer, corpus: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in corpus:
        normalized = text if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(text)
        if tokenizer.pre_tokenizer is None:
            counts[normalized] += 1
        else:
            counts.update(piece for piece, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normalized))
    # In the order of their first appearance; a text may come out empty.
    return Counter({word: count for word, count in counts.items() if word})


@given(
    corpus=st.lists(st.one_of(texts, st.text("aB é,.12_\n", max_size=30)), max_size=6),
    normalizer=normalizers,
    pre_tokenizer=pre_tokenizers,
    memory_limit=st.sampled_from((None, 1)),
)
def test_counts_are_those_of_the_components(
    corpus: list[str], normalizer: Any, pre_tokenizer: Any, memory_limit: int | None
) -> None:
    # That something was dropped in front, so that no piece stands at the start, no component by itself can see.
    assume(normalizer is None or '"first"' not in json.dumps(pre_tokenizer))
    spec = {"model": MODEL, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    counts = WordCounts.from_iterator(corpus, tokenizer, memory_limit=memory_limit)
    found = [(word, count) for word, count in counts.items() if word]
    assert found == list(by_hand(tokenizer, corpus).items())


@given(corpus=st.lists(st.text("aB <s>é", max_size=30), max_size=5), normalizer=normalizers, normalized=st.booleans())
def test_added_tokens_are_cut_out_of_raw_and_of_normalized_text(
    corpus: list[str], normalizer: Any, normalized: bool
) -> None:
    spec = {"model": MODEL, "normalizer": normalizer, "pre_tokenizer": {"type": "BertPreTokenizer"}}
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    tokenizer.add_tokens([AddedToken("<s>", normalized=normalized)])
    # One text at a time and all together: what is kept of a text must not matter for the next.
    single: Counter[str] = Counter()
    for text in corpus:
        single.update(WordCounts.from_iterator([text], tokenizer).to_dict())
    assert WordCounts.from_iterator(corpus, tokenizer).to_dict() == dict(single)
