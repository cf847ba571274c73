"""What traces show, and how."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from piecework import (
    BertWordPieceTokenizer,
    NormalizedString,
    PreTokenizedString,
    PreTrainedTokenizer,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from piecework.inspect import trace, train_trace
from piecework.inspect.html import table as html_table
from piecework.inspect.lattice import LatticeSteps
from piecework.inspect.matches import MatchSteps
from piecework.inspect.merges import MergeSteps
from piecework.inspect.stages import AddedPart, Stretch
from piecework.inspect.table import Table
from piecework.inspect.visible import direction, in_box, in_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bert() -> Tokenizer:
    vocab = {token: i for i, token in enumerate(["[UNK]", "[CLS]", "[SEP]", "hug", "##s", "##ging", "me", "é"])}
    tokenizer = Tokenizer(models.WordPiece(vocab, max_input_chars_per_word=9))
    tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.add_special_tokens(["[SEP]"])
    return tokenizer


def test_parts_with_an_added_token_between(bert: Tokenizer) -> None:
    shown = trace(bert, " HUGS[SEP]me ")
    first, added, last = shown.parts
    assert isinstance(first, Stretch)
    assert isinstance(added, AddedPart)
    assert isinstance(last, Stretch)
    assert (first.text, first.normalized, first.origins[1]) == (" HUGS", " hugs", (1, 2))
    assert (added.token, added.id, added.span, added.is_normalized) == ("[SEP]", 2, (5, 10), False)
    assert [(p.text, p.span, p.word) for p in shown.pretokens] == [("hugs", (1, 5), 0), ("me", (10, 12), 2)]
    assert [t.token for t in shown.tokens] == ["hug", "##s", "[SEP]", "me"]
    assert shown.encoding.tokens == ["[CLS]", "hug", "##s", "[SEP]", "me", "[SEP]"]
    assert shown.normalized == " hugs[SEP]me "
    assert shown.stages["normalizer"] == ["BertNormalizer"]


def test_an_added_token_of_the_normalized_text(bert: Tokenizer) -> None:
    bert.add_tokens(["Hug Me"])
    (part,) = trace(bert, "HUG ME").parts
    assert part == AddedPart("HUG ME", (0, 6), 8, "hug me", 0, is_normalized=True)


def test_special_tokens_can_be_left_out(bert: Tokenizer) -> None:
    assert trace(bert, "hug", add_special_tokens=False).encoding.tokens == ["hug"]
    with pytest.raises(TypeError, match="`add_special_tokens` must be bool, not int"):
        trace(bert, "hug", add_special_tokens=0)  # type: ignore[arg-type]


def test_truncation_and_padding_are_part_of_the_result(bert: Tokenizer) -> None:
    bert.enable_truncation(3)
    bert.enable_padding(length=5)
    shown = trace(bert, "hug me")
    assert len(shown.tokens) == 2
    assert shown.encoding.tokens == ["[CLS]", "hug", "[SEP]", "[PAD]", "[PAD]"]
    assert "padding" in str(shown)


def test_matches_are_shown_from_the_longest_on(bert: Tokenizer) -> None:
    steps = trace(bert, "hugging").steps("hugging")
    assert isinstance(steps, MatchSteps)
    assert [(m.start, m.tried, m.token) for m in steps.matches] == [
        (0, ["hugging", "huggin", "huggi", "hugg", "hug"], "hug"),
        (3, ["##ging"], "##ging"),
    ]


@pytest.mark.parametrize(("word", "tried", "too_long"), [("huge", ["##e"], False), ("hugginggggg", [], True)])
def test_a_word_that_cannot_be_covered(bert: Tokenizer, word: str, tried: list[str], too_long: bool) -> None:
    steps = trace(bert, word).steps(word)
    assert isinstance(steps, MatchSteps)
    assert (steps.tokens, steps.is_too_long) == (["[UNK]"], too_long)
    assert [m.tried for m in steps.matches[-1:]] == ([tried] if tried else [])


def test_merges_in_the_order_in_which_they_are_done() -> None:
    vocab = {token: i for i, token in enumerate(["h", "u", "g", "s", "gs", "hu", "hugs"])}
    tokenizer = Tokenizer(models.BPE(vocab, [("g", "s"), ("h", "u"), ("hu", "gs")]))
    steps = trace(tokenizer, "hugs").steps("hugs")
    assert isinstance(steps, MergeSteps)
    assert steps.start == ["h", "u", "g", "s"]
    assert [(m.rank, m.pair, m.at, m.symbols) for m in steps.merges] == [
        (0, ("g", "s"), 2, ["h", "u", "gs"]),
        (1, ("h", "u"), 0, ["hu", "gs"]),
        (2, ("hu", "gs"), 0, ["hugs"]),
    ]
    tokenizer.model.ignore_merges = True  # type: ignore[attr-defined]
    whole = trace(tokenizer, "hugs").steps("hugs")
    assert isinstance(whole, MergeSteps)
    assert (whole.is_whole, whole.tokens) == (True, ["hugs"])


def test_the_best_ways_through_a_lattice_with_their_shares() -> None:
    """By hand: h|ug 1/2 * 1/4, hug 1/4; the other ways have no piece `g`, which is unknown."""
    vocab = [("<unk>", 0.0), ("h", -0.693147), ("u", -1.386294), ("ug", -1.386294), ("hug", -1.386294)]
    steps = trace(Tokenizer(models.Unigram(vocab, unk_id=0)), "hug", n_best=2).steps("hug")
    assert isinstance(steps, LatticeSteps)
    assert [(e.start, e.end, e.piece) for e in steps.edges] == [
        (0, 1, "h"), (0, 3, "hug"), (1, 2, "u"), (1, 3, "ug"), (2, 3, "g"),
    ]  # fmt: skip
    assert steps.unknown == {"g"}
    assert [[e.piece for e in way.pieces] for way in steps.ways] == [["hug"], ["h", "ug"]]
    assert [round(way.share, 3) for way in steps.ways] == [0.667, 0.333]


def test_steps_are_those_of_the_model_when_it_was_traced() -> None:
    tokenizer = Tokenizer(models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")]))
    shown = trace(tokenizer, "hi")
    tokenizer.train_from_counts({"xy": 1})
    steps = shown.steps("hi")
    assert isinstance(steps, MergeSteps)
    assert steps.tokens == ["hi"]


@pytest.mark.parametrize(
    ("model", "is_drawn"),
    [
        (models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")], dropout=0.5), True),
        (models.BPE({"h": 0, "i": 1, "hi": 2}, [("h", "i")], dropout=0.0), False),
        (models.Unigram([("h", -1.0), ("i", -1.0), ("hi", -2.0)], alpha=0.1), True),
        (models.Unigram([("h", -1.0), ("i", -1.0), ("hi", -2.0)], alpha=0.0, nbest_size=2), False),
    ],
)
def test_what_is_drawn_at_random_says_so(model: models.Model, is_drawn: bool) -> None:
    """The tokens are those of the encoding, from one drawing; the steps are those of the model without."""
    tokenizer = Tokenizer(model)
    traces = [trace(tokenizer, "hi") for _ in range(100)]
    assert all([t.token for t in shown.tokens] == shown.encoding.tokens for shown in traces)
    assert len({tuple(shown.encoding.ids) for shown in traces}) == 1 + is_drawn
    shown = traces[0]
    assert shown.record()["is_drawn"] == is_drawn
    assert (shown.is_drawn, "drawn at random" in str(shown)) == (is_drawn, is_drawn)
    assert ("draws its tokens at random" in shown.html(tokens=1)) == is_drawn
    steps = shown.steps("hi")
    assert isinstance(steps, MergeSteps | LatticeSteps)
    assert steps.tokens == ["hi"] if isinstance(steps, MergeSteps) else len(steps.ways) == 2


def test_blanks_in_symbols_can_be_seen() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, " ": 1, "a ": 2}, [("a", " ")]))
    assert "a + ␣" in str(trace(tokenizer, "a a"))
    assert "a + ␣" in str(train_trace(tokenizer, {"a a": 3}))


def test_a_model_that_looks_words_up_has_no_steps() -> None:
    shown = trace(Tokenizer(models.WordLevel({"<unk>": 0, "hug": 1})), "hug")
    assert shown.steps("hug") is None
    assert "The model on each pretoken" not in shown.html()


class Shout:
    def normalize(self, text: NormalizedString) -> None:
        text.uppercase()


class CutAtE:
    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, part: part.split("E", "isolated"))


def test_components_written_in_python() -> None:
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "H": 1, "E": 2}))
    tokenizer.normalizer = normalizers.Normalizer.custom(Shout())
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(CutAtE())
    shown = trace(tokenizer, "heß")
    assert [(p.text, p.span) for p in shown.pretokens] == [("H", (0, 1)), ("E", (1, 2)), ("SS", (2, 3))]
    assert (shown.stages["normalizer"], shown.stages["pre_tokenizer"]) == (["Shout"], ["CutAtE"])


def test_what_has_a_tokenizer_inside_can_be_traced() -> None:
    shown = trace(BertWordPieceTokenizer({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hi": 3}), "hi")
    assert shown.encoding.tokens == ["[CLS]", "hi", "[SEP]"]
    inside = Tokenizer(models.WordLevel({"<unk>": 0, "hi": 1}))
    assert trace(PreTrainedTokenizer(tokenizer_object=inside), "hi").encoding.ids == [1]
    with pytest.raises(TypeError, match="`tokenizer` must be Tokenizer"):
        trace(models.BPE(), "hi")  # type: ignore[arg-type]


def test_a_lone_surrogate_is_refused(bert: Tokenizer) -> None:
    with pytest.raises(UnicodeEncodeError):
        trace(bert, "a\ud800")


@pytest.mark.parametrize("model", [models.WordLevel({"<unk>": 0}), models.BPE(), models.WordPiece(), models.Unigram()])
def test_the_steps_of_what_is_no_text(model: models.Model) -> None:
    shown = trace(Tokenizer(model), "")
    with pytest.raises(UnicodeEncodeError):
        shown.steps("a\ud800")
    for other in (None, ["hi"], b"hi"):
        with pytest.raises(TypeError, match="`word` must be str"):
            shown.steps(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [-1, "3", 1.5])
def test_what_is_no_number_of_tokens_or_steps_is_refused(bert: Tokenizer, count: Any, tmp_path: Path) -> None:
    shown, error = trace(bert, "hugs"), OverflowError if count == -1 else TypeError
    for show in (
        lambda: shown.tables(steps=count),
        lambda: shown.html(steps=count),
        lambda: shown.html(tokens=count),
        lambda: shown.save_html(tmp_path / "page.html", steps=count),
    ):
        with pytest.raises(error, match=r"`tokens`|`steps`"):
            show()
    with pytest.raises(TypeError, match="`steps` must be int"):
        shown.html(steps=None)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------------------------
# Pictures


def test_boxes_know_what_they_came_from(small_bpe: Tokenizer) -> None:
    shown = trace(small_bpe, "def é")
    html = shown.html()
    # In the text, and each token that é is made of, alone and in the result.
    made_of = [token.span for token in shown.tokens].count((4, 5))
    assert html.count('data-span="4 5"') == 1 + 2 * made_of > 1
    assert re.search(r'<span class="c\d" data-span="0 3">def</span>', html)


def test_a_page_shows_so_many_tokens_and_says_so(small_bpe: Tokenizer) -> None:
    html = trace(small_bpe, "x y " * 500).html(tokens=10, steps=1)
    assert "Shown are the first 10 of " in html
    assert html.count("<small>") < 50
    assert "decoded" not in html.partition("</style>")[2]
    assert "Shown are" not in trace(small_bpe, "x y " * 500).html(tokens=None)


def test_a_very_long_pretoken_comes_without_steps() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "aa": 1, "b": 2}, [("a", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    shown = trace(tokenizer, "a" * 5000 + " aab")
    assert "(1 of 2)" in shown.html()
    assert [table.title for table in shown.tables(steps=2)[2:]] == ["aab: merges in the order in which they are done"]
    steps = shown.steps("a" * 500)
    assert isinstance(steps, MergeSteps)
    assert steps.tokens == ["aa"] * 250


def test_a_notebook_gets_a_fragment(bert: Tokenizer) -> None:
    fragment = trace(bert, "hugs")._repr_html_()
    assert fragment.startswith("<style>")
    assert "<html" not in fragment


def test_a_page_is_written(bert: Tokenizer, tmp_path: Path) -> None:
    trace(bert, "hugs 日").save_html(tmp_path / "trace.html")
    assert "日" in (tmp_path / "trace.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" a\n", "<i>␣</i>a<i>↵</i>"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("\u0301", "◌\u0301"),
        ("\u202ex", "<i>U+202E</i>x"),
        ("\x1b", "<i>U+001B</i>"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\u200d👧", "<i>U+200D</i>👧"),
    ],
)
def test_every_character_can_be_seen(text: str, shown: str) -> None:
    assert in_box(text) == shown


def test_running_text_keeps_its_white_space() -> None:
    assert in_line("a b\nc") == "a b<i>↵</i>\nc"


@pytest.mark.parametrize(
    ("text", "way"), [("1, abc שלום", "ltr"), ("1, שלום abc", "rtl"), ("مرحبا", "rtl"), ("", "ltr")]
)
def test_the_direction_is_that_of_the_first_letter(text: str, way: str) -> None:
    assert direction(text) == way


def test_the_steps_of_a_pretoken_go_the_way_of_the_pretoken() -> None:
    pieces = [("<unk>", 0.0), *((piece, -1.0) for piece in ["ש", "ל", "של", "1", "2", "12", "a", "b", "ab"])]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    html = trace(tokenizer, "של 12 ab").html()
    assert '<div class="line flow" dir="rtl">' in html
    assert re.findall(r'<div class="lattice" dir="(\w+)"', html) == ["rtl", "ltr", "ltr"]


def test_a_table_is_as_wide_as_its_letters() -> None:
    table = Table("t", ("a", "b"), [("日本", "x"), ("q\n", "y" * 61)])
    assert table.text().splitlines() == [
        "t",
        "  a     b",
        "  ────  ────────────────────────────────────────────────────────────",
        "  日本  x",
        "  q\\n   yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
        "        y",
    ]


def test_a_table_shows_what_would_garble_the_terminal_as_codes() -> None:
    table = Table("\x1b[31m\n", ("a",), [("\u202e<b>",)])
    assert table.text().splitlines() == ["\\u{1b}[31m\\n", "  a", "  ───────────", "  \\u{202e}<b>"]
    page = html_table(table)
    assert not {"\x1b", "\u202e"} & set(page)
    assert "&lt;b&gt;" in page


def test_the_import_of_the_package_does_not_drag_it_in() -> None:
    program = "import sys, piecework; print('piecework.inspect' in sys.modules, 'piecework.reference' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["False", "False"]
