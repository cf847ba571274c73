"""Bars of a comparison, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._checks import one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.inspect.compare import Measure

_NAMES = {
    "characters_per_token": "characters per token",
    "bytes_per_token": "bytes per token",
    "fertility": "tokens per word",
    "unknown_share": "share of unknown tokens",
    "used_share": "share of the vocabulary used",
}


def bars(measures: Sequence[Measure], metric: str, axes: Any) -> Any:
    """A figure with a group of bars for each group of texts, and a bar for each tokenizer.

    Raises:
        ImportError: matplotlib is not installed.
    """
    label = _NAMES[one_of(*_NAMES)("metric", metric)]
    if axes is None:
        axes = _axes()
    groups = list(dict.fromkeys(m.group for m in measures))
    tokenizers = list(dict.fromkeys(m.tokenizer for m in measures))
    values = {(m.group, m.tokenizer): getattr(m, metric) for m in measures}
    width = 0.8 / max(1, len(tokenizers))
    drawn = []
    for i, tokenizer in enumerate(tokenizers):
        middle = (i - (len(tokenizers) - 1) / 2) * width
        places = [at + middle for at in range(len(groups))]
        drawn.append(axes.bar(places, [values[group, tokenizer] for group in groups], width=width * 0.95))
    axes.set_xticks(range(len(groups)), map(_plain, groups))
    axes.set_ylabel(label)
    axes.legend(drawn, map(_plain, tokenizers), loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return axes.figure


def _plain(name: str) -> str:
    """A name that is not taken for a formula."""
    return name.replace("$", r"\$")


def _axes() -> Any:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'piecework[plot]'") from error
    return Figure(layout="constrained").subplots()
