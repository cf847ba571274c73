"""Real text that every machine has: the source of the Python standard library."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

# Modules of pure Python that every version since 3.10 has; together about 1 MB.
_MODULES = (
    "argparse", "ast", "bdb", "calendar", "codecs", "configparser", "csv", "datetime", "decimal", "difflib",
    "dis", "doctest", "enum", "fractions", "ftplib", "functools", "getopt", "gettext", "glob", "heapq",
    "imaplib", "inspect", "ipaddress", "locale", "mailbox", "mimetypes", "optparse", "os", "pathlib", "pdb",
    "pickle", "platform", "plistlib", "posixpath", "pprint", "pydoc", "random", "re", "sched", "shelve",
    "shlex", "shutil", "smtplib", "socket", "statistics", "string", "subprocess", "tarfile", "tempfile",
    "textwrap", "threading", "timeit", "tokenize", "traceback", "turtle", "types", "typing", "uuid",
    "warnings", "weakref", "zipfile",
)  # fmt: skip


@cache
def library_files() -> tuple[Path, ...]:
    """Source files of the standard library, in alphabetical order."""
    folder = Path(sysconfig.get_path("stdlib"))
    return tuple(path for name in _MODULES if (path := folder / f"{name}.py").is_file())


@cache
def library_texts() -> tuple[str, ...]:
    """The contents of `library_files`."""
    return tuple(path.read_text(encoding="utf-8") for path in library_files())
