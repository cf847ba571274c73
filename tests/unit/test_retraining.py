"""Tokenizers that are there already: trained anew, grown, pruned."""

from __future__ import annotations

from typing import Any

import pytest

from piecework import (
    AddedToken,
    Tokenizer,
    TrainingError,
    WordCounts,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

TEXTS = ["low lower lowest lowly", "new newer newest newly", "low low new news"] * 3
OTHER = ["der die das dessen", "wie wieder wider", "das das die"] * 3


def bpe(vocab_size: int = 40, **options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special: list[Any] = ["[PAD]", "[UNK]", "[CLS]"]
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False, **options)
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.add_special_tokens([AddedToken("[X]", lstrip=True)])
    tokenizer.add_tokens(["plain"])
    vocab = tokenizer.get_vocab()
    ids = [(token, vocab[token]) for token in ("[CLS]", "[X]")]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [X]", special_tokens=[*ids])
    tokenizer.enable_padding(pad_token="[PAD]", pad_id=0)
    return tokenizer


def without_added(tokenizer: Tokenizer) -> list[str]:
    return tokenizer.encode("low newest", add_special_tokens=False).tokens


# ---------------------------------------------------------------------------------------------------------------------
# Trained anew


def test_a_new_vocabulary_for_the_same_pipeline() -> None:
    old = bpe()
    before = old.to_str()
    new = old.train_new_from_iterator(OTHER, 45, new_special_tokens=["[NEW]"], show_progress=False)
    assert old.to_str() == before
    assert [new.id_to_token(i) for i in range(5)] == ["[PAD]", "[UNK]", "[CLS]", "[X]", "[NEW]"]
    assert new.get_added_tokens_decoder()[3] == old.get_added_tokens_decoder()[old.token_to_id("[X]")]  # type: ignore[index]
    encoding = new.encode("DAS dessen [X]")
    assert encoding.tokens == ["[CLS]", "das", "dessen", " [X]", "[X]"]
    assert [new.id_to_token(i) for i in encoding.ids] == ["[CLS]", "das", "dessen", "[X]", "[X]"]
    counts = WordCounts.from_iterator(OTHER, old)
    from_counts = old.train_new_from_counts(counts, 45, new_special_tokens=["[NEW]"], show_progress=False)
    assert from_counts.to_str() == new.to_str()


@pytest.mark.parametrize(
    ("model", "trainer", "unknown"),
    [
        (models.WordPiece(), trainers.WordPieceTrainer, "[UNK]"),
        (models.WordLevel(unk_token="?"), trainers.WordLevelTrainer, "?"),
        (models.Unigram(), trainers.UnigramTrainer, "<unk>"),
    ],
)
def test_the_unknown_token_stays(model: models.Model, trainer: Any, unknown: str) -> None:
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    options = {"unk_token": unknown} if trainer is trainers.UnigramTrainer else {"special_tokens": [unknown]}
    tokenizer.train_from_iterator(TEXTS, trainer(vocab_size=40, show_progress=False, **options))
    new = tokenizer.train_new_from_iterator(OTHER, 40, show_progress=False)
    assert type(new.model) is type(model)
    assert new.token_to_id(unknown) == 0
    assert new.encode("☃").ids == [0]
    assert any("d" in token for token in new.get_vocab())
    assert new.token_to_id("low") is None


@pytest.mark.parametrize("new", ["<x>", ["<x>", 1], 3])
def test_new_special_tokens_are_a_list(new: Any) -> None:
    with pytest.raises(TypeError, match="special_tokens"):
        bpe(18).train_new_from_iterator(OTHER, 40, new_special_tokens=new)


def test_bytes_and_affixes_are_learnt_again() -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=60, show_progress=False))
    new = tokenizer.train_new_from_iterator(OTHER, 280, show_progress=False)
    assert new.decode(new.encode("☃ ünd").ids) == " ☃ ünd"
    suffixed = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    assert suffixed.train_new_from_iterator(["das"], 20, show_progress=False).encode("das").tokens == ["das</w>"]


# ---------------------------------------------------------------------------------------------------------------------
# Grown


def test_growing_keeps_all_ids_and_goes_on_where_training_ended() -> None:
    tokenizer = bpe(18)
    before, text = tokenizer.get_vocab(), without_added(tokenizer)
    counts = WordCounts.from_iterator(TEXTS, tokenizer)
    added = tokenizer.extend(counts, tokenizer.get_vocab_size() + 6)
    assert added == 6
    after = tokenizer.get_vocab()
    assert {token: after[token] for token in before} == before
    new = sorted(after.keys() - before.keys(), key=after.__getitem__)
    assert [after[token] for token in new] == list(range(max(before.values()) + 1, max(before.values()) + 7))
    longer = bpe(24).get_vocab(with_added_tokens=False)
    assert set(new) == longer.keys() - before.keys()
    assert len(without_added(tokenizer)) < len(text)
    assert Tokenizer.from_str(tokenizer.to_str()).encode("low newest").ids == tokenizer.encode("low newest").ids


