"""What a model does with one pretoken, whatever kind of model it is; and that as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import models
from piecework.inspect.lattice import LatticeSteps, UnigramSteps
from piecework.inspect.matches import MatchSteps, WordPieceSteps
from piecework.inspect.merges import BpeSteps, MergeSteps
from piecework.inspect.table import Table, symbols

if TYPE_CHECKING:
    from collections.abc import Callable

WordSteps = MergeSteps | MatchSteps | LatticeSteps
LONGEST = 300
"""Pretokens with more characters come without steps in tables and pages: these would be too many to read."""


def steps_of(model: models.Model, n_best: int) -> Callable[[str], WordSteps] | None:
    """What gives the steps of a pretoken, or None for a model that only looks words up."""
    if isinstance(model, models.BPE):
        return BpeSteps(model)
    if isinstance(model, models.WordPiece):
        return WordPieceSteps(model)
    if isinstance(model, models.Unigram):
        return UnigramSteps(model, n_best)
    return None


def is_drawn(model: models.Model) -> bool:
    """Whether a model draws at random."""
    return bool(getattr(model, "dropout", None) or getattr(model, "alpha", None))


def table(steps: WordSteps) -> Table:
    """The steps of a pretoken, a row each."""
    if isinstance(steps, MergeSteps):
        return _merges(steps)
    return _matches(steps) if isinstance(steps, MatchSteps) else _lattice(steps)


def _merges(steps: MergeSteps) -> Table:
    if steps.is_whole:
        return Table(
            f"{steps.word}: in the vocabulary as a whole, so merges are not looked at",
            ("symbols",),
            [(symbols(steps.word),)],
        )
    rows = [("", "", symbols(*steps.start))]
    rows += [(str(m.rank), symbols(*m.pair, gap=" + "), symbols(*m.symbols)) for m in steps.merges]
    return Table(f"{steps.word}: merges in the order in which they are done", ("rank", "merge", "symbols"), rows)


def _matches(steps: MatchSteps) -> Table:
    if steps.is_too_long:
        return Table(f"{steps.word}: too long to be looked at", ("token",), [(steps.unk_token,)])
    nothing = "nothing fits: the word is unknown"
    rows = [(str(m.start), nothing if m.token is None else symbols(m.token), symbols(*m.tried)) for m in steps.matches]
    return Table(f"{steps.word}: longest match from the left", ("at", "token", "tried"), rows)


def _lattice(steps: LatticeSteps) -> Table:
    title = f"{steps.word}: {len(steps.edges)} pieces fit; the best ways to cut it"
    rows = [(symbols(*(e.piece for e in way.pieces)), f"{way.score:.4f}", f"{way.share:.2%}") for way in steps.ways]
    return Table(title, ("pieces", "score", "share"), rows)
