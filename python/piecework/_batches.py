"""Texts in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Enough for every thread to be busy, little enough for results to flow.
_BATCH_CHARACTERS = 4_000_000


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """The same texts in lists of bounded size."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 1
        if size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
