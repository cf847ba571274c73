"""How a model works on single pretokens, as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from piecework.inspect.matches import MatchSteps
from piecework.inspect.merges import MergeSteps
from piecework.inspect.visible import direction, in_box
from piecework.inspect.words import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.inspect.lattice import LatticeSteps
    from piecework.inspect.trace import Trace
    from piecework.inspect.words import WordSteps
    from piecework.reference.unigram import Edge

# A page stays readable with so much of a long word.
_MOST_ROWS = 60
_MOST_NEIGHBOURS = 12
_LONGEST_LATTICE = 40


def details(trace: Trace, words: list[str], count: int) -> str:
    """The steps of some pretokens, folded away."""
    chosen = [word for word in words if len(word) <= LONGEST][:count]
    shown = [steps for word in chosen if (steps := trace.steps(word)) is not None]
    if not shown:
        return ""
    more = f" ({len(shown)} of {len(words)})" if len(shown) < len(words) else ""
    way = direction(trace.text)
    blocks = "".join(_word(steps) for steps in shown if not _is_plain(steps))
    plain = "".join(_box(steps.word) for steps in shown if _is_plain(steps))
    if plain:
        blocks += f'<div class="word"><p class="note">Tokens as they are:</p><div dir="{way}">{plain}</div></div>\n'
    return f"<details><summary>The model on each pretoken{more}</summary>\n{blocks}</details>\n"


def _is_plain(steps: WordSteps) -> bool:
    """Whether nothing had to be done or tried."""
    if isinstance(steps, MergeSteps):
        return steps.start == [steps.word]
    if isinstance(steps, MatchSteps):
        return steps.tokens == [steps.word]
    return len(steps.edges) == 1 and not steps.unknown


def _word(steps: WordSteps) -> str:
    # A pretoken is read alone here: a number or a foreign word goes its own way, whatever the text does.
    way = direction(steps.word)
    if isinstance(steps, MergeSteps):
        content = _merges(steps, way)
    elif isinstance(steps, MatchSteps):
        content = _matches(steps)
    else:
        content = _lattice(steps, way)
    return f'<div class="word">{content}</div>\n'


def _box(symbol: str, classes: str = "", style: str = "") -> str:
    place = f' style="{style}"' if style else ""
    return f'<span class="box {classes}"{place}><bdi>{in_box(symbol)}</bdi></span>'


def _table(rows: Iterable[Iterable[str]], head: tuple[str, ...]) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><tr>{heads}</tr>{lines}</table>"


def _cell(content: str, classes: str = "", *, way: str = "ltr") -> str:
    return f'<td class="{classes}" dir="{way}">{content}</td>'


def _merges(steps: MergeSteps, way: str) -> str:
    rows = [(_cell("start"), _cell(_around(steps.start, None), way=way))]
    rows += [
        (_cell(str(merge.rank), "number"), _cell(_around(merge.symbols, merge.at), way=way))
        for merge in steps.merges[:_MOST_ROWS]
    ]
    if len(steps.merges) > _MOST_ROWS:
        rows.append((_cell(""), _cell(f"and {len(steps.merges) - _MOST_ROWS} more merges")))
    return _table(rows, ("rank", "symbols after the merge"))


def _around(symbols: list[str], at: int | None) -> str:
    """Symbols, of a long word those around the new one."""
    middle = 0 if at is None else at
    first, last = max(0, middle - _MOST_NEIGHBOURS), max(2 * _MOST_NEIGHBOURS, middle + _MOST_NEIGHBOURS)
    boxes = [_box(s, "new" if i == at else "") for i, s in enumerate(symbols[first:last], first)]
    return ("… " if first else "") + "".join(boxes) + (" …" if last < len(symbols) else "")


def _matches(steps: MatchSteps) -> str:
    if steps.is_too_long:
        return _note(steps.word, f"is longer than the model looks at, so it is {steps.unk_token}")
    rows = []
    for match in steps.matches:
        failed = match.tried if match.token is None else match.tried[:-1]
        tried = " ".join(f'<span class="tried"><bdi>{in_box(t)}</bdi></span>' for t in failed[:_MOST_ROWS])
        found = _box(match.token, "new") if match.token is not None else escape(f"nothing fits: {steps.unk_token}")
        rows.append((_cell(str(match.start), "number"), _cell(found), _cell(tried)))
    return _table(rows, ("at", "longest match", "tried before"))


def _lattice(steps: LatticeSteps, way: str) -> str:
    best = set(steps.ways[0].pieces) if steps.ways else set()
    grid = ""
    if len(steps.word) <= _LONGEST_LATTICE:
        boxes = "".join(
            _box(
                edge.piece,
                f"{'best' if edge in best else ''} {'special' if edge.piece in steps.unknown else ''}".strip(),
                f"grid-row:{row + 1};grid-column:{edge.start + 1}/{edge.end + 1}",
            )
            for edge, row in _rows(steps.edges)
        )
        columns = f"grid-template-columns:repeat({len(steps.word)},minmax(1.6em,auto))"
        grid = f'<div class="lattice" dir="{way}" style="{columns}">{boxes}</div>'
    rows = [
        (
            _cell(f"{found.score:.4f}", "number"),
            _cell(f"{found.share:.2%}", "number"),
            _cell("".join(_box(edge.piece) for edge in found.pieces[:_MOST_ROWS]), way=way),
        )
        for found in steps.ways
    ]
    return grid + _table(rows, ("score", "share", "the best ways"))


def _rows(edges: list[Edge]) -> Iterable[tuple[Edge, int]]:
    """A row for each piece, the shortest on top, so that no two pieces lie over each other."""
    free: list[int] = []  # where each row is free from
    for edge in sorted(edges, key=lambda edge: (edge.end - edge.start, edge.start)):
        row = next((i for i, end in enumerate(free) if end <= edge.start), len(free))
        free[row : row + 1] = [edge.end]
        yield edge, row


def _note(word: str, text: str) -> str:
    return f'{_box(word)} <span class="note">{escape(text)}</span>'
