"""What goes to standard output: tables for people, records for programs."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from piecework.inspect.table import printable

if TYPE_CHECKING:
    from piecework.inspect import table


# Signs in a line where no terminal bounds it: names of files fit beside eight columns of numbers.
_FREE_WIDTH = 120


def show(data: table.Table) -> None:
    """Print a table; its title stands apart, since rich would fold it to the width of the columns."""
    is_free = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    console = Console(highlight=False, width=_FREE_WIDTH if is_free else None)

    def cell(content: str) -> Text:
        # As Text, so that brackets in a token are not taken for markup; with codes before the columns get their widths.
        return Text(printable(content).encode(console.encoding, "backslashreplace").decode(console.encoding))

    title = cell(data.title)
    title.stylize("bold")
    console.print(title)
    shown = Table()
    for number, column in enumerate(data.columns):
        is_numeric = data.is_numeric(number)
        shown.add_column(column, overflow="fold", no_wrap=is_numeric, justify="right" if is_numeric else "left")
    for row in data.rows:
        shown.add_row(*map(cell, row))
    console.print(shown)


def write(records: str) -> None:
    """Write records: in UTF-8, whatever the terminal takes."""
    sys.stdout.buffer.write(f"{records}\n".encode())


def forgive_output() -> None:
    """Let characters that the terminal does not take appear as codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Throw away what is left, and keep the interpreter from flushing it into a closed pipe in the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