def test_growing_with_another_text() -> None:
    tokenizer = bpe(25)
    ids = tokenizer.encode("low").ids
    tokenizer.extend(WordCounts.from_iterator(OTHER, tokenizer), 60)
    assert tokenizer.encode("low").ids == ids
    assert tokenizer.encode("das", add_special_tokens=False).tokens == ["das"]
    with pytest.raises(TrainingError, match=r"vocab_size is 3, but there are \d+ tokens already"):
        tokenizer.extend({}, 3)


def test_growing_keeps_ids_of_added_tokens_in_files() -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=12, show_progress=False))
    tokenizer.add_tokens(["<x>", "low", "☃"])
    before = tokenizer.get_vocab()
    # A merge leads to an added token, and a character of the text is one: neither gets a second id.
    assert tokenizer.extend({"lowlow": 9, "☃": 1, "newest": 5}, 99) == 4
    after = tokenizer.get_vocab()
    assert {token: after[token] for token in before} == before
    assert sorted(after.keys() - before.keys()) == ["es", "lowlow", "newes", "newest"]
    assert sorted(after.values()) == list(range(len(after)))
    loaded = Tokenizer.from_str(tokenizer.to_str())
    assert loaded.get_vocab() == after
    assert loaded.encode("low<x>newest☃").ids == tokenizer.encode("low<x>newest☃").ids


def test_only_bpe_grows() -> None:
    with pytest.raises(TrainingError, match="only a BPE can be extended, not a WordLevel"):
        Tokenizer(models.WordLevel()).extend({"a": 1}, 10)


# ---------------------------------------------------------------------------------------------------------------------
# Pruned


def check_map(old: dict[str, int], tokenizer: Tokenizer, moved: dict[int, int]) -> None:
    new = tokenizer.get_vocab()
    assert moved == {old[token]: new_id for token, new_id in sorted(new.items(), key=lambda item: old[item[0]])}
    assert sorted(moved.values()) == list(range(len(new)))


def test_pruning_by_use() -> None:
    tokenizer = bpe(200)
    old = tokenizer.get_vocab()
    counts = WordCounts({"low": 5, "newer": 2})
    moved = tokenizer.prune(counts=counts)
    check_map(old, tokenizer, moved)
    assert tokenizer.encode("low newer", add_special_tokens=False).tokens == ["low", "newer"]
    assert "newest" not in tokenizer.get_vocab()
    # What `newer` is made of stays.
    assert "new" in tokenizer.get_vocab()
    encoding = tokenizer.encode("low plain [X]")
    assert [tokenizer.id_to_token(i) for i in encoding.ids] == ["[CLS]", "low", "plain", "[X]", "[X]"]
    assert Tokenizer.from_str(tokenizer.to_str()).encode("low newest").ids == tokenizer.encode("low newest").ids


def test_pruning_to_a_size() -> None:
    tokenizer = bpe(200)
    old = tokenizer.get_vocab()
    counts = WordCounts.from_iterator(TEXTS, tokenizer)
    moved = tokenizer.prune(keep=len(old) - 5, counts=counts)
    check_map(old, tokenizer, moved)
    assert tokenizer.get_vocab_size() == len(old) - 5
    before = tokenizer.to_str()
    with pytest.raises(TrainingError, match=r"keep is 3, but \d+ tokens have to stay"):
        tokenizer.prune(keep=3, counts=counts)
    assert tokenizer.to_str() == before


def test_pruning_to_named_tokens() -> None:
    tokenizer = bpe(200)
    old = tokenizer.get_vocab()
    moved = tokenizer.prune(keep=["lowest"])
    check_map(old, tokenizer, moved)
    assert tokenizer.encode("lowest", add_special_tokens=False).tokens == ["lowest"]
    assert tokenizer.encode("newest", add_special_tokens=False).tokens[0] == "n"


@pytest.mark.parametrize(
    ("keep", "counts", "error"),
    [
        (None, None, TypeError),
        (30, None, TypeError),
        ("low", None, TypeError),
        ([3], None, TypeError),
        (["nowhere"], None, TrainingError),
    ],
)
def test_what_is_to_stay_must_be_told(keep: Any, counts: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        bpe().prune(keep, counts)


@pytest.mark.parametrize("kind", ["WordPiece", "WordLevel", "Unigram"])
def test_other_models(kind: str) -> None:
    tokenizer = Tokenizer(getattr(models, kind)())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    options: dict[str, Any] = {"vocab_size": 60, "show_progress": False}
    if kind == "Unigram":
        options["unk_token"] = "<unk>"
    else:
        options["special_tokens"] = [tokenizer.model.unk_token]  # type: ignore[attr-defined]
    tokenizer.train_from_iterator(TEXTS, getattr(trainers, f"{kind}Trainer")(**options))
    old = tokenizer.get_vocab()
    expected = tokenizer.encode("low newest").tokens
    moved = tokenizer.prune(counts=WordCounts({"low": 5, "newest": 2}))
    check_map(old, tokenizer, moved)
    assert len(moved) < len(old)
    assert tokenizer.encode("low newest").tokens == expected
    assert Tokenizer.from_str(tokenizer.to_str()).encode("low newest").ids == tokenizer.encode("low newest").ids
