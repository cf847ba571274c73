"""Training gives the reference's vocabulary and merges, where the reference itself gives the same twice."""

from __future__ import annotations

import json
from typing import Any

import tokenizers as reference
from hypothesis import given
from hypothesis import strategies as st

import piecework
from support.library import library_files, library_texts
from support.texts import texts


def trained(package: Any, corpus: list[str], settings: dict[str, Any], split: str) -> str:
    tokenizer = package.Tokenizer(package.models.BPE())
    tokenizer.pre_tokenizer = getattr(package.pre_tokenizers, split)()
    tokenizer.train_from_iterator(corpus, package.trainers.BpeTrainer(show_progress=False, **settings))
    return str(tokenizer.to_str())


@given(
    corpus=st.lists(st.one_of(texts, st.text("ab ", max_size=40)), max_size=10),
    settings=st.fixed_dictionaries(
        {
            "vocab_size": st.integers(0, 400),
            "min_frequency": st.integers(0, 3),
            "special_tokens": st.sampled_from(([], ["<s>"], ["<s>", "a"])),
            "initial_alphabet": st.sampled_from(([], ["a", "é"])),
            "max_token_length": st.none() | st.integers(1, 6),
        }
    ),
    split=st.sampled_from(("Whitespace", "ByteLevel")),
)
def test_random_corpora(corpus: list[str], settings: dict[str, Any], split: str) -> None:
    assert trained(piecework, corpus, settings, split) == trained(reference, corpus, settings, split)


def test_real_text() -> None:
    settings = {
        "vocab_size": 8000,
        "special_tokens": ["<|endoftext|>"],
        "initial_alphabet": piecework.pre_tokenizers.ByteLevel.alphabet(),
    }
    corpus = list(library_texts())
    assert trained(piecework, corpus, settings, "ByteLevel") == trained(reference, corpus, settings, "ByteLevel")


def test_files() -> None:
    files = [str(file) for file in library_files()]
    results = []
    for package in (piecework, reference):
        tokenizer = package.Tokenizer(package.models.BPE())
        tokenizer.pre_tokenizer = package.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.train(files, package.trainers.BpeTrainer(vocab_size=3000, show_progress=False))
        results.append(json.loads(tokenizer.to_str()))
    assert results[0] == results[1]
