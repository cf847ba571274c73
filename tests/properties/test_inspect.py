"""A trace shows what the tokenizer does: on every pipeline, of every text."""

from __future__ import annotations

import itertools
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from piecework import AddedToken, EncodeError, Tokenizer, models, trainers
from piecework.inspect import Trace, trace
from piecework.inspect.lattice import LatticeSteps
from piecework.inspect.merges import MergeSteps
from piecework.inspect.stages import AddedPart, Pretoken, Stretch
from support.pipelines import TrainedModels, pipelines
from support.texts import texts

if TYPE_CHECKING:
    from piecework import Encoding


def drawn(data: st.DataObject, trained: TrainedModels, *, cut: bool = False) -> tuple[Tokenizer, str]:
    return Tokenizer.from_str(data.draw(pipelines(trained, cut=cut)).json), data.draw(texts)


def traced(tokenizer: Tokenizer, text: str) -> Trace | None:
    """The trace, or None where the text cannot be encoded; then it cannot be traced either."""
    try:
        tokenizer.encode(text)
    except EncodeError:
        return None
    return trace(tokenizer, text)


def columns(encoding: Encoding) -> list[tuple[object, ...]]:
    lists = (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids)
    return list(zip(*lists, encoding.special_tokens_mask, encoding.attention_mask, strict=True))


@given(data=st.data())
def test_the_result_is_the_encoding(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer, text = drawn(data, trained, cut=True)
    shown = traced(tokenizer, text)
    if shown is not None:
        assert columns(shown.encoding) == columns(tokenizer.encode(text))


@given(data=st.data())
def test_every_token_comes_from_what_stands_in_front_of_the_model(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer, text = drawn(data, trained)
    shown = traced(tokenizer, text)
    if shown is None:
        return
    words: list[AddedPart | Pretoken] = []
    for part in shown.parts:
        words += [part] if isinstance(part, AddedPart) else part.pretokens
    assert [word.word for word in words] == list(range(len(words)))
    for token in shown.tokens:
        word = words[token.word]
        assert word.span[0] <= token.span[0] <= token.span[1] <= word.span[1]
        assert (token.id == word.id) if isinstance(word, AddedPart) else True
    for word in words:
        if isinstance(word, AddedPart):
            assert [token.id for token in shown.tokens if token.word == word.word] == [word.id]


@given(data=st.data())
def test_parts_follow_each_other_and_origins_are_inside(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer, text = drawn(data, trained)
    shown = traced(tokenizer, text)
    if shown is None:
        return
    for before, behind in itertools.pairwise(shown.parts):
        assert before.span[0] <= behind.span[0] <= behind.span[1] <= len(text)
    for part in shown.parts:
        assert part.text == text[slice(*part.span)]
        if isinstance(part, Stretch):
            assert len(part.origins) == len(part.normalized)
            assert all(part.span[0] <= start <= end <= part.span[1] for start, end in part.origins)


@given(data=st.data())
def test_the_steps_end_in_the_tokens(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer, text = drawn(data, trained)
    shown = traced(tokenizer, text)
    if shown is None:
        return
    for pretoken in shown.pretokens:
        steps = shown.steps(pretoken.text)
        assert (steps is None) == isinstance(tokenizer.model, models.WordLevel)
        tokens = [token for token in shown.tokens if token.word == pretoken.word]
        if isinstance(steps, LatticeSteps):
            assert set(steps.pieces) - steps.unknown <= {token.token for token in tokens} | {"<unk>"}
            assert "".join(steps.pieces) == pretoken.text
            assert [way.score for way in steps.ways] == sorted((way.score for way in steps.ways), reverse=True)
        elif steps is not None:
            # By ids: a token of the model that is an added one too is shown in the form that texts are searched for.
            assert [tokenizer.model.token_to_id(token) for token in steps.tokens] == [token.id for token in tokens]


@given(
    counts=st.dictionaries(st.text("abcé", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=6),
    affixes=st.fixed_dictionaries(
        {}, optional={"continuing_subword_prefix": st.sampled_from(("##", "é")), "end_of_word_suffix": st.just("</w>")}
    ),
    options=st.fixed_dictionaries(
        {"fuse_unk": st.booleans(), "byte_fallback": st.booleans(), "ignore_merges": st.booleans()},
        optional={"unk_token": st.just("<unk>")},
    ),
    word=st.text("abcédx", min_size=1, max_size=10),
)
def test_the_steps_of_bpe_with_every_option(
    counts: dict[str, int], affixes: dict[str, Any], options: dict[str, Any], word: str
) -> None:
    tokenizer = Tokenizer(models.BPE())
    special: list[str | AddedToken] = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=290, special_tokens=special, show_progress=False, **affixes)
    tokenizer.train_from_counts(counts, trainer)
    for name, value in options.items():
        setattr(tokenizer.model, name, value)
    steps = trace(Tokenizer(tokenizer.model), word).steps(word)
    assert isinstance(steps, MergeSteps)
    assert steps.tokens == [token.value for token in tokenizer.model.tokenize(word)]


class Balanced(HTMLParser):
    """Every element that is opened is closed, and nothing is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {name for name, _ in attrs} & {"src", "href", "onload", "onerror"}
        assert tag not in ("a", "b", "img", "link", "iframe")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(data=st.data())
def test_html_is_whole_whatever_the_text(data: st.DataObject, trained: TrainedModels) -> None:
    tokenizer, text = drawn(data, trained)
    shown = traced(tokenizer, text + "<img src=x onerror=alert(1)> & </span><b>")
    if shown is not None:
        parser = Balanced()
        parser.feed(shown.html(steps=3))
        assert parser.open == []
        assert "decoded: " in str(shown)
