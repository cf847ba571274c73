"""The models and trainers of the extension do what the plain ones of `piecework.reference` do."""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from piecework import Tokenizer, TrainingError, models, reference, trainers
from piecework.reference.bpe import count_pairs
from piecework.reference.expectation import expected_counts, marginal_loss

# Sizes below the alphabet are among those drawn.
pytestmark = pytest.mark.filterwarnings("ignore:vocab_size is")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

letters = st.sampled_from("abcdé日🙂")
words = st.text(letters, max_size=12)
word_counts = st.dictionaries(st.text(letters, min_size=1, max_size=8), st.integers(1, 30), max_size=8)
specials = st.sampled_from(([], ["<s>"], ["<s>", "a", "ab"]))
scores = st.dictionaries(
    st.text(letters, min_size=1, max_size=4), st.floats(-20, -0.1, allow_nan=False), min_size=1, max_size=20
)


def tokens_of(model: models.Model, word: str) -> list[str]:
    return [token.value for token in model.tokenize(word)]


def ids(tokens: list[str]) -> dict[str, int]:
    return {token: i for i, token in enumerate(tokens)}


# ---------------------------------------------------------------------------------------------------------------------
# Models


@given(counts=word_counts, size=st.integers(0, 40), word=words, unk=st.sampled_from((None, "<s>")))
def test_bpe_encodes_alike(counts: dict[str, int], size: int, word: str, unk: str | None) -> None:
    plain = reference.BPE.train(counts, size, ["<s>"], unk)
    fast = models.BPE(ids(plain.vocab), plain.merges, unk_token=unk)
    assert tokens_of(fast, word) == plain.encode_word(word)


@given(data=st.data(), word=words)
def test_bpe_goes_by_the_order_of_the_merges_however_they_were_learnt(data: st.DataObject, word: str) -> None:
    """Merges in an order that no training gives: a part may come after the whole."""
    trained = reference.BPE.train({"abcabc": 1, "dab": 2, "cab": 2, "bca": 1}, 40)
    merges = data.draw(st.permutations(trained.merges))
    plain = reference.BPE(trained.alphabet, merges)
    assert tokens_of(models.BPE(ids(plain.vocab), merges), word) == plain.encode_word(word)


@given(counts=word_counts, size=st.integers(0, 40), word=words)
def test_wordpiece_encodes_alike(counts: dict[str, int], size: int, word: str) -> None:
    plain = reference.WordPiece.train(counts, size, ["[UNK]"])
    assert tokens_of(models.WordPiece(ids(plain.vocab)), word) == plain.encode_word(word)


@given(scores=scores, word=words)
def test_unigram_encodes_alike(scores: dict[str, float], word: str) -> None:
    tokens, _ = reference.Unigram(scores).encode_word(word)
    # The extension joins unknown characters that stand side by side; the plain model leaves them as they are.
    joined = itertools.groupby(tokens, key=lambda token: token in scores)
    expected = [token for known, run in joined for token in (run if known else ["".join(run)])]
    fast = models.Unigram([("<unk>", 0.0), *scores.items()], unk_id=0)
    assert tokens_of(fast, word) == expected


@given(counts=word_counts, size=st.integers(1, 30), word=words)
def test_unigram_encodes_alike_with_equal_sums(counts: dict[str, int], size: int, word: str) -> None:
    """Scores from small counts make ties; both prefer the longest last piece."""
    assume(counts)
    plain = reference.Unigram.seed(counts, size)
    assume(all(character in plain.scores for character in word))
    fast = models.Unigram([("<unk>", 0.0), *plain.scores.items()], unk_id=0)
    assert tokens_of(fast, word) == plain.encode_word(word)[0]


@given(counts=word_counts, size=st.integers(1, 30), n=st.integers(1, 4), data=st.data())
def test_unigram_draws_among_the_best_segmentations(
    counts: dict[str, int], size: int, n: int, data: st.DataObject
) -> None:
    assume(counts)
    plain = reference.Unigram.seed(counts, size)
    word = data.draw(st.sampled_from(list(counts)))
    ways = plain.n_best(word, n)
    assert ways[0] == plain.encode_word(word)
    drawn = tokens_of(models.Unigram([("<unk>", 0.0), *plain.scores.items()], unk_id=0, alpha=0.1, nbest_size=n), word)
    assert "".join(drawn) == word
    # Equal ones may stand in for each other.
    assert -sum(plain.scores[token] for token in drawn) <= ways[-1][1] + 1e-9


