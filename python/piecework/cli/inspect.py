"""`piecework inspect`: the stages of one text as tables, or as a page of HTML."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from piecework.cli._output import show, write
from piecework.cli._source import InputError, TokenizerPath, load_tokenizer
from piecework.inspect import trace
from piecework.inspect.table import printable


class Format(str, Enum):
    """How the stages are written."""

    table = "table"
    json = "json"


def inspect(
    text: Annotated[str, typer.Argument(help="The text.", show_default=False)],
    tokenizer: TokenizerPath,
    special_tokens: Annotated[bool, typer.Option(help="Add the special tokens of the post-processor.")] = True,
    steps: Annotated[
        int | None,
        typer.Option(
            help="For so many distinct pretokens also the steps of the model; 30 on a page, else none by default.",
            min=0,
            show_default=False,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Tables, or an object of JSON without the steps.")] = Format.table,
    html: Annotated[
        Path | None, typer.Option(help="Write a page of HTML to this file instead.", show_default=False)
    ] = None,
) -> None:
    """Show what each stage makes of a text: normalized text, pretokens, tokens with ids and spans."""
    if html is not None and format is Format.json:
        raise InputError("`--html` and `--format json` cannot go together")
    shown = trace(load_tokenizer(tokenizer), text, add_special_tokens=special_tokens)
    if html is not None:
        shown.save_html(html, steps=30 if steps is None else steps)
        return
    if format is Format.json:
        write(json.dumps(shown.record(), ensure_ascii=False))
        return
    for data in shown.tables(steps=steps or 0):
        show(data)
    print(f"decoded: {printable(repr(shown.decoded))}")
