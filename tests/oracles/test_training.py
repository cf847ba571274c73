"""Training gives the reference's vocabulary and merges, where the reference itself gives the same twice."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
import tokenizers as reference
from hypothesis import given
from hypothesis import strategies as st

import piecework
from support.library import library_files, library_texts
from support.texts import texts

pytestmark = pytest.mark.filterwarnings("ignore:vocab_size is .* which are all kept")


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


SPECIAL = ["[UNK]", "<s>"]
KINDS: dict[str, tuple[Any, Any]] = {
    "BPE": (lambda p: p.models.BPE(), lambda t: t.BpeTrainer(vocab_size=600, show_progress=False)),
    "BPE with bytes": (
        lambda p: p.models.BPE(unk_token="[UNK]"),
        lambda t: t.BpeTrainer(
            vocab_size=600, special_tokens=SPECIAL, enforce_byte_fallback=True, limit_alphabet=20, show_progress=False
        ),
    ),
    "WordPiece": (
        lambda p: p.models.WordPiece(),
        lambda t: t.WordPieceTrainer(vocab_size=600, special_tokens=SPECIAL, show_progress=False),
    ),
    "WordPiece by likelihood": (
        lambda p: p.models.WordPiece(),
        lambda t: t.WordPieceTrainer(vocab_size=600, special_tokens=SPECIAL, scoring="likelihood", show_progress=False),
    ),
    "WordLevel": (
        lambda p: p.models.WordLevel(unk_token="[UNK]"),
        lambda t: t.WordLevelTrainer(vocab_size=300, special_tokens=SPECIAL, show_progress=False),
    ),
    "Unigram": (
        lambda p: p.models.Unigram(),
        lambda t: t.UnigramTrainer(vocab_size=600, unk_token="[UNK]", special_tokens=SPECIAL, show_progress=False),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_trained_here_does_the_same_in_the_reference(kind: str) -> None:
    corpus = list(itertools.islice(library_texts(), 20))
    model, trainer = KINDS[kind]
    tokenizer = piecework.Tokenizer(model(piecework))
    tokenizer.pre_tokenizer = piecework.pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(corpus, trainer(piecework.trainers))
    other = reference.Tokenizer.from_str(tokenizer.to_str())
    assert other.get_vocab() == tokenizer.get_vocab()
    for text in [*(text[-2000:] for text in corpus), "☃ né <s> \U0001f600"]:
        assert other.encode(text).ids == tokenizer.encode(text).ids


words = st.text("abc", min_size=1, max_size=7)
# No language is empty: with a ratio the reference picks such a one for ever.
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)
languages = st.lists(st.lists(sentences, min_size=1, max_size=4), min_size=1, max_size=3)


@given(
    train=languages,
    settings=st.fixed_dictionaries(
        {"num_merges": st.integers(0, 25)},
        optional={
            "min_frequency": st.integers(0, 3),
            "global_merges": st.integers(0, 8),
            "total_symbols": st.booleans(),
            "special_tokens": st.sampled_from((["<s>"], ["a", "ab"])),
            "initial_alphabet": st.just(["z", "a"]),
            "max_token_length": st.integers(1, 5),
        },
    ),
    affixes=st.sampled_from(({}, {}, {"continuing_subword_prefix": "##"}, {"end_of_word_suffix": "</w>"})),
    data=st.data(),
)
def test_parity_training(
    train: list[list[str]], settings: dict[str, Any], affixes: dict[str, str], data: st.DataObject
) -> None:
    ratio = data.draw(st.none() | st.lists(st.sampled_from((0.5, 1.0, 1.3)), min_size=3, max_size=3))
    # With affixes the reference drops symbols of the development texts that the training texts do not have.
    dev = None if affixes else data.draw(st.none() | st.just([[*texts[::-1], "ab a"] for texts in train]))
    results = []
    for package in (piecework, reference):
        tokenizer = package.Tokenizer(package.models.BPE())
        tokenizer.pre_tokenizer = package.pre_tokenizers.WhitespaceSplit()
        trainer = package.trainers.ParityBpeTrainer(show_progress=False, **settings, **affixes)
        trainer.train_from_iterator(tokenizer, train, dev, ratio and ratio[: len(train)])
        model = json.loads(tokenizer.to_str())["model"]
        # The order of symbols with affixes is random in the reference.
        results.append((sorted(model["vocab"]) if affixes else model["vocab"], model["merges"]))
    assert results[0] == results[1]


def test_parity_training_with_a_window() -> None:
    # Languages that never run out of pairs: where all that are left had their share the reference never ends.
    train = [["".join(chr(97 + (i * i + 3 * i * k + k) % 23) for i in range(400))] for k in range(1, 4)]
    merges = []
    for package in (piecework, reference):
        tokenizer = package.Tokenizer(package.models.BPE())
        trainer = package.trainers.ParityBpeTrainer(60, "window", window_size=6, alpha=2.0, show_progress=False)
        trainer.train_from_iterator(tokenizer, train)
        merges.append(json.loads(tokenizer.to_str())["model"]["merges"])
    assert merges[0] == merges[1]
