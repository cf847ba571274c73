"""Ids of added tokens."""

from __future__ import annotations

import json

import pytest

from piecework import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}


def load(vocab: dict[str, int], *added: tuple[int, str]) -> Tokenizer:
    tokens = [{"id": token_id, "content": content, **FLAGS} for token_id, content in added]
    return Tokenizer.from_str(
        json.dumps({"added_tokens": tokens, "model": {"type": "BPE", "vocab": vocab, "merges": []}})
    )


def test_an_id_that_the_vocabulary_does_not_have_is_given_anew() -> None:
    """As in the reference: behind the last id, in the order of the file."""
    tokenizer = load({"a": 0, "b": 1}, (77, "<x>"), (78, "<y>"))
    assert tokenizer.token_to_id("<x>") == 2
    assert tokenizer.token_to_id("<y>") == 3
    assert tokenizer.encode("a<y>b<x>").ids == [0, 3, 1, 2]


def test_a_token_of_the_vocabulary_keeps_its_id() -> None:
    tokenizer = load({"a": 0, "<x>": 5}, (9, "<x>"))
    assert tokenizer.token_to_id("<x>") == 5


def test_every_token_has_an_id_of_its_own() -> None:
    """The reference counts on from the number of entries, into ids that other tokens have."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 3}, []))
    assert tokenizer.add_tokens(["<x>", AddedToken("<y>"), "<z>", "a"]) == 4
    assert tokenizer.token_to_id("<x>") == 2
    assert tokenizer.token_to_id("a") == 0
    vocab = tokenizer.get_vocab()
    assert len(set(vocab.values())) == len(vocab) == 5


def test_where_ids_cannot_go_on_one_in_a_hole_is_given() -> None:
    tokenizer = load({"<unk>": 0, "a": 2, "b": 2**32 - 1})
    assert tokenizer.add_tokens(["<x>", "<y>", "<z>"]) == 3
    # The first is dense behind the vocabulary as in the reference, which goes on counting from there.
    assert tokenizer.get_added_tokens_decoder().keys() == {3, 4, 5}
    assert tokenizer.encode("<z>b").ids == [5, 2**32 - 1]
    dense = load({"<unk>": 0, "a": 3, "b": 2, "c": 2**32 - 1})
    dense.add_tokens(["<x>"])
    crowded = load({"<unk>": 0, "a": 3, "b": 4, "c": 2**32 - 1})
    crowded.add_tokens(["<x>", "<y>"])
    assert dense.token_to_id("<x>") == 4
    assert [crowded.token_to_id(token) for token in ("<x>", "<y>")] == [5, 6]
    assert Tokenizer.from_str(crowded.to_str()).to_str() == crowded.to_str()


def test_adding_again_counts_nothing() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0}, []))
    assert tokenizer.add_tokens(["<x>", ""]) == 1
    assert tokenizer.add_tokens(["<x>"]) == 0
    assert tokenizer.get_vocab_size() == 2


def test_special_tokens_found_in_the_text_can_be_taken_as_text() -> None:
    tokenizer = Tokenizer(models.BPE({"<": 0, "x": 1, ">": 2}, []))
    tokenizer.add_special_tokens(["<x>"])
    assert tokenizer.encode("<x>").ids == [3]
    tokenizer.encode_special_tokens = True
    assert tokenizer.encode("<x>").ids == [0, 1, 2]


def test_a_text_that_holds_one_is_cut_as_if_no_other_had_come_before() -> None:
    """Texts without and with such a token go different ways, and what is remembered of one is no good for the other."""
    tokenizer = Tokenizer(models.WordLevel({"[U]": 0, "xa": 1, "x": 2, "a": 3}, unk_token="[U]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("a", "b"), normalizers.Replace("c", "a")])
    cut = [pre_tokenizers.CharDelimiterSplit("b"), pre_tokenizers.WhitespaceSplit()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cut)
    tokenizer.add_tokens([AddedToken("§", normalized=True)])
    assert tokenizer.encode("xa x").tokens == ["x", "x"]
    assert tokenizer.encode("xc §").tokens == ["xa", "§"]


def test_a_list_is_expected() -> None:
    with pytest.raises(TypeError):
        Tokenizer(models.BPE()).add_tokens("<x>")  # type: ignore[arg-type]


def test_of_two_with_one_normalized_form_the_same_is_found_after_saving() -> None:
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "e": 1}, "<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.add_tokens(["é", "e"])
    assert tokenizer.encode("e").ids == [1]
    assert Tokenizer.from_str(tokenizer.to_str()).encode("e").ids == [1]


@pytest.mark.parametrize("fused", [False, True])
def test_one_that_the_normalizer_spells_in_bytes_is_decoded(fused: bool) -> None:
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(pre_tokenizers.ByteLevel.alphabet())}, []))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.ByteLevel()])
    tokenizer.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Fuse()]) if fused else decoders.ByteLevel()
    tokenizer.add_tokens(["hé you"])
    ids = tokenizer.encode("a hé you b").ids
    assert tokenizer.decode(ids) == "a hé you b"
    stream = tokenizer.decode_stream()
    assert "".join(filter(None, (*map(stream.step, ids), stream.flush()))) == "a hé you b"
