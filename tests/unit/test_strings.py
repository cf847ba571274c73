"""The texts that components written in Python work on."""

from __future__ import annotations

import pytest

from piecework import NormalizedString, PreTokenizedString, Regex, Token, normalizers, pre_tokenizers


def test_changes_keep_the_origin() -> None:
    string = NormalizedString("Ünï x")
    string.nfd()
    string.filter(lambda c: not "\u0300" <= c <= "\u036f")
    string.lowercase()
    string.prepend("> ")
    string.append("!")
    assert string.normalized == "> uni x!"
    assert string.original == "Ünï x"
    part = string[2:5]
    assert part is not None
    assert (part.normalized, part.original) == ("uni", "Ünï")


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (0, "a"),
        (-1, "c"),
        (3, None),
        ((1, 2), "b"),
        ((1, 1), ""),
        ((2, 1), None),
        ((3, 3), None),
        (slice(1, None), "bc"),
        (slice(2, 2), ""),
    ],
)
def test_parts(at: int | tuple[int, int] | slice, expected: str | None) -> None:
    part = NormalizedString("abc")[at]
    assert (None if part is None else part.normalized) == expected


def test_a_part_is_of_neighbours() -> None:
    assert str(NormalizedString("abcd")[0:4:1]) == "abcd"
    for step in (2, -1):
        with pytest.raises(ValueError, match=f"step {step}"):
            NormalizedString("abcd")[0:4:step]


def test_functions_must_give_characters() -> None:
    with pytest.raises(TypeError):
        NormalizedString("a").map(lambda _: 1)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="empty"):
        NormalizedString("a").map(lambda _: "")
    with pytest.raises(ZeroDivisionError):
        NormalizedString("a").for_each(lambda _: 1 / 0)


def test_a_normalizer_of_the_library_changes_it_in_place() -> None:
    string = NormalizedString("A  B")
    normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(Regex(" +"), "_")]).normalize(string)
    assert string.normalized == "a_b"


def test_the_way_of_a_pre_tokenized_string() -> None:
    string = PreTokenizedString("Hé there")
    pre_tokenizers.WhitespaceSplit().pre_tokenize(string)
    string.normalize(lambda part: part.lowercase())
    assert string.get_splits() == [("hé", (0, 2), None), ("there", (3, 8), None)]
    assert string.get_splits(offset_type="byte") == [("hé", (0, 3), None), ("there", (4, 9), None)]
    string.tokenize(lambda text: [Token(len(text), text, (0, len(text.encode())))])
    encoding = string.to_encoding(type_id=2)
    assert encoding.tokens == ["hé", "there"]
    assert encoding.offsets == [(0, 2), (3, 8)]
    assert encoding.word_ids == [0, 1]
    assert encoding.type_ids == [2, 2]


def test_wrong_results_are_refused() -> None:
    string = PreTokenizedString("ab")
    with pytest.raises(TypeError, match="NormalizedString"):
        string.split(lambda _, part: [part, 1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="Token"):
        string.tokenize(lambda _: [(1, "a", (0, 1))])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="tokenize"):
        string.to_encoding()
