"""The trainer for several languages: its attributes, and how it leaves a tokenizer."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from piecework import Tokenizer, TrainingError, models, normalizers, pre_tokenizers
from piecework.trainers import ParityBpeTrainer, Trainer

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = [["low low lower", "newest"], ["xyz xyz", "zyx"]]


def new() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_attributes() -> None:
    trainer = ParityBpeTrainer(10, "window", 2, [1.0, 2.0], special_tokens=["<s>"], initial_alphabet=["éa"])
    assert not isinstance(trainer, Trainer)
    assert (trainer.num_merges, trainer.variant, trainer.ratio) == (10, "window", [1.0, 2.0])
    assert [token.content for token in trainer.special_tokens] == ["<s>"]
    assert trainer.initial_alphabet == ["é"]
    trainer.alpha = 3
    assert trainer.alpha == 3.0
    assert pickle.loads(pickle.dumps(trainer)).__getstate__() == trainer.__getstate__()
    assert repr(trainer).startswith('ParityBpeTrainer(num_merges=10, variant="window", min_frequency=2,')


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [("variant", "base", AttributeError), ("num_merges", -1, OverflowError), ("ratio", "x", TypeError)],
)
def test_what_cannot_be_set(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        setattr(ParityBpeTrainer(), name, value)
    with pytest.raises(ValueError, match="Unknown variant 'x'"):
        ParityBpeTrainer(variant="x")


def test_the_model_is_a_new_one_and_the_rest_stays() -> None:
    tokenizer = new()
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.add_tokens(["plain"])
    ParityBpeTrainer(8, special_tokens=["<s>"], show_progress=False).train_from_iterator(tokenizer, LANGUAGES)
    assert isinstance(tokenizer.model, models.BPE)
    assert tokenizer.model.unk_token is None
    assert tokenizer.token_to_id("<s>") == 0
    assert tokenizer.encode("LOW plain").tokens == ["low", "plain"]
    assert tokenizer.id_to_token(tokenizer.token_to_id("plain") or 0) == "plain"


def test_languages_come_as_iterators_and_batches() -> None:
    results = set()
    stages: list[str] = []
    for languages in (LANGUAGES, [iter(texts) for texts in LANGUAGES], [[tuple(texts)] for texts in LANGUAGES]):
        tokenizer = new()
        ParityBpeTrainer(8, show_progress=False).train_from_iterator(
            tokenizer, languages, progress=lambda stage, *_: stages.append(stage)
        )
        results.add(tokenizer.to_str())
    assert set(stages) == {"Read items", "Tokenize words", "Count pairs", "Compute merges"}
    assert len(results) == 1


def test_without_a_pre_tokenizer_a_stripped_text_is_a_word() -> None:
    tokenizer = Tokenizer(models.BPE())
    ParityBpeTrainer(1, show_progress=False).train_from_iterator(tokenizer, [[" ab \n", ["\tab"]]])
    assert tokenizer.get_vocab() == {"a": 0, "b": 1, "ab": 2}


def test_a_training_that_fails_changes_nothing() -> None:
    def broken() -> Iterator[str]:
        yield "text"
        raise ZeroDivisionError

    tokenizer = new()
    before = tokenizer.to_str()
    trainer = ParityBpeTrainer(8, show_progress=False)
    cases: list[tuple[Any, Any, Any, type[Exception]]] = [
        ([], None, None, ValueError),
        ([["a"]], [["a"], ["b"]], None, ValueError),
        ([["a"]], None, [1.0, 2.0], TrainingError),
        ([["a"]], None, [-1.0], TrainingError),
        ([["a"], broken()], None, None, ZeroDivisionError),
        ([["a", 3]], None, None, TypeError),
    ]
    for train, dev, ratio, error in cases:
        with pytest.raises(error):
            trainer.train_from_iterator(tokenizer, train, dev, ratio)
    assert tokenizer.to_str() == before
