"""`piecework compare`: tokenizers side by side on the same texts."""

from __future__ import annotations

import csv
import io
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piecework._checks import one_of
from piecework.cli._output import show, write
from piecework.cli._source import InputError, absolute, decodable, load_tokenizer, read_texts, tokenizer_file
from piecework.inspect import compare as compare_tokenizers
from piecework.inspect import overlap
from piecework.inspect.compare import ALL, METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import Tokenizer
    from piecework.inspect import Comparison


class Format(str, Enum):
    """How the result is written."""

    table = "table"
    json = "json"
    csv = "csv"


def _named(paths: list[Path]) -> dict[str, Tokenizer]:
    """The tokenizers by the shortest ends of their paths that tell them apart."""
    files = [absolute(tokenizer_file(path)) for path in paths]
    if len(set(files)) < len(files):
        raise InputError("a tokenizer is given twice")
    # A folder tells more than the name that all files have; a file that was named alone keeps its own.
    known = [
        file.parent if file.name == "tokenizer.json" and str(path) != file.name else file
        for file, path in zip(files, paths, strict=True)
    ]
    names = _ends([path.with_suffix("") if path.suffix == ".json" else path for path in known]) or _ends(known)
    return {decodable(name): load_tokenizer(path) for name, path in zip(names or map(str, files), paths, strict=True)}


def _ends(paths: list[Path]) -> list[str] | None:
    """The shortest ends of paths that tell them apart, if these do."""
    for length in range(1, max(len(path.parts) for path in paths) + 1):
        ends = [Path(*path.parts[-length:]).as_posix() for path in paths]
        if len(set(ends)) == len(ends):
            return ends
    return None


def _groups(files: list[Path], *, whole: bool) -> dict[str, Iterator[str]]:
    """The texts of each file by its name."""
    if len({absolute(file) for file in files}) < len(files):
        raise InputError("a file is given twice")
    # A file may be called as all files together are.
    names = [f"./{file}" if str(file) == ALL else decodable(str(file)) for file in files]
    return {name: read_texts([], [file], whole=whole) for name, file in zip(names, files, strict=True)}


def _write(comparison: Comparison, format: Format) -> None:
    if format is Format.json:
        write(comparison.to_json())
    elif format is Format.csv:
        records, lines = comparison.records(), io.StringIO(newline="")
        writer = csv.DictWriter(lines, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        write(lines.getvalue().removesuffix("\n"))
    else:
        show(comparison.table())


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
    metric: Annotated[
        str | None,
        typer.Option(help=f"What the bars show: {', '.join(METRICS)}; bytes_per_token by default.", show_default=False),
    ] = None,
) -> None:
    """Compare tokenizers on texts: tokens, bytes and characters a token, tokens a word, unknowns, vocabulary used."""
    if vocabularies and (len(tokenizer) < 2 or format is not Format.table):
        raise InputError("`--vocabularies` needs two tokenizers, and goes with `--format table`")
    if text and file:
        raise InputError("texts are given and files too; one of them is expected")
    if metric is not None:
        if plot is None:
            raise InputError("`--metric` goes with `--plot`")
        one_of(*METRICS)("--metric", metric)
    named, groups = _named(tokenizer), _groups(file or [], whole=whole)
    comparison = compare_tokenizers(named, groups or read_texts(text or [], [], whole=whole))
    if plot is not None:
        comparison.plot(metric or "bytes_per_token").savefig(plot)
    _write(comparison, format)
    if vocabularies:
        first, second = list(named.values())[:2]
        show(overlap(first, second, as_text=True).table())
