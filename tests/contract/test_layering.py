"""Dependencies between the modules of the package point one way: down this list."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import piecework

# Bottom first. A module may import from the layers below its own, not from its siblings.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(layer.split())
    for layer in (
        "errors _show _alias _types _foreign _batches _writing",
        "_core reference",
        "_checks",
        "_component",
        "added_token batch offsets regex token vocabulary_files _entries",
        "_settings decode_stream encoding",
        "strings _model _trainer _progress",
        "normalizers pre_tokenizers models processors decoders word_counts _parity",
        "trainers",
        "_parts",
        "_vocabulary",
        "_training",
        "_pruning",
        "_retraining",
        "tokenizer",
        "formats",
        "implementations budgets",
        "pretrained",
        "tasks",
        "__init__",
        "integrations",
        "tools",
        "inspect",
        "cli",
        "__main__",
    )
)
# Imports inside of a function, which run long after both modules are there.
LAZY = {("_model", "trainers")}

SOURCE = Path(piecework.__file__).parent
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


def module_name(path: Path) -> str:
    """The name in `LAYERS` of a file of the package: a module, or the folder that it is in."""
    return path.parts[0].removesuffix(".py")


def layer_of(name: str) -> int:
    for number, layer in enumerate(LAYERS):
        if name in layer:
            return number
    pytest.fail(f"`{name}` is in no layer; put it into `LAYERS`")


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(tree: ast.AST, *, lazy: bool = False) -> list[tuple[str, bool, int]]:
    """What of the package is imported at run time: the name, whether inside of a function, and the line."""
    found: list[tuple[str, bool, int]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt) and is_type_checking(node):
            continue
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.ImportFrom) and node.module == "piecework":
            names = [alias.name for alias in node.names]
            # Names that are no modules come from `piecework/__init__.py`.
            modules = {module_name(path) for path in MODULES} | {"_core"}
            found += [(name if name in modules else "__init__", inside, node.lineno) for name in names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("piecework."):
            found.append((node.module.split(".")[1], inside, node.lineno))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "piecework":
                    found.append(([*alias.name.split("."), "__init__"][1], inside, node.lineno))
        found += imports(node, lazy=inside)
    return found


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_imports_from_below(path: Path) -> None:
    name = module_name(path)
    for used, lazy, line in imports(ast.parse((SOURCE / path).read_text(encoding="utf-8"))):
        allowed = layer_of(used) < layer_of(name) or used == name or (lazy and (name, used) in LAZY)
        assert allowed, f"{path}:{line}: `{name}` may not import `{used}`"


def test_imports_are_found_in_every_form() -> None:
    source = (
        "import piecework.models\n"
        "from piecework import Tokenizer, decoders, _core\n"
        "if TYPE_CHECKING:\n    from piecework.trainers import Trainer\n"
        "def f():\n    from piecework.trainers import Trainer\n"
    )
    assert imports(ast.parse(source)) == [
        ("models", False, 1),
        ("__init__", False, 2),
        ("decoders", False, 2),
        ("_core", False, 2),
        ("trainers", True, 6),
    ]
