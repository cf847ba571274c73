"""What is public has a docstring, and is what `__all__` says."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

import piecework

if TYPE_CHECKING:
    from types import ModuleType


def public_modules() -> list[ModuleType]:
    """The package and all its modules with names of no underscore, but those of the extension."""
    found = [piecework]
    for module in pkgutil.walk_packages(piecework.__path__, "piecework."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found.append(importlib.import_module(module.name))
    return [module for module in found if hasattr(module, "__all__")]


MODULES = public_modules()
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
    if not inspect.isclass(item) or not item.__module__.startswith("piecework"):
        return
    assert ">>> " in (item.__doc__ or ""), f"`{name}` has no example of its own"
    # It is found where pytest looks, in the module that defines it, and none of it is passed over.
    defined = vars(sys.modules[item.__module__])
    assert defined.get(name) is item, f"`{name}` is not where doctest looks for it"
    [found] = doctest.DocTestFinder(recurse=False).find(item, name)
    assert not any(doctest.SKIP in example.options for example in found.examples), f"an example of `{name}` is skipped"


def test_the_lists_are_sorted_and_without_repeats() -> None:
    for module in MODULES:
        assert len(module.__all__) == len(set(module.__all__)), module.__name__


def test_the_surface_of_tokenizers_is_there() -> None:
    """Every public name of the reference that this version covers."""
    names = "AddedToken Encoding Regex Tokenizer decoders models normalizers pre_tokenizers processors trainers"
    assert [name for name in names.split() if not hasattr(piecework, name)] == []


def test_the_version_is_that_of_the_distribution() -> None:
    assert piecework.__version__ == importlib.metadata.version("piecework")
