"""Importing the package drags in nothing that is not needed. How long it takes: `benchmarks/README.md`."""

from __future__ import annotations

import subprocess
import sys

# What only some users need; it is imported where it is used.
HEAVY = (
    "asyncio",
    "datasets",
    "huggingface_hub",
    "jinja2",
    "numpy",
    "rich",
    "sentencepiece",
    "tiktoken",
    "tokenizers",
    "torch",
    "tqdm",
    "transformers",
    "typer",
)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout


def test_no_heavy_import() -> None:
    loaded = run("import sys, piecework; print(*sys.modules)").split()
    assert "piecework" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_only_the_standard_library_is_imported() -> None:
    loaded = set(run("import sys, piecework; print(*sys.modules)").split())
    before = set(run("import sys; print(*sys.modules)").split())
    packages = {name.partition(".")[0] for name in loaded - before}
    assert packages - sys.stdlib_module_names == {"piecework"}


def test_without_numpy_an_ordinary_error_is_raised() -> None:
    code = """
import sys
sys.modules["numpy"] = None
from piecework import Tokenizer, models
tokenizer = Tokenizer(models.BPE({"a": 0}, []))
assert tokenizer.encode("a").ids == [0]
for call in (tokenizer.encode_ids, tokenizer.encode_columns, tokenizer.count):
    try:
        call(["a"])
    except ImportError:
        continue
    raise AssertionError(call)
"""
    assert run(code) == ""
