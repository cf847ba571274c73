"""Scripts and the command `piecework`, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "piecework")

TEXT = "low lower lowest\nnew newer newest\n" * 50
"""What the tokenizer of most tests of the command is trained on."""


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What the command does."""
    return subprocess.run([*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, check=False)


def output(*arguments: object, stdin: bytes = b"") -> str:
    """What the command prints; it must succeed."""
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def answers(script: str, modes: str, folders: Path) -> dict[str, Any]:
    """The answers of modes that a script of this folder prints."""
    command = [sys.executable, str(Path(__file__).with_name(script)), modes, str(folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found
