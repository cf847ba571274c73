"""`piecework compare`: tokenizers side by side on the same texts."""

from __future__ import annotations

import csv
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from piecework.cli._source import InputError, load_tokenizer, read_texts
from piecework.cli.inspect import show
from piecework.inspect import compare as compare_tokenizers
from piecework.inspect import overlap
from piecework.inspect.compare import METRICS

if TYPE_CHECKING:
    from piecework import Tokenizer
    from piecework.inspect import Comparison


class Format(str, Enum):
    """How the result is written."""

    table = "table"
    json = "json"
    csv = "csv"


def _named(paths: list[Path]) -> dict[str, Tokenizer]:
    """The tokenizers by the shortest ends of their paths that tell them apart."""
    parts = [path.parts[:-1] if path.name == "tokenizer.json" and len(path.parts) > 1 else path.parts for path in paths]
    for length in range(1, max(map(len, parts)) + 1):
        ends = ["/".join(part[-length:]) for part in parts]
        if len(set(ends)) == len(paths):
            return {end.removesuffix(".json"): load_tokenizer(path) for end, path in zip(ends, paths, strict=True)}
    raise InputError("a tokenizer is given twice")


def _write(comparison: Comparison, format: Format) -> None:
    if format is Format.json:
        print(comparison.to_json())
    elif format is Format.csv:
        records = comparison.records()
        writer = csv.DictWriter(sys.stdout, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    else:
        show(Console(highlight=False), comparison.table())


def compare(
    tokenizer: Annotated[
        list[Path],
        typer.Option(
            "--tokenizer", "-t", help="A tokenizer.json, or a folder with one; again for each.", show_default=False
        ),
    ],
    text: Annotated[
        list[str] | None, typer.Argument(help="Texts; without any, files or standard input.", show_default=False)
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", "-f", help="A file, measured apart; may be given again.", show_default=False),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="A file is one text; else a line is.")] = False,
    format: Annotated[Format, typer.Option(help="A table, or records with all numbers.")] = Format.table,
    vocabularies: Annotated[
        bool, typer.Option("--vocabularies", help="Also what the vocabularies of the first two have in common.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw bars to this file; needs the extra `plot`.", show_default=False)
    ] = None,
    metric: Annotated[str, typer.Option(help=f"What the bars show: {', '.join(METRICS)}.")] = "bytes_per_token",
) -> None:
    """Compare tokenizers on texts: tokens, bytes and characters a token, tokens a word, unknowns, vocabulary used."""
    named = _named(tokenizer)
    if vocabularies and (len(named) < 2 or format is not Format.table):
        raise InputError("`--vocabularies` needs two tokenizers, and goes with `--format table`")
    if text and file:
        raise InputError("texts are given and files too; one of them is expected")
    groups = {str(path): read_texts([], [path], whole=whole) for path in file or []}
    comparison = compare_tokenizers(named, groups or read_texts(text or [], [], whole=whole))
    if plot is not None:
        comparison.plot(metric).savefig(plot)
    _write(comparison, format)
    if vocabularies:
        first, second = list(named.values())[:2]
        show(Console(highlight=False), overlap(first, second, as_text=True).table())
