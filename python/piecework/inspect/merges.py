"""How BPE puts a pretoken together, merge by merge."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from piecework.models import BPE


class Merge(NamedTuple):
    """A merge that was done."""

    rank: int
    pair: tuple[str, str]
    at: int
    """Which symbol the new one is."""
    symbols: list[str]
    """The pretoken after the merge."""


class MergeSteps(NamedTuple):
    """A pretoken in BPE: what it starts as, and the merges in the order in which they are done."""

    word: str
    start: list[str]
    merges: list[Merge]
    is_whole: bool = False
    """Whether it was taken as it is, because the vocabulary has it and the model ignores merges then."""

    @property
    def tokens(self) -> list[str]:
        """What it ends as."""
        return self.merges[-1].symbols if self.merges else self.start


class BpeSteps:
    """Shows the work of a BPE model; without dropout, which is drawn anew each time."""

    def __init__(self, model: BPE) -> None:
        self._model = model
        self._prefix = model.continuing_subword_prefix or ""
        # Of equal pairs the last one counts.
        self._ranks = {pair: rank for rank, pair in enumerate(model._handle.merges())}

    def __call__(self, word: str) -> MergeSteps:
        """The steps of a pretoken."""
        model = self._model
        if model.ignore_merges and model.token_to_id(word) is not None:
            return MergeSteps(word, [word], [], is_whole=True)
        symbols = self._characters(word)
        start, merges = list(symbols), list[Merge]()
        while True:
            found = [
                (rank, at)
                for at, pair in enumerate(itertools.pairwise(symbols))
                if (rank := self._ranks.get(pair)) is not None
            ]
            if not found:
                return MergeSteps(word, start, merges)
            rank, at = min(found)
            pair = (symbols[at], symbols[at + 1])
            symbols = [*symbols[:at], pair[0] + pair[1][len(self._prefix) :], *symbols[at + 2 :]]
            merges.append(Merge(rank, pair, at, symbols))

    def _characters(self, word: str) -> list[str]:
        """What a pretoken starts as: characters, bytes of characters, or unknown tokens."""
        model, suffix = self._model, self._model.end_of_word_suffix or ""
        symbols: list[str] = []
        after_unknown = False
        for at, c in enumerate(word):
            symbol = ("" if at == 0 else self._prefix) + c + (suffix if at == len(word) - 1 else "")
            if model.token_to_id(symbol) is not None:
                symbols.append(symbol)
                after_unknown = False
                continue
            data = [f"<0x{byte:02X}>" for byte in symbol.encode()]
            if model.byte_fallback and all(model.token_to_id(byte) is not None for byte in data):
                symbols += data
                after_unknown = False
            elif model.unk_token is not None:
                if not (model.fuse_unk and after_unknown):
                    symbols.append(model.unk_token)
                after_unknown = True
        return symbols
