"""Tokenizers side by side: measures, overlaps, plots."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from piecework import EncodeError, Tokenizer, decoders, models, pre_tokenizers
from piecework.inspect import Comparison, compare, overlap
from piecework.inspect.compare import METRICS, unknown_id

if TYPE_CHECKING:
    from collections.abc import Iterator


def words(*vocabulary: str) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({token: i for i, token in enumerate(["<unk>", *vocabulary])}))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def test_measures_by_hand() -> None:
    """By hand: the second text has 5 characters in 7 bytes, 2 words, and one word that the first tokenizer knows."""
    first, second = compare({"words": words("hi", "hé"), "bytes": byte_level()}, ["hi", "hé é"]).measures
    assert (first.texts, first.characters, first.bytes, first.words) == (2, 6, 8, 3)
    assert (first.tokens, first.unknown, first.used, first.size) == (3, 1, 3, 3)
    assert (first.fertility, first.bytes_per_token, first.characters_per_token) == (1.0, 8 / 3, 2.0)
    assert (first.unknown_share, first.used_share) == (1 / 3, 1.0)
    assert (second.tokens, second.unknown, second.used, second.size) == (8, 0, 5, 256)


def test_groups_are_read_once_and_end_with_all_of_them() -> None:
    def texts() -> Iterator[str]:
        yield "hi hi"

    found = compare([words("hi"), words("ho")], {"en": texts(), "de": ["ho"], "none": []}).measures
    assert [(m.group, m.tokenizer, m.tokens, m.unknown) for m in found] == [
        ("en", "0", 2, 0), ("en", "1", 2, 2), ("de", "0", 1, 1), ("de", "1", 1, 0),
        ("none", "0", 0, 0), ("none", "1", 0, 0), ("all", "0", 3, 1), ("all", "1", 3, 2),
    ]  # fmt: skip
    assert found[-2].used == 2
    assert found[4].fertility == 0.0


@pytest.mark.parametrize(
    ("tokenizers", "texts", "error", "message"),
    [
        ([words()], "hi", TypeError, "`texts` must be an iterable of texts, not str"),
        ([words()], None, TypeError, "`texts` must be an iterable of texts, not NoneType"),
        ([words()], b"hi", TypeError, "`texts` must be an iterable of texts, not bytes"),
        ([words()], ["hi", None], TypeError, r"`texts\[1\]` must be str, not NoneType"),
        ([words()], [b"hi"], TypeError, r"`texts\[0\]` must be str, not bytes"),
        ([words()], ["hi", ("hi", "hi")], TypeError, r"`texts\[1\]` must be str, not tuple"),
        ([words()], [["hi"]], TypeError, r"`texts\[0\]` must be str, not list"),
        ([words()], {"en": "hi"}, TypeError, r"`texts\['en'\]` must be an iterable of texts, not str"),
        ([words()], {"en": ["hi"], "de": 3}, TypeError, r"`texts\['de'\]` must be an iterable of texts, not int"),
        ([words()], {"en": ["hi", 3]}, TypeError, r"`texts\['en'\]\[1\]` must be str, not int"),
        ([words()], {3: ["hi"]}, TypeError, "`name in texts` must be str, not int"),
        ([words()], {"all": ["hi"], "de": ["hi"]}, ValueError, "`texts` has a group `all`"),
        ([words()], ["hi", "a\ud800"], UnicodeEncodeError, r"in texts\[1\]"),
        (words(), ["hi"], TypeError, "`tokenizers` must be tokenizers by name or a list of them, not Tokenizer"),
        (None, ["hi"], TypeError, "`tokenizers` must be tokenizers by name or a list of them, not NoneType"),
        ("hi", ["hi"], TypeError, "`tokenizers` must be tokenizers by name or a list of them, not str"),
        ([words(), models.BPE()], ["hi"], TypeError, r"`tokenizers\[1\]` must be Tokenizer, not BPE"),
        ({"a": None}, ["hi"], TypeError, r"`tokenizers\['a'\]` must be Tokenizer, not NoneType"),
        ({3: words()}, ["hi"], TypeError, "`name in tokenizers` must be str, not int"),
        ({"x": Tokenizer(models.WordLevel({"a": 0}))}, ["b"], EncodeError, "tokenizer `x`: .*`b` is not in the vocab"),
    ],
)
def test_what_cannot_be_compared_is_named(tokenizers: Any, texts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compare(tokenizers, texts)


def test_a_single_group_may_be_called_all_and_tokenizers_may_come_one_by_one() -> None:
    found = compare((words(word) for word in ("hi", "ho")), {"all": ["hi"]}).measures
    assert [(m.tokenizer, m.group, m.unknown) for m in found] == [("0", "all", 0), ("1", "all", 1)]


def test_nothing_to_compare() -> None:
    assert len(str(compare([], ["hi"])).splitlines()) == 3
    assert [m.texts for m in compare([words()], []).measures] == [0]
    assert compare([words()], {}).measures == []


def test_truncation_and_padding_do_not_count() -> None:
    tokenizer = words("hi")
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=8)
    assert compare([tokenizer], ["hi hi hi", "hi"]).measures[0].tokens == 4


def test_a_comparison_says_how_large_it_is() -> None:
    assert repr(compare([words(), words("hi")], ["hi"])) == "Comparison(2 tokenizers, 1 groups of texts)"
    assert repr(compare([words()], {"en": ["hi"], "de": []})) == "Comparison(1 tokenizers, 2 groups of texts)"
    assert repr(compare([], ["hi"])) == "Comparison(0 tokenizers, 0 groups of texts)"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (models.Unigram([("a", 0.0), ("<unk>", 0.0)], unk_id=1), 1),
        (models.Unigram([("a", 0.0)]), None),
        (models.BPE({"a": 0, "?": 5}, [], unk_token="?"), 5),
        (models.BPE({"a": 0}, [], unk_token="?"), None),
        (models.BPE({"a": 0}, []), None),
        (models.WordPiece({"[UNK]": 7}), 7),
    ],
)
def test_what_stands_for_the_unknown(model: models.Model, expected: int | None) -> None:
    assert unknown_id(Tokenizer(model)) == expected


def test_tables_and_records() -> None:
    comparison = compare({"<b>": words("hi")}, ["hi ho"])
    assert "50.00% " in str(comparison)
    assert "&lt;b&gt;" in comparison._repr_html_()
    (record,) = json.loads(comparison.to_json())
    assert record["unknown_share"] == 0.5
    assert set(METRICS) < set(record)


@pytest.mark.filterwarnings("default::DeprecationWarning")
def test_bars() -> None:
    comparison = compare({"a": words("hi"), "b": byte_level()}, {"en": ["hi"], "de": ["ho"]})
    for metric in METRICS:
        (axes,) = comparison.plot(metric).axes
        assert len(axes.patches) == 2 * 3
        assert [label.get_text() for label in axes.get_xticklabels()] == ["en", "de", "all"]
    assert comparison.plot("fertility", axes).axes == [axes]
    with pytest.raises(ValueError, match="`metric` is 'speed'"):
        comparison.plot("speed")


def test_bars_have_any_name() -> None:
    names = ["_hidden", "a$b_{c$", "$5", ""]
    (axes,) = compare(dict.fromkeys(names, words("hi")), {name: ["hi"] for name in names}).plot().axes
    axes.figure.draw_without_rendering()
    shown = [r"_hidden", r"a\$b_{c\$", r"\$5", ""]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == shown
    assert [label.get_text() for label in axes.get_xticklabels()] == [*shown, "all"]
    assert list(compare([], ["hi"]).plot().axes[0].patches) == []


def test_without_matplotlib_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'piecework\[plot\]'"):
        Comparison([]).plot()


def test_vocabularies_as_they_are_spelled_and_as_text() -> None:
    bert = Tokenizer(models.WordPiece({"[UNK]": 0, "hi": 1, "##s": 2, "é": 3}))
    gpt = byte_level()
    gpt.model = models.BPE({"Ġhi": 0, "s": 1, "Ġ": 2, "Ã": 3, "©": 4, "Ã©": 5, "h": 6, "i": 7}, [])
    mark = Tokenizer(models.Unigram([("▁hi", 0.0), ("s", 0.0), ("<s>", 0.0)]))
    mark.add_special_tokens(["<s>"])
    assert overlap(bert, gpt).shared == frozenset()
    assert overlap(bert, gpt, as_text=True).shared == {" hi", "s"}
    assert overlap(gpt, mark, as_text=True).shared == {" hi", "s"}
    found = overlap(mark, words("s"), as_text=False)
    assert [sorted(tokens) for tokens in found] == [["s"], ["<s>", "▁hi"], ["<unk>"]]
    assert found.jaccard == 0.25
    assert "25.00%" in str(found)
    with pytest.raises(TypeError, match="`first` must be Tokenizer, not BPE"):
        overlap(models.BPE(), gpt)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`as_text` must be bool"):
        overlap(gpt, gpt, as_text="yes")  # type: ignore[arg-type]
    assert repr(found) == "Overlap(1 tokens in both, 2 only in the first, 1 only in the second)"
    assert "<td>only the first</td>" in found._repr_html_()
    with pytest.raises(TypeError, match="`second` must be Tokenizer, not NoneType"):
        overlap(gpt, None)  # type: ignore[arg-type]


def test_words_of_a_vocabulary_are_shown_with_their_marks() -> None:
    """Else one would seem to be in both and only in one."""
    first = Tokenizer(models.Unigram([("▁hi", 0.0), ("hello", 0.0), ("2", 0.0)]))
    second = Tokenizer(models.WordPiece({"hi": 0, "##hello": 1, "[UNK]": 2}))
    assert [row[2] for row in overlap(first, second).table().rows] == ["", "hello ▁hi", "##hello hi"]
    assert [row[2] for row in overlap(first, second, as_text=True).table().rows] == ["hello ␣hi", "", ""]
