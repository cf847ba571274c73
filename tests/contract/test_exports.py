"""What is public has a docstring, and is what `__all__` says."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from typing import TYPE_CHECKING, Any

import pytest

import piecework

if TYPE_CHECKING:
    from types import ModuleType

MODULES = [
    importlib.import_module(f"piecework.{name}")
    for name in (
        "normalizers",
        "pre_tokenizers",
        "models",
        "processors",
        "decoders",
        "trainers",
        "errors",
        "reference",
        "inspect",
        "budgets",
        "pretrained",
    )
] + [piecework]
PUBLIC = [
    pytest.param(module, name, id=f"{module.__name__}.{name}") for module in MODULES for name in sorted(module.__all__)
]


def members(item: type) -> dict[str, Any]:
    """Public methods and properties that the class itself defines."""
    return {
        name: member
        for name, member in vars(item).items()
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, property | classmethod | staticmethod))
    }


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_an_export_is_there_and_documented(module: ModuleType, name: str) -> None:
    item = getattr(module, name)
    if not inspect.isclass(item) and not inspect.isfunction(item):
        return
    assert inspect.getdoc(item), f"`{name}` has no docstring"
    if inspect.isclass(item) and item.__module__.startswith("piecework"):
        bare = [member for member in members(item) if not inspect.getdoc(getattr(item, member))]
        assert bare == [], f"members of `{name}` without a docstring"


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_a_public_class_has_an_example_that_doctest_runs(module: ModuleType, name: str) -> None:
    item = getattr(module, name)
    if inspect.isclass(item) and item.__module__.startswith("piecework") and not issubclass(item, Exception):
        assert ">>> " in (inspect.getdoc(item) or ""), f"`{name}` has no example"


def test_the_lists_are_sorted_and_without_repeats() -> None:
    for module in MODULES:
        assert len(module.__all__) == len(set(module.__all__)), module.__name__


def test_the_surface_of_tokenizers_is_there() -> None:
    """Every public name of the reference that this version covers."""
    names = "AddedToken Encoding Regex Tokenizer decoders models normalizers pre_tokenizers processors trainers"
    assert [name for name in names.split() if not hasattr(piecework, name)] == []


def test_the_version_is_that_of_the_distribution() -> None:
    assert piecework.__version__ == importlib.metadata.version("piecework")
