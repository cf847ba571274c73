"""Taking tokens out of a vocabulary: which ones can go, and what is left."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework._component import Json

Merge = tuple[str, str]


class Pruning:
    """What is left of a model.

    Args:
        description: The model as it stands in `tokenizer.json`.
        times: How often each token that is used is, by id; empty if nobody counted.
        needed: Whether a token has to stay.
    """

    def __init__(self, description: dict[str, Json], times: dict[int, int], needed: Callable[[str], bool]) -> None:
        self._description = description
        vocab = description["vocab"]
        self._ids: dict[str, int] = (
            {token: i for i, (token, _) in enumerate(vocab)} if description["type"] == "Unigram" else vocab
        )
        self._times = {token: times.get(i, 0) for token, i in self._ids.items()}
        self._needed = needed
        merges: list[Merge] = [(left, right) for left, right in description.get("merges", ())]
        prefix = len(description.get("continuing_subword_prefix") or "") if merges else 0
        self._joined = {(left, right): left + right[prefix:] for left, right in merges}
        self._made_from: defaultdict[str, list[Merge]] = defaultdict(list)
        self._uses: defaultdict[str, int] = defaultdict(int)
        for merge, token in self._joined.items():
            self._made_from[token].append(merge)
            for part in set(merge):
                self._uses[part] += 1

    def drop(self, size: int | None) -> None:
        """Take out the least used tokens until there are `size`; all that are not used if that is None.

        A token that others are made of can only go after them, and what was counted for a token counts for its parts
        when it is gone.
        """
        heap = [self._rank(token) for token in self._ids if self._can_go(token)]
        heapq.heapify(heap)
        while heap and (size is None or len(self._ids) > size):
            times, _, token = heapq.heappop(heap)
            # Counts only grow: a token whose count did has another entry.
            if token not in self._ids or times != self._times[token] or not self._can_go(token):
                continue
            if size is None and times > 0:
                break
            for part in self._remove(token):
                if self._can_go(part):
                    heapq.heappush(heap, self._rank(part))

    def _rank(self, token: str) -> tuple[int, int, str]:
        # Of equally used tokens the youngest goes first.
        return self._times[token], -self._ids[token], token

    def _can_go(self, token: str) -> bool:
        return not self._uses[token] and not self._needed(token)

    def _remove(self, token: str) -> set[str]:
        """Take out a token and its merges; give the parts that it was made of."""
        merges = self._made_from.pop(token, [])
        if merges:
            for part in merges[0]:
                self._times[part] += self._times[token]
        touched: set[str] = set()
        for merge in merges:
            del self._joined[merge]
            for part in set(merge):
                self._uses[part] -= 1
            touched.update(merge)
        del self._ids[token], self._times[token]
        return touched

    def result(self) -> tuple[dict[str, Json], dict[int, int]]:
        """The description of what is left, with ids from 0 on in the old order; and the new id of each old one."""
        ranked = sorted(self._ids, key=self._ids.__getitem__)
        moved = {self._ids[token]: new for new, token in enumerate(ranked)}
        description = dict(self._description)
        if description["type"] == "Unigram":
            description["vocab"] = [entry for old, entry in enumerate(description["vocab"]) if old in moved]
            if description["unk_id"] is not None:
                description["unk_id"] = moved[description["unk_id"]]
        else:
            description["vocab"] = {token: new for new, token in enumerate(ranked)}
        if "merges" in description:
            description["merges"] = [list(merge) for merge in self._joined]
        return description, moved


def symbols_of(description: Mapping[str, Any]) -> Callable[[str], bool]:
    """Whether a model cannot do without a token: a character (with affixes), a byte, or the unknown token."""
    prefix = description.get("continuing_subword_prefix") or ""
    suffix = description.get("end_of_word_suffix") or ""
    if description["type"] == "Unigram":
        unknown_id = description["unk_id"]
        unknown = None if unknown_id is None else description["vocab"][unknown_id][0]
    else:
        unknown = description.get("unk_token")
    by_bytes = bool(description.get("byte_fallback"))
    words = description["type"] == "WordLevel"

    def is_symbol(token: str) -> bool:
        if token == unknown:
            return True
        if words:
            return False
        if by_bytes and len(token) == 6 and token.startswith("<0x"):
            return True
        bare = token.removeprefix(prefix) if len(token) > 1 else token
        bare = bare.removesuffix(suffix) if len(bare) > 1 else bare
        return len(bare) == 1

    return is_symbol