@given(counts=word_counts, size=st.integers(1, 30))
def test_the_best_segmentation_is_the_most_probable_of_all(counts: dict[str, int], size: int) -> None:
    """The plain model itself, held to the definition: by trying every way."""
    assume(counts)
    plain = reference.Unigram.seed(counts, size)
    for word in counts:
        cuts = itertools.product((False, True), repeat=len(word) - 1)
        ways = (split(word, way) for way in cuts)
        sums = [sum(plain.scores[piece] for piece in way) for way in ways if all(p in plain.scores for p in way)]
        tokens, loss = plain.encode_word(word)
        assert "".join(tokens) == word
        assert math.isclose(-loss, max(sums), rel_tol=1e-12)


def split(word: str, cuts: tuple[bool, ...]) -> list[str]:
    bounds = [0, *(at for at, cut in enumerate(cuts, 1) if cut), len(word)]
    return [word[start:end] for start, end in itertools.pairwise(bounds)]


@given(counts=word_counts, size=st.integers(1, 30))
def test_expectation_maximization_never_makes_the_corpus_less_likely(counts: dict[str, int], size: int) -> None:
    assume(counts)
    before = reference.Unigram.seed(counts, size)
    after = reference.Unigram.from_counts(expected_counts(before, counts))
    assert marginal_loss(after, counts) <= marginal_loss(before, counts) + 1e-9


# ---------------------------------------------------------------------------------------------------------------------
# Trainers


class ByIds(reference.BPE):
    """Of equally frequent pairs the trainer of the extension takes the one with the smaller ids."""

    def best(self, counts: Mapping[tuple[str, str], int]) -> tuple[str, str]:
        place = ids(self.vocab)
        return min(counts, key=lambda pair: (-counts[pair], place[pair[0]], place[pair[1]]))


def trained_bpe(
    counts: dict[str, int], size: int, special_tokens: list[str]
) -> tuple[list[str], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=[*special_tokens], show_progress=False)
    tokenizer.train_from_counts(counts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return sorted(model["vocab"], key=model["vocab"].__getitem__), [(a, b) for a, b in model["merges"]]


def new_tokens(plain: reference.BPE, special_tokens: list[str]) -> int:
    """How many merges there are before one whose token was there already.

    From there on the trainer of the extension does as that of `tokenizers`: a pair that comes up again goes on with the
    count that it had.
    """
    seen = {*special_tokens, *plain.alphabet}
    for at, step in enumerate(plain.steps):
        if step.token in seen:
            return at
        seen.add(step.token)
    return len(plain.steps)


@given(counts=word_counts, size=st.integers(0, 40), special_tokens=specials)
def test_bpe_learns_alike(counts: dict[str, int], size: int, special_tokens: list[str]) -> None:
    plain = ByIds.train(counts, size, special_tokens)
    vocab, merges = trained_bpe(counts, size, special_tokens)
    alike = new_tokens(plain, special_tokens)
    assert merges[:alike] == plain.merges[:alike]
    if alike == len(plain.merges):
        assert (vocab, merges) == (plain.vocab, plain.merges)


def trained_wordpiece(counts: dict[str, int], size: int, special_tokens: list[str]) -> list[str]:
    tokenizer = Tokenizer(models.WordPiece())
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=[*special_tokens], scoring="likelihood", show_progress=False
    )
    tokenizer.train_from_counts(counts, trainer)
    vocab = tokenizer.model._handle.vocab()
    return sorted(vocab, key=vocab.__getitem__)


@given(counts=word_counts, size=st.integers(0, 60), special_tokens=specials)
def test_wordpiece_learns_alike(counts: dict[str, int], size: int, special_tokens: list[str]) -> None:
    """Scores are compared as exact fractions there and as floats here: the same for counts of this size."""
    assert trained_wordpiece(counts, size, special_tokens) == with_all_characters(counts, size, special_tokens)


def with_all_characters(counts: dict[str, int], size: int, special_tokens: list[str]) -> list[str]:
    """What the plain trainer learns, with the alphabet of the extension (and of `tokenizers`).

    That has every character without the prefix, whether or not it begins a word, and the forms with the prefix behind.
    """
    plain = reference.WordPiece.train(counts, 1_000)
    characters = sorted({character for word in counts for character in word})
    inside = sorted({f"##{character}" for word in counts for character in word[1:]})
    vocab = dict.fromkeys([*special_tokens, *characters, *inside])
    for step in plain.steps:
        if len(vocab) < size:
            vocab[step.token] = None
    return list(vocab)


