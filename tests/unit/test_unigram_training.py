"""Unigram training: sizes, parameters, and what is the same in every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from piecework import AddedToken, SentencePieceUnigramTokenizer, Tokenizer, models, pre_tokenizers, trainers
from piecework.errors import TrainingError

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["hello world this is a test of the small vocabulary"] * 3
"""18 letters and the mark of a word."""


def new(**options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(**options))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def silent(**settings: Any) -> trainers.UnigramTrainer:
    return trainers.UnigramTrainer(show_progress=False, **settings)


def model(tokenizer: Any) -> dict[str, Any]:
    return dict(json.loads(tokenizer.to_str())["model"])


@pytest.mark.parametrize("size", [23, 24, 25, 27])
def test_the_size_asked_for(size: int) -> None:
    tokenizer = new()
    tokenizer.train_from_iterator(
        TEXTS, silent(vocab_size=size, special_tokens=["<a>", "<b>", "<c>"], unk_token="<unk>")
    )
    vocab = [token for token, _ in model(tokenizer)["vocab"]]
    assert len(vocab) == size
    assert vocab[:4] == ["<unk>", "<a>", "<b>", "<c>"]
    assert set("▁" + TEXTS[0].replace(" ", "")) <= set(vocab)


@pytest.mark.parametrize("size", [0, 1, 22])
def test_a_size_out_of_reach_names_the_smallest_one(size: int) -> None:
    tokenizer = new()
    before = tokenizer.to_str()
    with pytest.raises(TrainingError, match=rf"vocab_size is `{size}`, below `23`, the smallest size possible"):
        tokenizer.train_from_iterator(
            TEXTS, silent(vocab_size=size, special_tokens=["<a>", "<b>", "<c>"], unk_token="<unk>")
        )
    assert tokenizer.to_str() == before


@pytest.mark.parametrize("factor", [float("nan"), float("inf"), -float("inf")])
def test_a_shrinking_factor_that_is_no_number(factor: float) -> None:
    with pytest.raises(ValueError, match=r"^`shrinking_factor` is -?(nan|inf), expected a finite number$"):
        silent(shrinking_factor=factor)


@pytest.mark.parametrize("factor", [1.0, 2, -0.5])
def test_a_shrinking_factor_that_shrinks_nothing(factor: float) -> None:
    with pytest.raises(TrainingError, match="shrinking_factor is"):
        new().train_from_iterator(TEXTS, silent(shrinking_factor=factor))


def test_no_text() -> None:
    tokenizer = new()
    tokenizer.train_from_iterator([], silent(special_tokens=["<s>"], initial_alphabet=["qx", "é"]))
    assert model(tokenizer)["vocab"] == [["<s>", 0.0], ["é", 0.0001], ["q", 0.0]]


def test_settings_of_the_model_stay_but_for_the_unknown_token() -> None:
    unigram = models.Unigram([("<unk>", 0.0)], 0, byte_fallback=True, alpha=0.5, nbest_size=3)
    tokenizer = Tokenizer(unigram)
    tokenizer.train_from_iterator(["ab ab ab"], silent(special_tokens=["<s>", "<unk>"], unk_token="<unk>"))
    assert (model(tokenizer)["byte_fallback"], model(tokenizer)["unk_id"]) == (True, 1)
    assert (unigram.byte_fallback, unigram.alpha, unigram.nbest_size, unigram.unk_id) == (True, 0.5, 3, 1)
    tokenizer.train_from_iterator(["ab ab ab"], silent())
    assert (model(tokenizer)["byte_fallback"], model(tokenizer)["unk_id"]) == (True, None)


def test_special_tokens_are_added_and_a_piece_with_their_text_is_found_behind_them() -> None:
    tokenizer = new()
    special: list[Any] = [AddedToken("<mask>", rstrip=True), "h"]
    tokenizer.train_from_iterator(TEXTS, silent(vocab_size=60, special_tokens=special))
    vocab = [token for token, _ in model(tokenizer)["vocab"]]
    assert vocab[:2] == ["<mask>", "h"]
    assert tokenizer.model.token_to_id("h") == vocab.index("h", 2)
    assert tokenizer.encode("a<mask> ").ids[-1] == 0
    assert tokenizer.get_added_tokens_decoder()[0].rstrip


def test_the_default_trainer() -> None:
    tokenizer = new()
    tokenizer.train_from_iterator(TEXTS)
    assert tokenizer.encode("hello world").ids
    assert tokenizer.decode(tokenizer.encode("test").ids).replace(" ", "") == "▁test"


def test_sentencepiece_unigram(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("\n".join(TEXTS), encoding="utf-8")
    from_files, from_texts = SentencePieceUnigramTokenizer(), SentencePieceUnigramTokenizer()
    settings: dict[str, Any] = {"vocab_size": 50, "show_progress": False, "special_tokens": ["<unk>"]}
    from_files.train(str(file), unk_token="<unk>", **settings)
    from_texts.train_from_iterator([text + "\n" for text in TEXTS[:2]] + TEXTS[2:], unk_token="<unk>", **settings)
    assert from_files.to_str() == from_texts.to_str()
    assert from_files.decode(from_files.encode("a small test").ids) == "a small test"


def test_counts_give_what_the_text_gives() -> None:
    counts = {"▁a": 4, "▁banana": 2, "▁ban": 1}
    counted, read = new(), new()
    counted.train_from_counts(counts, silent(vocab_size=12))
    read.train_from_iterator(["a a banana", "a a banana ban"], silent(vocab_size=12))
    assert counted.to_str() == read.to_str()


MANY = """
import random
from piecework import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.Unigram())
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
rng = random.Random(3)
syllables = ["lo", "ring", "é", "stan", "de", "ix", "thu"]
words = ["".join(rng.choices(syllables, k=rng.randint(1, 7))) for _ in range(30_000)]
texts = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
tokenizer.train_from_iterator(texts, trainers.UnigramTrainer(vocab_size=500, show_progress=False))
print(tokenizer.to_str())
"""


def test_the_number_of_threads_does_not_matter() -> None:
    def run(threads: str) -> str:
        env = {**os.environ, "RAYON_NUM_THREADS": threads}
        return subprocess.run([sys.executable, "-c", MANY], env=env, check=True, capture_output=True, text=True).stdout

    results = {run(threads) for threads in ("1", "2", "5")}
    assert len(results) == 1
    assert len(json.loads(results.pop())["model"]["vocab"]) == 500
