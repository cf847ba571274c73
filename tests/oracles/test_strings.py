"""Texts for components written in Python are changed and cut as those of the reference, by any operations in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tokenizers as reference
from hypothesis import given
from hypothesis import strategies as st

import piecework
from support.texts import texts

if TYPE_CHECKING:
    from collections.abc import Callable

BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")

short = st.text(st.sampled_from("ab é▁\u0301"), max_size=3)
patterns = st.one_of(
    st.sampled_from((" ", "a", "é", "aa")).map(lambda literal: lambda _: literal),
    st.sampled_from((r"\s+", r"[aeé]", r"\w+|\s", r"\S\b", r"a(?=b)")).map(lambda regex: lambda p: p.Regex(regex)),
)


def called(name: str, *arguments: Any) -> Any:
    return lambda string, _: getattr(string, name)(*arguments)


# The parts of composed characters come from all of what they were made of here, from the first alone in the reference:
# `nfc` and `nfkc` are compared in `test_changes` by their texts, and left out where origins show.
plain_changes = st.one_of(
    st.sampled_from(("nfd", "nfkd", "lowercase", "uppercase", "lstrip", "rstrip", "strip", "clear")).map(called),
    short.filter(bool).map(lambda s: called("prepend", s)),  # nothing in front takes the span of the first character
    # Of an empty text that something was appended to the next change makes more in the reference.
    short.map(lambda s: lambda string, _: string.append(s) if string.normalized else None),
    st.sampled_from((str.isalpha, lambda c: c != "a", lambda _: False)).map(lambda keep: called("filter", keep)),
    st.sampled_from((str.swapcase, lambda c: "ü" if c == " " else c)).map(lambda f: called("map", lambda c: f(c)[:1])),
    st.tuples(patterns, short).map(lambda call: lambda string, p: string.replace(call[0](p), call[1])),
)
changes = plain_changes | st.sampled_from(("nfc", "nfkc")).map(called)
ends = st.integers(0, 12)  # negative ones count bytes in the reference
ranges = st.one_of(
    ends,
    st.tuples(ends, ends).map(sorted).map(tuple),  # the wrong way round they are taken for something else
    st.tuples(ends, ends).map(sorted).map(lambda at: slice(*at)),
    st.builds(slice, ends),
    st.builds(slice, ends, st.none()),
)


def outcome(call: Callable[[], Any]) -> Any:
    """A result, or that an error was raised (a panic of the reference is none: it is not compared)."""
    try:
        return call()
    except Exception:
        return "error"


def both(run: Callable[[Any], Any]) -> None:
    """Whether a program does the same with both packages."""
    try:
        expected = run(reference)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return
    assert run(piecework) == expected


def shown(string: Any) -> Any:
    return None if string is None else (string.normalized, string.original)


@given(text=texts, steps=st.lists(changes, max_size=6))
def test_changes(text: str, steps: list[Any]) -> None:
    def run(package: Any) -> Any:
        string = package.NormalizedString(text)
        seen = []
        for change in steps:
            change(string, package)
            seen.append(shown(string))
        return seen

    both(run)


@given(text=texts, steps=st.lists(plain_changes, max_size=4), places=st.lists(ranges, max_size=4))
def test_parts(text: str, steps: list[Any], places: list[Any]) -> None:
    def run(package: Any) -> Any:
        string = package.NormalizedString(text)
        for change in steps:
            change(string, package)
        return [outcome(lambda at=at: shown(string[at])) for at in places]  # type: ignore[misc]

    both(run)


@given(text=texts, steps=st.lists(plain_changes, max_size=3), pattern=patterns, behavior=st.sampled_from(BEHAVIORS))
def test_split(text: str, steps: list[Any], pattern: Any, behavior: str) -> None:
    def run(package: Any) -> Any:
        string = package.NormalizedString(text)
        for change in steps:
            change(string, package)
        return [shown(part) for part in string.split(pattern(package), behavior)]

    both(run)


@given(
    text=texts,
    steps=st.lists(plain_changes | st.tuples(patterns, st.sampled_from(BEHAVIORS)), max_size=5),
    cut=st.integers(1, 3),
    word=st.none() | st.integers(0, 5),
)
def test_pre_tokenized(text: str, steps: list[Any], cut: int, word: int | None) -> None:
    def run(package: Any) -> Any:
        string = package.PreTokenizedString(text)
        seen = []
        for step in steps:
            if isinstance(step, tuple):
                pattern, behavior = step
                string.split(lambda _, part, p=pattern, b=behavior: part.split(p(package), b))
            else:
                string.normalize(lambda part, change=step: change(part, package))
            seen.append([string.get_splits(*kind) for kind in (("original", "char"), ("normalized", "byte"))])

        def tokens(part: str) -> list[Any]:
            out, at = [], 0
            for start in range(0, len(part), cut):
                piece = part[start : start + cut]
                out.append(package.Token(start, piece, (at, at + len(piece.encode()))))
                at += len(piece.encode())
            return out

        string.tokenize(tokens)
        encoding = string.to_encoding(1, word)
        return seen, encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids

    both(run)
