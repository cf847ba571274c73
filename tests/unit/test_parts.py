"""Components as objects: changes reach the tokenizer, copies stand alone, items of sequences are shared."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from piecework import (
    AddedToken,
    NormalizedString,
    PreTokenizedString,
    Regex,
    SpecError,
    Token,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

if TYPE_CHECKING:
    from collections.abc import Callable

VOCAB = {token: i for i, token in enumerate(["[UNK]", "a", "b", "A", "_", "▁a", "a_b", "[CLS]", "[SEP]"])}


def words(unk: str = "[UNK]") -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(VOCAB, unk))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def test_a_changed_attribute_reaches_every_tokenizer_that_holds_the_component() -> None:
    mark = pre_tokenizers.Metaspace()
    first, second = words(), words()
    first.pre_tokenizer = second.pre_tokenizer = mark
    assert first.encode("a").tokens == second.encode("a").tokens == ["▁a"]
    mark.prepend_scheme = "never"
    assert first.encode("a").tokens == second.encode("a").tokens == ["a"]


def test_a_changed_item_of_a_sequence_reaches_the_tokenizer() -> None:
    lower = normalizers.BertNormalizer(lowercase=True)
    tokenizer = words()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Sequence([lower])])
    assert tokenizer.encode("A").tokens == ["a"]
    lower.lowercase = False
    assert tokenizer.encode("A").tokens == ["A"]
    tokenizer.normalizer[1] = normalizers.Lowercase()
    assert tokenizer.encode("A").tokens == ["a"]


def test_options_of_the_model_reach_the_tokenizer() -> None:
    tokenizer = words()
    assert isinstance(tokenizer.model, models.WordLevel)
    tokenizer.model.unk_token = "b"
    assert tokenizer.encode("zzz").ids == [VOCAB["b"]]


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_copy_stands_alone(clone: Callable[[Any], Any]) -> None:
    tokenizer = words()
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.add_tokens(["x y"])
    tokenizer.enable_truncation(3)
    twin = clone(tokenizer)
    assert twin.to_str() == tokenizer.to_str()
    twin.normalizer.lowercase = False
    twin.add_tokens(["z"])
    twin.no_truncation()
    assert tokenizer.encode("A").tokens == ["a"]
    assert twin.encode("A").tokens == ["A"]
    assert tokenizer.token_to_id("z") is None
    assert tokenizer.truncation is not None


class Loud(normalizers.Replace):
    """A subclass of a user's."""

    def __init__(self) -> None:
        super().__init__("!", "!!")


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_subclass_is_written_as_what_it_is_derived_from(clone: Callable[[Any], Any]) -> None:
    twin = clone(Loud())
    assert isinstance(twin, Loud)
    assert twin.normalize_str("a!") == "a!!"
    tokenizer = words()
    tokenizer.normalizer = twin
    assert type(Tokenizer.from_str(tokenizer.to_str()).normalizer) is normalizers.Replace


def test_a_copy_shares_what_is_compiled() -> None:
    tokenizer = words()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.encode("a")
    assert copy.deepcopy(tokenizer)._program() is tokenizer._program()


def test_nothing_is_compiled_anew_without_a_change_of_its_parts() -> None:
    tokenizer, other = words(), words()
    program = tokenizer._program()
    assert isinstance(other.model, models.WordLevel)
    other.model.unk_token = "b"  # moves the count of changes
    assert tokenizer._program() is program


def test_wrong_values_leave_an_attribute_as_it_was() -> None:
    split = pre_tokenizers.Split("a", "isolated")
    for name, value in (("behavior", "nowhere"), ("invert", 1), ("pattern", 3)):
        with pytest.raises((TypeError, ValueError)):
            setattr(split, name, value)
    assert split.pre_tokenize_str("bab") == [("b", (0, 1)), ("a", (1, 2)), ("b", (2, 3))]


def test_what_the_getter_gives_the_setter_takes() -> None:
    split = pre_tokenizers.Split("a", "merged_with_next")
    split.behavior = split.behavior
    assert split.behavior == "merged_with_next"
    template = processors.TemplateProcessing("[CLS]:3 $A:1", None, [("[CLS]", 7)])
    template.single = template.single
    assert template.single == ["[CLS]:3", "$A:1"]


def test_a_template_is_checked_when_it_is_set() -> None:
    template = processors.TemplateProcessing("$A")
    for bad, reason in (("$A [SEP]", "[SEP]"), ("$B", "$B"), ("$A:x", "x"), ("$A:1:2", "two colons")):
        with pytest.raises(SpecError, match=reason.replace("$", r"\$").replace("[", r"\[")):
            template.single = bad
    assert template.single == ["$A:0"]


