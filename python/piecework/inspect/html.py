"""A trace as HTML: a line for each stage, and boxes that know which characters of the text they came from."""

from __future__ import annotations

import itertools
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from piecework.inspect import html_words
from piecework.inspect.stages import AddedPart
from piecework.inspect.visible import direction, in_box, in_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework.inspect.stages import Part, Span
    from piecework.inspect.table import Table
    from piecework.inspect.trace import Trace, TracedToken

_COLORS = 5


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def page(fragment: str) -> str:
    """A whole page around a fragment."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>trace</title>\n</head>\n<body>\n{fragment}</body>\n</html>\n"
    )


def fragment(trace: Trace, tokens: int | None, steps: int) -> str:
    """The trace as an element, with its style and its script.

    Args:
        trace: The trace.
        tokens: So many tokens at most, and the text that they stand for.
        steps: How many distinct pretokens come with the steps of the model.
    """
    shown = trace.tokens[:tokens]
    end = len(trace.text) if len(shown) == len(trace.tokens) else max((t.span[1] for t in shown), default=0)
    parts = [part for part in trace.parts if part.span[0] < end or end == len(trace.text)]
    stages = trace.stages
    none: list[str] = []
    lines = [("text", none, "flow", _text(trace.text[:end], shown))]
    if any(isinstance(part, AddedPart) for part in parts):
        lines.append(("added tokens", none, "", "".join(map(_part, parts))))
    if stages["normalizer"]:
        lines.append(("normalized", stages["normalizer"], "flow", "".join(_normalized(parts, end))))
    if stages["pre_tokenizer"]:
        lines.append(("pretokens", stages["pre_tokenizer"], "", "".join(_pretokens(parts, end))))
    lines.append(("tokens", stages["model"], "", "".join(itertools.starmap(_token, enumerate(shown)))))
    lines.append(("result", stages["post_processor"], "", "".join(_result(trace, tokens))))
    note = (
        '<p class="note">The model draws its tokens at random; its steps show what it does otherwise.</p>'
        * trace.is_drawn
    )
    if len(shown) < len(trace.tokens):
        note += f'<p class="note">Shown are the first {len(shown)} of {len(trace.tokens)} tokens.</p>'
    else:
        lines.append(("decoded", stages["decoder"], "flow", in_line(trace.decoded)))
    # Boxes are isolated from each other, so the browser would not see which way they are to be read.
    way = direction(trace.text)
    rows = "".join(_stage(way, *line) for line in lines)
    words = html_words.details(trace, list(dict.fromkeys(p.text for p in trace.pretokens)), steps)
    style, script = _file("trace.css"), _file("trace.js")
    return (
        f"<style>\n{style}</style>\n"
        f'<div class="piecework" dir="ltr">\n{rows}{note}{words}</div>\n'
        f"<script>\n{script}</script>\n"
    )


def _stage(way: str, name: str, components: Iterable[str], form: str, content: str) -> str:
    below = f"<small>{escape(', '.join(components))}</small>" if components else ""
    return (
        f'<div class="stage"><div class="name">{name}{below}</div>'
        f'<div class="line {form}" dir="{way}">{content}</div></div>\n'
    )


def _span(span: Span) -> str:
    """The attribute by which boxes find each other; what came from nothing has none."""
    return f' data-span="{span[0]} {span[1]}"' if span[0] < span[1] else ""


def _box(content: str, span: Span, *, classes: str = "", below: str = "", title: str = "") -> str:
    small = f"<small>{escape(below)}</small>" if below else ""
    tip = f' title="{escape(title)}"' if title else ""
    return f'<span class="box {classes}"{_span(span)}{tip}><bdi>{in_box(content)}</bdi>{small}</span>'


def _tip(span: Span, text: str) -> str:
    return f"{span[0]}-{span[1]}: {text!r}"


def _text(text: str, tokens: list[TracedToken]) -> str:
    """The text in runs of characters that the same tokens cover, in the colour of the first of them."""
    covering: list[list[int]] = [[] for _ in text]
    for index, token in enumerate(tokens):
        for at in range(token.span[0], min(token.span[1], len(text))):
            covering[at].append(index)
    runs: list[str] = []
    for owners, run in itertools.groupby(range(len(text)), key=covering.__getitem__):
        places = list(run)
        span = (places[0], places[-1] + 1)
        color = f' class="c{owners[0] % _COLORS}"' if owners else ""
        runs.append(f"<span{color}{_span(span)}>{in_line(text[slice(*span)])}</span>")
    return "".join(runs)


def _part(part: Part) -> str:
    tip = _tip(part.span, part.text)
    if isinstance(part, AddedPart):
        return _box(part.token, part.span, classes="added", below=str(part.id), title=tip)
    return _box(part.text, part.span, title=tip)


def _normalized(parts: list[Part], end: int) -> Iterator[str]:
    for part in parts:
        if isinstance(part, AddedPart):
            yield f'<span class="added"{_span(part.span)}>{in_line(part.token)}</span>'
            continue
        # Characters that came from the same ones stay together, so that marks stay on their letters.
        at = 0
        for origin, run in itertools.groupby(part.origins):
            length = len(list(run))
            if origin[0] < end:
                yield f"<span{_span(origin)}>{in_line(part.normalized[at : at + length])}</span>"
            at += length


def _pretokens(parts: list[Part], end: int) -> Iterator[str]:
    for part in parts:
        if isinstance(part, AddedPart):
            yield _box(part.token, part.span, classes="added", title=_tip(part.span, part.text))
            continue
        for pretoken in part.pretokens:
            if pretoken.span[0] < end:
                tip = f"word {pretoken.word}, {pretoken.span[0]}-{pretoken.span[1]}"
                yield _box(pretoken.text, pretoken.span, title=tip)


def _token(index: int, token: TracedToken) -> str:
    tip = f"word {token.word}, {_tip(token.span, token.text)}"
    return _box(token.token, token.span, classes=f"c{index % _COLORS}", below=str(token.id), title=tip)


def _result(trace: Trace, tokens: int | None) -> Iterator[str]:
    encoding = trace.encoding
    columns = zip(encoding.tokens, encoding.ids, encoding.type_ids, encoding.offsets, strict=True)
    masks = zip(encoding.special_tokens_mask, encoding.attention_mask, strict=True)
    for (token, token_id, type_id, span), (special, attended) in itertools.islice(
        zip(columns, masks, strict=True), tokens
    ):
        classes = "" if attended and not special else "special" if attended else "special padding"
        start, end = span
        tip = f"type {type_id}, " + (_tip(span, trace.text[start:end]) if end else "stands for no text")
        # Reached by the keyboard too.
        box = _box(token, (start, end), classes=classes, below=str(token_id), title=tip)
        yield box.replace("<span ", '<span tabindex="0" ', 1)


def table(data: Table) -> str:
    """A table as an element, with its style."""
    forms = [' class="number"' if data.is_numeric(i) else "" for i in range(len(data.columns))]
    heads = "".join(f"<th{form}>{escape(column)}</th>" for form, column in zip(forms, data.columns, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{form}>{in_line(cell)}</td>' for form, cell in zip(forms, row, strict=True))}</tr>"
        for row in data.rows
    )
    return (
        f"<style>\n{_file('trace.css')}</style>\n"
        f'<div class="piecework"><p class="name">{in_line(data.title)}</p><table><tr>{heads}</tr>{rows}</table></div>\n'
    )