@given(counts=st.dictionaries(st.text("ab#!", min_size=1, max_size=6), st.integers(1, 3), max_size=6))
def test_wordpiece_learns_alike_from_words_that_look_like_tokens(counts: dict[str, int]) -> None:
    """A word may start with the prefix itself; then two symbols are spelled alike, and are one token."""
    assert trained_wordpiece(counts, 30, []) == with_all_characters(counts, 30, [])


@pytest.mark.parametrize("counts", [{"ba": 1, "ab": 1}, {"xb": 2, "xa": 2}])
def test_equally_frequent_pairs_are_where_the_trainers_differ(counts: dict[str, int]) -> None:
    """The plain one takes the pair met first, as the papers' listings do; the other the one with the smaller ids."""
    first, second = (tuple(word) for word in counts)
    assert reference.BPE.train(counts, 4).merges[:1] == [first]
    assert trained_bpe(counts, 4, [])[1][:1] == [second]


@given(counts=word_counts, size=st.integers(0, 40))
def test_without_ties_both_rules_learn_the_same(counts: dict[str, int], size: int) -> None:
    plain = reference.BPE.train(counts, size)
    corpora = [plain.corpus, *(step.corpus for step in plain.steps)]
    for corpus, step in zip(corpora, plain.steps, strict=False):
        found = list(count_pairs(corpus).values())
        assume(found.count(int(step.score)) == 1)
    assume(new_tokens(plain, []) == len(plain.steps))
    assert trained_bpe(counts, size, []) == (plain.vocab, plain.merges)


# ---------------------------------------------------------------------------------------------------------------------
# The plain ones alone


@pytest.mark.parametrize("length", [400, 5000])
def test_a_word_may_be_so_long_that_its_probability_is_no_number(length: int) -> None:
    word = "abc" * (length // 3)
    model = reference.Unigram({"a": -10.0, "b": -10.0, "c": -10.0, "ab": -20.0})
    # By hand: each ab is one piece or two, which are equally probable.
    assert marginal_loss(model, {word: 2}) == pytest.approx(2 * (length // 3) * (30 - math.log(2)))
    expected = expected_counts(model, {word: 2})
    assert expected == pytest.approx({"a": length // 3, "b": length // 3, "c": 2 * (length // 3), "ab": length // 3})
    trained = reference.train_unigram({word: 1, "cab": 3}, 4, n_sub_iterations=1)
    assert all(math.isfinite(score) for _, score in trained.vocab)
    assert all(math.isfinite(r.loss) for r in trained.rounds)


@pytest.mark.parametrize(
    "train",
    [
        lambda counts: reference.BPE.train(counts, 10),
        lambda counts: reference.WordPiece.train(counts, 10),
        lambda counts: reference.Unigram.train(counts, 10, 20, 0.1),
        lambda counts: reference.Unigram.seed(counts, 10),
        reference.Unigram.from_counts,
        lambda counts: reference.train_unigram(counts, 10),
    ],
)
def test_what_does_not_occur_is_not_learnt_from(train: Callable[[Any], object]) -> None:
    for count in (0, -2):
        with pytest.raises(TrainingError, match=f"has 'pug': {count}, but"):
            train({"hug": 3, "pug": count})
    for counts in ({"hug": "3"}, {3: 3}, {"hug": None}):
        with pytest.raises(TypeError, match="must be a mapping of texts to counts, but has"):
            train(counts)
    for other in (None, ["hug"], "hug"):
        with pytest.raises(TypeError, match="must be a mapping of texts to counts, not"):
            train(other)


@pytest.mark.parametrize("train", [reference.BPE.train, reference.WordPiece.train, reference.train_unigram])
def test_a_single_special_token_is_no_list_of_its_characters(train: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="`special_tokens` must be a list of texts, not the text '<s>'"):
        train({"hug": 3}, 10, "<s>")


def test_training_that_stops_before_the_first_round() -> None:
    trained = reference.train_unigram({"abab": 3, "ab": 2}, 8, rounds=0)
    assert (trained.rounds, {token for token, _ in trained.vocab}) == ([], {"a", "b", "ab"})
