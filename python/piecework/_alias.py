"""`import tokenizers` gives piecework: an opt-in for programs that cannot change their imports."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "tokenizers"
_SUBMODULES = (
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "tools",
    "trainers",
)


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tokenizers` and its modules in piecework."""

    def __init__(self, version: str) -> None:
        self.version = version

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface of finders
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        head, _, rest = fullname.partition(".")
        if head != _NAME or (rest and rest.split(".")[0] not in _SUBMODULES):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        _, _, rest = spec.name.partition(".")
        source = importlib.import_module(f"piecework.{rest}" if rest else "piecework")
        module = ModuleType(spec.name, source.__doc__)
        own = {"__name__", "__loader__", "__spec__", "__package__", "__path__", "__doc__"}
        module.__dict__.update({name: value for name, value in vars(source).items() if name not in own})
        module.__dict__.update({name: getattr(source, name) for name in getattr(source, "__all__", ())})
        if not rest:
            module.__dict__["__version__"] = self.version
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Everything is there already."""


def as_tokenizers() -> None:
    """Make `import tokenizers` give piecework, for the rest of the process.

    The real package must stay installed, since others look up its version; it is not imported. Call this before
    anything imports `tokenizers`, and so before `import transformers`.

    Raises:
        ImportError: `tokenizers` was imported already, is not installed, or has a version that the installed
            transformers does not take.
    """
    from importlib import metadata  # noqa: PLC0415 - it takes its time, and few need it

    finder = next((finder for finder in sys.meta_path if isinstance(finder, _Alias)), None)
    if finder is not None:
        return
    if _NAME in sys.modules:
        raise ImportError(
            "tokenizers was imported already: call piecework.as_tokenizers() first, before importing transformers too"
        )
    try:
        version = metadata.version(_NAME)
    except metadata.PackageNotFoundError:
        raise ImportError(
            "tokenizers must stay installed, for others look up its version: pip install tokenizers"
        ) from None
    _check_transformers(version)
    sys.meta_path.insert(0, _Alias(version))


def _check_transformers(version: str) -> None:
    """Raise where transformers is installed and does not take this version of tokenizers."""
    from importlib import metadata  # noqa: PLC0415 - it takes its time, and few need it

    try:
        requirements = metadata.requires("transformers") or []
    except metadata.PackageNotFoundError:
        return
    for requirement in requirements:
        found = re.fullmatch(r"tokenizers\s*\(?([^;)]*)\)?\s*(?:;.*)?", requirement)
        if found is None or "extra ==" in requirement:
            continue
        for operator, bound in re.findall(r"(<=|>=|==|!=|<|>)\s*([0-9][0-9.]*)", found[1]):
            if not _HOLDS[operator](_numbers(version), _numbers(bound)):
                raise ImportError(
                    f"transformers asks for tokenizers{found[1]}, but {version} is installed, and its version counts"
                )


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version starts with, without zeros at the end."""
    numbers = [int(part) for part in re.match(r"[0-9.]*", version)[0].split(".") if part]  # type: ignore[index]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


_HOLDS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
