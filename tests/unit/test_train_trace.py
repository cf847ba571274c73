"""The first rounds of a training, and what they were chosen by."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piecework import Tokenizer, TrainingError, WordCounts, models, normalizers, pre_tokenizers, trainers
from piecework.inspect import train_trace

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
    shown = train_trace(Tokenizer(models.Unigram()), TOY | {"unhugs": 3, "bugs": 7, "hugpug": 2}, trainer)
    assert [r.kept for r in shown.prunings] == sorted((r.kept for r in shown.prunings), reverse=True)
    assert shown.prunings[0].pieces > shown.prunings[-1].kept
    assert "rounds of pruning" in str(shown)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vocab_size": 3}, "vocab_size is `3`, below `7`"),
        ({"vocab_size": 9, "special_tokens": ["<a>", "<b>", "<c>"]}, "vocab_size is `9`, below `10`"),
        ({"vocab_size": 9, "shrinking_factor": 1.0}, "shrinking_factor is `1`"),
    ],
)
def test_what_a_trainer_refuses_is_not_traced(settings: dict[str, Any], message: str) -> None:
    trainer = trainers.UnigramTrainer(**settings)
    with pytest.raises(TrainingError, match=message):
        train_trace(Tokenizer(models.Unigram()), TOY, trainer)
    with pytest.raises(TrainingError, match=message):
        Tokenizer(models.Unigram()).train_from_counts(TOY, trainer)


def test_a_trace_says_how_large_it_is() -> None:
    merges = train_trace(Tokenizer(models.BPE()), TOY, trainers.BpeTrainer(vocab_size=10))
    assert repr(merges) == "TrainTrace(5 words, 3 merges)"
    prunings = train_trace(Tokenizer(models.Unigram()), TOY, trainers.UnigramTrainer(vocab_size=9), steps=1)
    assert repr(prunings) == "TrainTrace(5 words, 1 prunings)"


def test_words_that_do_not_occur_do_not_count() -> None:
    trainer = trainers.UnigramTrainer(vocab_size=12, shrinking_factor=0.5)
    counts = {**TOY, "unhugs": 3}
    rounds = train_trace(Tokenizer(models.Unigram()), {"zzz": 0} | counts, trainer).prunings
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
    with pytest.raises(TrainingError, match="can only train a BPE, not a WordLevel"):
        train_trace(Tokenizer(models.WordLevel()), TOY, trainers.BpeTrainer())


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("hug", TypeError, "`texts` must be an iterable of texts, or words with counts, not str"),
        (None, TypeError, "`texts` must be an iterable of texts, or words with counts, not NoneType"),
        (b"hug", TypeError, "`texts` must be an iterable of texts, or words with counts, not bytes"),
        (["hug", None], TypeError, r"item\[1\] must be str or an iterable of str, not NoneType"),
        ([b"hug"], TypeError, r"item\[0\] must be str or an iterable of str, not bytes"),
        ([["hug", 3]], TypeError, r"item\[0\]\[1\] must be str, not int"),
        ({"hug": "3"}, TypeError, r"`texts\['hug'\]` must be int, not str"),
        ({"hug": 2**63}, OverflowError, r"`texts\['hug'\]` is 9223372036854775808, which does not fit"),
        ({3: 3}, TypeError, "a word of counts must be str, not int"),
        ({"hug": -3}, TrainingError, "the count of `hug` is `-3`, below 0"),
        (["a\ud800"], UnicodeEncodeError, r"in item\[0\]"),
    ],
)
@pytest.mark.parametrize("model", [models.BPE(), models.WordPiece(), models.Unigram()])
def test_what_is_no_corpus_is_refused(model: models.Model, texts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        train_trace(Tokenizer(model), texts)


@pytest.mark.parametrize("trainer", [3, "bpe", trainers.BpeTrainer, trainers.ParityBpeTrainer(), models.BPE()])
def test_what_is_no_trainer_is_refused(trainer: Any) -> None:
    with pytest.raises(TypeError, match="`trainer` must be BpeTrainer, WordPieceTrainer or UnigramTrainer, not"):
        train_trace(Tokenizer(models.BPE()), TOY, trainer)


@pytest.mark.parametrize("model", [models.BPE(), models.WordPiece(), models.Unigram()])
@pytest.mark.parametrize("corpus", [[], {}, {"": 3}, [""], {"a": 0}, {"a": 1}, {"a" * 900: 1}])
def test_a_corpus_with_next_to_nothing_or_a_long_word(model: models.Model, corpus: Any) -> None:
    shown = train_trace(Tokenizer(model), corpus)
    assert str(shown).startswith("rounds of pruning" if isinstance(model, models.Unigram) else "merges")


def test_no_rounds_are_asked_for() -> None:
    for model in (models.BPE(), models.WordPiece(), models.Unigram()):
        shown = train_trace(Tokenizer(model), TOY, steps=0)
        assert (shown.merges, shown.prunings) == ([], [])
    assert str(shown).startswith("rounds of pruning")


@pytest.mark.parametrize(
    "corpus",
    [
        ["low <s> <b> LOW", "Q low"],
        [["low <s>"], ("<b> LOW", "Q low")],
        dict.fromkeys(["low <s> <b> LOW", "Q low"]).keys(),
    ],
)
@pytest.mark.parametrize("split", [True, False])
def test_words_are_counted_as_training_counts_them(corpus: Any, split: bool) -> None:
    """Special tokens count as words, unless they are to be left out; then those of the trainer are cut out too."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.add_tokens(["Q"])
    trainer = trainers.BpeTrainer(special_tokens=["<b>"], split_special_tokens=split)
    counts = train_trace(tokenizer, corpus, trainer).counts
    assert counts == ({"low": 3, "<s>": 1, "<b>": 1, "q": 1} if split else {"low": 3, "q": 1})


