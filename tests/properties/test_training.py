"""What holds of every training."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework import Tokenizer, models, pre_tokenizers, trainers
from support.texts import texts

pytestmark = pytest.mark.filterwarnings("ignore:vocab_size is .* which are all kept")

corpora = st.lists(st.one_of(texts, st.text("ab ", max_size=30)), max_size=8)
options = st.fixed_dictionaries(
    {
        "vocab_size": st.integers(0, 300),
        "min_frequency": st.integers(0, 3),
        "special_tokens": st.sampled_from(([], ["<s>"], ["<s>", "a"])),
        "initial_alphabet": st.sampled_from(([], ["a", "é"])),
    },
    optional={"limit_alphabet": st.integers(0, 20), "max_token_length": st.integers(1, 6)},
)


def trained(corpus: list[str], settings: dict[str, Any]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(show_progress=False, **settings))
    return tokenizer


@given(corpus=corpora, settings=options)
def test_training_again_gives_the_same_file(corpus: list[str], settings: dict[str, Any]) -> None:
    assert trained(corpus, settings).to_str() == trained(corpus, settings).to_str()


@given(corpus=corpora, settings=options)
def test_the_vocabulary_is_dense_and_merges_are_in_it(corpus: list[str], settings: dict[str, Any]) -> None:
    model = json.loads(trained(corpus, settings).to_str())["model"]
    vocab = model["vocab"]
    assert sorted(vocab.values()) == list(range(len(vocab)))
    for left, right in model["merges"]:
        assert {left, right, left + right} <= vocab.keys()
        # A token is made of tokens that were there before it.
        assert vocab[left + right] > max(vocab[left], vocab[right]) or left + right in settings["special_tokens"]


@given(corpus=corpora, settings=options)
def test_the_order_of_texts_does_not_matter(corpus: list[str], settings: dict[str, Any]) -> None:
    assert trained(corpus, settings).to_str() == trained(corpus[::-1], settings).to_str()