@pytest.mark.parametrize(
    "part",
    [
        Regex("a+"),
        normalizers.Replace(Regex("a+"), "b"),
        decoders.Replace("a", "b"),
        normalizers.Sequence([normalizers.Replace("a", "b")]),
    ],
    ids=repr,
)
def test_components_with_a_pattern_pickle(part: Any) -> None:
    assert repr(pickle.loads(pickle.dumps(part))) == repr(part)


# ---------------------------------------------------------------------------------------------------------------------
# Written in Python


class Underscore:
    def normalize(self, text: NormalizedString) -> None:
        text.replace(" ", "_")

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token.replace("_", " ") for token in tokens]


class Halves:
    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, part: part.split("_", "isolated"))


class BoomError(Exception):
    pass


class Broken:
    def normalize(self, text: NormalizedString) -> None:
        raise BoomError(text.normalized)

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        raise BoomError(text)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        raise BoomError(tokens)


def custom() -> Tokenizer:
    tokenizer = words()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Normalizer.custom(Underscore()), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Halves())
    tokenizer.decoder = decoders.Decoder.custom(Underscore())
    return tokenizer


def test_components_written_in_python_do_their_work() -> None:
    encoding = custom().encode("A B")
    assert encoding.tokens == ["a", "_", "b"]
    assert encoding.offsets == [(0, 1), (1, 2), (2, 3)]
    assert custom().decode(encoding.ids) == "a b"
    assert [e.tokens for e in custom().encode_batch(["A B"] * 50)] == [["a", "_", "b"]] * 50


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_they_are_copied_with_the_tokenizer(clone: Callable[[Tokenizer], Tokenizer]) -> None:
    assert clone(custom()).encode("A B").tokens == ["a", "_", "b"]


def test_they_have_no_json() -> None:
    with pytest.raises(TypeError, match="written in Python"):
        custom().to_str()


def test_their_errors_come_out_unchanged() -> None:
    tokenizer = words()
    tokenizer.normalizer = normalizers.Normalizer.custom(Broken())
    with pytest.raises(BoomError, match="a b"):
        tokenizer.encode("a b")
    with pytest.raises(BoomError):
        tokenizer.encode_batch(["a b"] * 9)
    tokenizer.normalizer = None
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Broken())
    with pytest.raises(BoomError):
        tokenizer.encode("a b")
    with pytest.raises(BoomError):
        decoders.Decoder.custom(Broken()).decode(["a"])


def test_spans_in_a_custom_pre_tokenizer_are_those_of_the_text() -> None:
    tokenizer = words()
    tokenizer.add_tokens(["[SEP]"])
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Halves())
    assert tokenizer.encode("é[SEP]ﬁ_a").offsets == [(0, 1), (1, 6), (6, 7), (7, 8), (8, 9)]


class Watching:
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        self.seen += [(part, span) for part, span, _ in text.get_splits("original", "char")]
        text.split(lambda _, part: self.note(part.split("b", "isolated")))

    def note(self, parts: list[NormalizedString]) -> list[NormalizedString]:
        self.seen += [part.original for part in parts]
        return parts


def test_a_custom_pre_tokenizer_sees_places_in_the_text_that_it_gets() -> None:
    watching = Watching()
    custom = pre_tokenizers.PreTokenizer.custom(watching)
    parts = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), custom])
    assert parts.pre_tokenize_str("éb  cd") == [("é", (0, 1)), ("b", (1, 2)), ("cd", (4, 6))]
    assert watching.seen == [("éb", (0, 2)), ("cd", (4, 6)), "é", "b", "cd"]


def test_a_custom_pre_tokenizer_cannot_set_tokens() -> None:
    class Setting:
        def pre_tokenize(self, text: PreTokenizedString) -> None:
            text.tokenize(lambda part: [Token(0, part, (0, len(part)))])

    tokenizer = words()
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Setting())
    with pytest.raises(TypeError, match="a pre-tokenizer written in Python cuts"):
        tokenizer.encode("a")


@pytest.mark.parametrize(
    ("place", "make"),
    [
        ("content", AddedToken),
        ("prepend", normalizers.Prepend),
        ("pattern", lambda text: normalizers.Replace(text, "b")),
        ("pattern", Regex),
        ("a token of vocab", lambda text: models.WordLevel({text: 0})),
        (r"merges\[0\]", lambda text: models.BPE({"a": 0}, [("a", text)])),
        (r"vocab\[1\]\[0\]", lambda text: models.Unigram([("a", 0.0), (text, 0.0)])),
    ],
)
def test_a_lone_surrogate_is_refused_where_it_is_set(place: str, make: Callable[[str], object]) -> None:
    with pytest.raises(UnicodeEncodeError, match=rf"\(in {place}\)"):
        make("a\udfff")


def test_a_regex_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Regex("a").pattern = "("  # type: ignore[misc]