def test_counts_of_any_form_are_the_same() -> None:
    counts = WordCounts({**TOY, "none": 0})
    for words in (TOY, counts, MappingProxyType(counts.to_dict())):
        shown = train_trace(Tokenizer(models.BPE()), words, trainers.BpeTrainer(vocab_size=10))
        assert (shown.counts, len(shown.merges)) == (TOY, 3)


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


@settings(max_examples=100)
@given(
    counts=st.dictionaries(st.text("ab#", min_size=1, max_size=9), st.integers(1, 9), max_size=6),
    size=st.integers(0, 30),
    options=st.fixed_dictionaries(
        {"min_frequency": st.integers(0, 4), "continuing_subword_prefix": st.sampled_from((None, "#", "##", "a"))},
        optional={
            "limit_alphabet": st.integers(1, 3),
            "end_of_word_suffix": st.just("</w>"),
            "special_tokens": st.sampled_from((["<s>"], ["ab"], ["<s>", "a", "ab", "a##", "##ab"])),
            "max_token_length": st.integers(2, 6),
        },
    ),
)
def test_the_merges_by_frequency_are_those_of_the_trainer(
    counts: dict[str, int], size: int, options: dict[str, Any]
) -> None:
    """Also where tokens come up again, so that pairs are merged twice: of these a model has the last time."""
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)
    tokenizer.train_from_counts(counts, trainer)
    shown = train_trace(Tokenizer(models.BPE()), counts, trainer, steps=100)
    pairs = [m.pair for m in shown.merges]
    last = [pair for at, pair in enumerate(pairs) if pair not in pairs[at + 1 :]]
    assert last == [(a, b) for a, b in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert {m.token for m in shown.merges} <= tokenizer.get_vocab().keys()


def test_a_merge_of_wordpiece_whose_token_comes_up_again() -> None:
    """By hand: the pair of the inner signs makes a token that is spelled like a word, so it comes up again."""
    counts = {"bb": 3, "####": 4}
    shown = train_trace(Tokenizer(models.WordPiece()), counts, trainers.WordPieceTrainer(vocab_size=40))
    assert [(m.pair, m.token, m.occurrences) for m in shown.merges] == [
        (("###", "###"), "####", 8), (("#", "####"), "###", 4), (("###", "###"), "####", 4), (("b", "##b"), "bb", 3),
    ]  # fmt: skip
