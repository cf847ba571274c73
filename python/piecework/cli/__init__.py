"""The command `piecework`: train, encode, decode, inspect and compare on the command line."""

from __future__ import annotations

import sys
from importlib.util import find_spec

__all__ = ["main"]


def main() -> int:
    """Run the command with the arguments of the process.

    Returns:
        The exit status: 0, or 2 after an error, which is one line on standard error.
    """
    if find_spec("typer") is None or find_spec("rich") is None:
        print("piecework: the command needs the extra `cli`: pip install 'piecework[cli]'", file=sys.stderr)
        return 2
    from piecework.cli.app import run

    return run()
