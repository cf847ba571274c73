"""The ready tokenizers are those of the reference: what they are put together from, what they do, what they learn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers as reference
from hypothesis import given
from hypothesis import strategies as st

import piecework
from support.texts import texts, texts_or_none

pytestmark = pytest.mark.filterwarnings("ignore:vocab_size is .* which are all kept")

if TYPE_CHECKING:
    from collections.abc import Callable

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<unk>", "<s>")
ALPHABET = "abelowrh.▁Ġé日"
VOCAB = {
    token: i
    for i, token in enumerate(
        (*SPECIAL, *ALPHABET, *(f"{c}</w>" for c in ALPHABET), *(f"##{c}" for c in ALPHABET), "lo", "low", "▁low", "er")
    )
}
MERGES = [("l", "o"), ("lo", "w"), ("▁", "low"), ("e", "r")]
PIECES = [(piece, -1.5 - i / 7) for i, piece in enumerate(VOCAB)]

forms = st.sampled_from((None, "nfc", "nfd", "nfkc", "nfkd"))
flags = st.booleans()
OPTIONS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "BertWordPieceTokenizer": {
        "unk_token": st.sampled_from(("[UNK]", "<unk>")),
        "pad_token": st.sampled_from(("[PAD]", "no")),
        "mask_token": st.sampled_from(("[MASK]", "<s>")),
        "cls_token": st.sampled_from(("[CLS]", "<s>", "no")),
        "clean_text": flags,
        "handle_chinese_chars": flags,
        "strip_accents": st.none() | flags,
        "lowercase": flags,
    },
    "CharBPETokenizer": {
        "unk_token": st.sampled_from(("<unk>", "[UNK]", "no")),
        "suffix": st.sampled_from(("</w>", "")),
        "lowercase": flags,
        "unicode_normalizer": forms,
        "bert_normalizer": flags,
        "split_on_whitespace_only": flags,
    },
    "ByteLevelBPETokenizer": {
        "add_prefix_space": flags,
        "lowercase": flags,
        "unicode_normalizer": forms,
        "end_of_word_suffix": st.sampled_from((None, "", "</w>")),
        "trim_offsets": flags,
    },
    "SentencePieceBPETokenizer": {
        "unk_token": st.sampled_from(("<unk>", "[UNK]", "no")),
        "replacement": st.sampled_from("▁_"),
        "add_prefix_space": flags,
        "fuse_unk": flags,
    },
    "SentencePieceUnigramTokenizer": {"replacement": st.sampled_from("▁_"), "add_prefix_space": flags},
}
TRAINING: dict[str, st.SearchStrategy[Any]] = {
    "vocab_size": st.integers(0, 400),
    "min_frequency": st.integers(0, 3),
    "special_tokens": st.sampled_from(([], ["<s>"], ["<unk>", "a", "[UNK]"])),
}


def options(given: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=given)


def made(package: Any, name: str, settings: dict[str, Any], *, empty: bool) -> Any:
    """A tokenizer, or the error in the place of one."""
    vocabulary: list[Any]
    if empty:
        vocabulary = []
    elif name == "SentencePieceUnigramTokenizer":
        vocabulary = [PIECES]
    else:
        vocabulary = [VOCAB] if name == "BertWordPieceTokenizer" else [VOCAB, MERGES]
    try:
        return getattr(package, name)(*vocabulary, **settings)
    except TypeError as error:
        return str(error)


def outcome(call: Callable[[], Any]) -> Any:
    """A result, or that there is none."""
    try:
        return call()
    except Exception:
        return "error"


def shown(tokenizer: Any, text: str, pair: str | None) -> Any:
    """Ids and more of a text, and what they decode to."""
    encoding = tokenizer.encode(text, pair)
    columns = encoding.tokens, encoding.type_ids, encoding.word_ids, encoding.special_tokens_mask
    return encoding.ids, columns, [tokenizer.decode(encoding.ids, skip) for skip in (False, True)]


@pytest.mark.parametrize("name", OPTIONS)
@given(data=st.data())
def test_what_they_do(name: str, data: st.DataObject) -> None:
    settings, empty = data.draw(options(OPTIONS[name])), data.draw(st.booleans())
    if empty:
        settings.pop("end_of_word_suffix", None)  # lost in the reference, as is the dropout
    text, pair = data.draw(texts), data.draw(texts_or_none)
    ours, theirs = (made(package, name, settings, empty=empty) for package in (piecework, reference))
    if isinstance(theirs, str):
        assert ours == theirs
        return
    assert repr(ours) == repr(theirs)
    assert ours.to_str(pretty=True) == theirs.to_str(pretty=True)
    # Without a normalizer this is an AttributeError in the reference.
    assert ours.normalize(text) == (theirs.normalize(text) if theirs.normalizer else text)
    assert outcome(lambda: shown(ours, text, pair)) == outcome(lambda: shown(theirs, text, pair))


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "SentencePieceUnigramTokenizer"])
@given(data=st.data())
def test_what_they_learn(name: str, data: st.DataObject) -> None:
    settings, training = data.draw(options(OPTIONS[name])), data.draw(options(TRAINING))
    settings.pop("end_of_word_suffix", None)
    corpus = data.draw(st.lists(st.one_of(texts, st.text("ab ", max_size=40)), max_size=10))
    files = []
    for package in (piecework, reference):
        tokenizer = made(package, name, settings, empty=True)
        tokenizer.train_from_iterator(corpus, show_progress=False, **training)
        files.append(json.loads(tokenizer.to_str()))
        if name in ("BertWordPieceTokenizer", "CharBPETokenizer"):
            # With affixes the reference numbers its alphabet at random, and takes pairs in the order of these numbers.
            model = files[-1]["model"]
            model.pop("merges", None)
            model["vocab"] = {
                token for token in model["vocab"] if len(token.removeprefix("##").removesuffix("</w>")) < 2
            }
    assert files[0] == files[1]


def test_the_prefix_of_the_pieces_is_the_one_that_was_given() -> None:
    """The reference has it in the decoder alone."""
    tokenizer = piecework.BertWordPieceTokenizer(
        {"[UNK]": 0, "[SEP]": 1, "[CLS]": 2, "h": 3, "+i": 4}, wordpieces_prefix="+"
    )
    encoding = tokenizer.encode("Hi", add_special_tokens=False)
    assert encoding.tokens == ["h", "+i"]
    assert tokenizer.decode(encoding.ids) == "hi"


@pytest.mark.parametrize("name", ["ByteLevelBPETokenizer", "CharBPETokenizer", "SentencePieceBPETokenizer"])
def test_a_vocabulary_comes_with_merges(name: str) -> None:
    """The reference drops the one that is given, and encodes nothing."""
    for argument, value in (("vocab", {"a": 0}), ("merges", [])):
        with pytest.raises(ValueError, match="both"):
            getattr(piecework, name)(**{argument: value})
