"""The Unigram trainer of the extension does what the plain recipe of `piecework.reference` does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from piecework import Tokenizer, models, reference, trainers


def trained_unigram(counts: dict[str, int], settings: dict[str, Any]) -> list[tuple[str, float]]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.train_from_counts(counts, trainers.UnigramTrainer(show_progress=False, **settings))
    return [(token, score) for token, score in json.loads(tokenizer.to_str())["model"]["vocab"]]


@given(
    counts=st.dictionaries(st.text("abcd", min_size=1, max_size=9), st.integers(1, 40), min_size=1, max_size=14),
    settings=st.fixed_dictionaries(
        {"vocab_size": st.integers(8, 30), "special_tokens": st.sampled_from(([], ["<s>"], ["<s>", "<unk>"]))},
        optional={
            "unk_token": st.just("<unk>"),
            "seed_size": st.integers(5, 30),
            "shrinking_factor": st.sampled_from((0.5, 0.9)),
            "n_sub_iterations": st.integers(1, 3),
            "max_piece_length": st.integers(2, 5),
        },
    ),
)
def test_unigram_learns_alike(counts: dict[str, int], settings: dict[str, Any]) -> None:
    plain = reference.train_unigram(counts, **settings)
    # Ties, and what rounding decides, may go either way; the tests of the trainer itself hold its rules for them.
    assume(not plain.is_ambiguous)
    fast = trained_unigram(counts, settings)
    front = len(settings["special_tokens"])
    assert [token for token, _ in fast[:front]] == [token for token, _ in plain.vocab[:front]]
    assert dict(fast) == pytest.approx(dict(plain.vocab), abs=1e-9)


def test_what_hangs_on_two_ways_of_a_word_is_a_tie() -> None:
    """`bcc` and `ccb` can both be used twice, and each makes the other useless."""
    plain = reference.train_unigram({"addd": 1, "bccbcccb": 5}, vocab_size=8, seed_size=8)
    assert plain.is_ambiguous
