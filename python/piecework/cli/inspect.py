"""`piecework inspect`: the stages of one text as tables, or as a page of HTML."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from piecework.cli._source import TokenizerPath, load_tokenizer
from piecework.inspect import trace

if TYPE_CHECKING:
    from piecework.inspect import table


class Format(str, Enum):
    """How the stages are written."""

    table = "table"
    json = "json"


def show(console: Console, data: table.Table) -> None:
    """Print a table; its title stands apart, since rich would fold it to the width of the columns."""
    console.print(Text(data.title, style="bold"))
    shown = Table()
    for number, column in enumerate(data.columns):
        is_numeric = data.is_numeric(number)
        shown.add_column(column, overflow="fold", no_wrap=is_numeric, justify="right" if is_numeric else "left")
    for row in data.rows:
        # As Text, so that brackets in a token are not taken for markup.
        shown.add_row(*map(Text, row))
    console.print(shown)


def inspect(
    text: Annotated[str, typer.Argument(help="The text.", show_default=False)],
    tokenizer: TokenizerPath,
    special_tokens: Annotated[bool, typer.Option(help="Add the special tokens of the post-processor.")] = True,
    steps: Annotated[int, typer.Option(help="For so many distinct pretokens also the steps of the model.", min=0)] = 0,
    format: Annotated[Format, typer.Option(help="Tables, or an object of JSON without the steps.")] = Format.table,
    html: Annotated[
        Path | None, typer.Option(help="Write a page of HTML to this file instead.", show_default=False)
    ] = None,
) -> None:
    """Show what each stage makes of a text: normalized text, pretokens, tokens with ids and spans."""
    shown = trace(load_tokenizer(tokenizer), text, add_special_tokens=special_tokens)
    if html is not None:
        shown.save_html(html, steps=steps or 30)
        return
    if format is Format.json:
        print(json.dumps(shown.record(), ensure_ascii=False))
        return
    console = Console(highlight=False)
    for data in shown.tables(steps=steps):
        show(console, data)
    console.print(Text(f"decoded: {shown.decoded!r}"))
