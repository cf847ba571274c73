"""Pages of the visualizer: what they show, and that a text cannot break out of them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework import BertWordPieceTokenizer, Tokenizer, models, pre_tokenizers
from piecework.tools import Annotation, EncodingVisualizer
from support.texts import texts

labels = st.sampled_from(("noun", 'v"erb', "<b>", "'", "\n"))
marks = st.lists(st.builds(Annotation, st.integers(-5, 40), st.integers(-5, 50), labels), max_size=4)


class Page(HTMLParser):
    """The spans of a page: for each character of the text its token classes, unknown token and label."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.characters: list[tuple[str, set[str], str | None, str | None]] = []
        self.open: list[dict[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "span":
            self.open.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open:
            return
        classes = set((self.open[-1]["class"] or "").split())
        label = self.open[0].get("data-label")
        self.characters += [(c, classes, self.open[-1].get("data-stok"), label) for c in data]


def small() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "a": 1, "low": 2}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def show(text: str, annotations: list[Any] | None = None, tokenizer: Any = None) -> Page:
    page = EncodingVisualizer(tokenizer or small(), default_to_notebook=False)(text, annotations)
    assert page is not None
    return Page(page)


@given(text=texts, annotations=marks)
def test_every_character_is_shown_with_its_token_and_label(text: str, annotations: list[Annotation]) -> None:
    page = show(text, annotations)
    # The parser takes line ends and NUL as the standard of HTML says: those it leaves alone here.
    assert "".join(c for c, *_ in page.characters) == text
    encoding = small().encode(text)
    for at, (_, classes, unknown, label) in enumerate(page.characters):
        token = encoding.char_to_token(at)
        if token is None:
            assert classes == {"non-token"}
        else:
            assert {"token", "odd-token" if token % 2 else "even-token"} <= classes
            assert unknown == ("<unk>" if encoding.ids[token] == 0 else None)
        named = [annotation.label for annotation in annotations if annotation.start <= at < annotation.end]
        assert label == (named[-1] if named else None)
    assert page.tags <= {"html", "head", "meta", "style", "body", "div", "span"}
    assert page.attributes <= {"charset", "class", "dir", "style", "data-label", "data-stok"}


def test_a_page_needs_nothing_else_and_has_colours_for_the_dark() -> None:
    page = EncodingVisualizer(small(), default_to_notebook=False)("low") or ""
    assert "prefers-color-scheme: dark" in page
    assert not any(outside in page for outside in ("http:", "https:", "url(", "@import", "<script", "<link"))


def test_tokens_that_share_a_character() -> None:
    tokenizer = Tokenizer(models.BPE({"Ġ": 0, "ð": 1, "Ł": 2, "Ļ": 3, "Ĥ": 4}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert show("🙂", tokenizer=tokenizer).characters == [("🙂", {"token", "even-token", "multi-token"}, None, None)]


def test_special_tokens_that_were_put_in_have_no_place_in_the_text() -> None:
    bert = BertWordPieceTokenizer({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hi": 3})
    assert show("hi", tokenizer=bert).characters == [(c, {"token", "odd-token"}, None, None) for c in "hi"]


def test_annotations_of_any_kind() -> None:
    def convert(given: tuple[int, int, str]) -> Annotation:
        return Annotation(*given)

    page = EncodingVisualizer(small(), False, convert)("a low", [(2, 5, "adjective")]) or ""
    assert [label for *_, label in Page(page).characters] == [None, None, *["adjective"] * 3]
    with pytest.raises(TypeError, match=r"annotations\[1\]"):
        show("a", [Annotation(0, 1, "x"), (0, 1, "x")])
    with pytest.raises(TypeError, match="label"):
        Annotation(0, 1, 3)  # type: ignore[arg-type]


def test_labels_have_colours_of_their_own() -> None:
    eighteen = [Annotation(0, 1, str(number)) for number in range(18)]
    assert len(set(EncodingVisualizer.calculate_label_colors(eighteen).values())) == 18
