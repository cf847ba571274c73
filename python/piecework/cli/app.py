"""The commands put together, and what becomes of their errors."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import piecework
from piecework.cli._output import drop_output, forgive_output
from piecework.cli.compare import compare
from piecework.cli.decode import decode
from piecework.cli.encode import encode
from piecework.cli.inspect import inspect
from piecework.cli.train import train
from piecework.inspect.table import printable

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Subword tokenization: train, encode, decode, inspect, compare."
)
for command in (train, encode, decode, inspect, compare):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(piecework.__version__)
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def _message(error: BaseException) -> str:
    """One line for an error of any kind; those of the command line itself bring their own."""
    own = getattr(error, "format_message", None)
    text = own() if callable(own) else str(error)
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"`{error.filename}`: {error.strerror.lower()}"
    return printable(" ".join(text.split())) or type(error).__name__


def run() -> int:
    """Run the command; give the exit status."""
    forgive_output()
    try:
        status = app(prog_name="piecework", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # The reader has gone, which is its right. Typer and Rich exit then, and for nothing else.
        drop_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line
        print(f"piecework: {_message(error)}", file=sys.stderr)
        return 2
    return status if isinstance(status, int) else 0
