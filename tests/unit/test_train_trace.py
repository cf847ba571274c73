"""The first rounds of a training, and what they were chosen by."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piecework import Tokenizer, TrainingError, models, normalizers, pre_tokenizers, trainers
from piecework.inspect import train_trace
from piecework.inspect.training import count_words
from support.texts import texts

# Sizes below the alphabet are among those drawn.
pytestmark = pytest.mark.filterwarnings("ignore:vocab_size is")

# From the course of Hugging Face, chapter 6.
TOY = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def test_merges_of_bpe_with_their_counts_and_what_came_next() -> None:
    shown = train_trace(Tokenizer(models.BPE()), TOY, trainers.BpeTrainer(vocab_size=10))
    assert [(m.pair, m.token, m.occurrences) for m in shown.merges] == [
        (("u", "g"), "ug", 20), (("u", "n"), "un", 16), (("h", "ug"), "hug", 15),
    ]  # fmt: skip
    assert shown.merges[0].rivals == [(("p", "u"), 17.0), (("u", "n"), 16.0), (("h", "u"), 15.0)]
    assert "h + ug" in str(shown)
    assert "<td>h + ug</td>" in shown._repr_html_()


def test_merges_of_wordpiece_by_likelihood() -> None:
    trainer = trainers.WordPieceTrainer(vocab_size=14, scoring="likelihood")
    shown = train_trace(Tokenizer(models.WordPiece()), TOY, trainer)
    assert [(m.pair, m.occurrences, round(m.score, 9)) for m in shown.merges] == [
        (("##g", "##s"), 5, round(1 / 20, 9)),
        (("h", "##u"), 15, round(1 / 36, 9)),
        (("hu", "##gs"), 5, round(1 / 15, 9)),
    ]


def test_merges_of_wordpiece_by_frequency() -> None:
    shown = train_trace(Tokenizer(models.WordPiece()), TOY, trainers.WordPieceTrainer(vocab_size=14))
    assert [(m.token, m.occurrences) for m in shown.merges] == [("##ug", 20), ("##un", 16), ("hug", 15)]


def test_rounds_of_unigram() -> None:
    trainer = trainers.UnigramTrainer(vocab_size=12, shrinking_factor=0.5)
    shown = train_trace(Tokenizer(models.Unigram()), {**TOY, "unhugs": 3, "bugs": 7, "hugpug": 2}, trainer)
    assert [r.kept for r in shown.prunings] == sorted((r.kept for r in shown.prunings), reverse=True)
    assert shown.prunings[0].pieces > shown.prunings[-1].kept
    assert "rounds of pruning" in str(shown)


def test_words_that_do_not_occur_do_not_count() -> None:
    trainer = trainers.UnigramTrainer(vocab_size=12, shrinking_factor=0.5)
    counts = {**TOY, "unhugs": 3}
    rounds = train_trace(Tokenizer(models.Unigram()), {"zzz": 0, **counts}, trainer).prunings
    assert rounds == train_trace(Tokenizer(models.Unigram()), counts, trainer).prunings


def test_so_many_rounds() -> None:
    assert len(train_trace(Tokenizer(models.BPE()), TOY, steps=2).merges) == 2
    assert (
        len(train_trace(Tokenizer(models.Unigram()), TOY, trainers.UnigramTrainer(vocab_size=7), steps=1).prunings) == 1
    )


def test_the_tokenizer_stays_as_it_is() -> None:
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=10)
    train_trace(tokenizer, TOY, trainer)
    assert (tokenizer.get_vocab_size(), trainer.vocab_size, trainer.show_progress) == (0, 10, True)


def test_what_has_no_rounds_or_does_not_fit() -> None:
    with pytest.raises(TrainingError, match="no rounds"):
        train_trace(Tokenizer(models.WordLevel()), TOY)
    with pytest.raises(TrainingError, match="can only train a WordPiece, not a BPE"):
        train_trace(Tokenizer(models.BPE()), TOY, trainers.WordPieceTrainer())
    with pytest.raises(TypeError, match="`texts` must be"):
        train_trace(Tokenizer(models.BPE()), "hug")


pipelines: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "normalizer": st.sampled_from((None, normalizers.Lowercase(), normalizers.NFKD())),
        "pre_tokenizer": st.sampled_from(
            (None, pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(), pre_tokenizers.Metaspace())
        ),
    }
)
corpora = st.lists(st.one_of(texts, st.text("ab <s>B", max_size=20)), max_size=6)


@settings(max_examples=30)
@given(parts=pipelines, corpus=corpora)
def test_words_are_counted_as_training_counts_them(parts: dict[str, Any], corpus: list[str]) -> None:
    def trained(*, by_counts: bool) -> str:
        tokenizer = Tokenizer(models.WordLevel())
        for name, part in parts.items():
            setattr(tokenizer, name, part)
        tokenizer.add_special_tokens(["<s>"])
        tokenizer.add_tokens(["B"])
        trainer = trainers.WordLevelTrainer(show_progress=False)
        if by_counts:
            tokenizer.train_from_counts(count_words(tokenizer, corpus), trainer)
        else:
            tokenizer.train_from_iterator(corpus, trainer)
        return json.dumps(json.loads(tokenizer.to_str())["model"])

    assert trained(by_counts=True) == trained(by_counts=False)


@settings(max_examples=30)
@given(
    counts=st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 20), max_size=8),
    size=st.integers(0, 40),
    options=st.fixed_dictionaries(
        {"min_frequency": st.integers(0, 4)},
        optional={
            "limit_alphabet": st.integers(1, 3),
            "end_of_word_suffix": st.just("</w>"),
            "continuing_subword_prefix": st.sampled_from(("##", "@")),
            "special_tokens": st.just(["<s>"]),
        },
    ),
)
def test_the_merges_by_likelihood_are_those_of_the_trainer(
    counts: dict[str, int], size: int, options: dict[str, Any]
) -> None:
    def learnt(size: int) -> list[str]:
        tokenizer = Tokenizer(models.WordPiece())
        tokenizer.train_from_counts(counts, trainer(size))
        vocab = tokenizer.model._handle.vocab()
        return sorted(vocab, key=vocab.__getitem__)

    def trainer(size: int) -> trainers.WordPieceTrainer:
        return trainers.WordPieceTrainer(vocab_size=size, scoring="likelihood", show_progress=False, **options)

    start = learnt(0)
    shown = train_trace(Tokenizer(models.WordPiece()), counts, trainer(size), steps=100)
    new = dict.fromkeys(m.token for m in shown.merges if m.token not in start)
    assert learnt(size) == [*start, *new]
