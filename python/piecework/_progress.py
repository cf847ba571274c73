"""How a training shows how far it is: bars, lines of JSON, a callable, or nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tqdm import tqdm

Report = Callable[[str, int, int], None]
"""Called several times a second with the name of a stage, how much of it is done, and its size (0 if unknown)."""

# Stages of reading a corpus with the unit of their progress; those of a trainer count things of their own.
_READING = {"Read files": "B", "Read items": " items", "Merge counts": " words"}


def _size() -> tuple[int, int] | tuple[None, None]:
    """Columns and rows of a terminal that does not tell them; else tqdm asks for them."""
    try:
        known = os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError):
        known = False
    return (None, None) if known else (80, 24)


class _Bars:
    """Draws a bar with its rate for each stage on the standard error."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: tqdm[Any] | None = None

    def __call__(self, stage: str, current: int, total: int) -> None:
        from tqdm import tqdm  # noqa: PLC0415 - most imports of the package never train

        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            unit, (columns, rows) = _READING.get(stage, ""), _size()
            self._bar = tqdm(desc=stage, total=total or None, unit=unit, unit_scale=True, ncols=columns, nrows=rows)
        self._bar.update(current - self._bar.n)

    def close(self) -> None:
        """End the last bar."""
        if self._bar is not None:
            self._bar.close()


def _report_json(stage: str, current: int, total: int) -> None:
    """Write a line of JSON; the reference has lines for the stages of the trainer alone."""
    if stage not in _READING:
        sys.stderr.write(json.dumps({"stage": stage, "current": current, "total": total}) + "\n")
        sys.stderr.flush()


@contextmanager
def reporting(progress: Report | None, *, show: bool, form: str = "indicatif") -> Iterator[Report | None]:
    """What shows progress: a callable that was given, and what the trainer wants, if somebody can see it.

    Args:
        progress: A callable of the user, which is called in any case.
        show: Whether to show anything else.
        form: `indicatif` (bars, if there is a terminal), `json` (lines) or `silent`.
    """
    if not show or form == "silent" or sys.stderr is None:
        yield progress
    elif form == "json":
        yield _both(_report_json, progress)
    elif not sys.stderr.isatty():
        yield progress
    else:
        bars = _Bars()
        try:
            yield _both(bars, progress)
        finally:
            bars.close()


def _both(first: Report, second: Report | None) -> Report:
    if second is None:
        return first

    def report(stage: str, current: int, total: int) -> None:
        first(stage, current, total)
        second(stage, current, total)

    return report
