"""What the documents point at is there, and what they show runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (document.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_exist(document: Path) -> None:
    """Paths of this repository in backquotes; `<...>` and a file marked as new stand for no file."""
    named = re.findall(
        r"`((?:crates|python|tests|docs|examples|benchmarks|conformance|requirements)/[\w./-]+)`(?! \(new\))",
        document.read_text(encoding="utf-8"),
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_guide_is_listed() -> None:
    folder = ROOT / "docs" / "guides"
    guides = {path.name for path in folder.glob("*.md")} - {"README.md"}
    listed = re.findall(r"^\| \[([\w-]+\.md)\]", (folder / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(listed) == sorted(guides)


def test_contributing_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_targets_that_the_documents_name_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for document in DOCUMENTS:
        named = set(
            re.findall(
                r"\bmake ([a-z]+)\b(?=[`\s])",
                "\n".join(re.findall(r"`[^`]*`|^make .*$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)),
            )
        )
        assert named <= targets, document


def run_example(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "examples" / "train_tokenizer.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_example_of_make_run(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("low lower lowest, newer, newest\n" * 200, encoding="utf-8")
    output = tmp_path / "out" / "tokenizer.json"
    done = run_example("--vocab-size", "300", "--output", output, "--corpus", tmp_path / "text.txt")
    assert done.returncode == 0, done.stderr
    assert output.is_file()
    for part in ("corpus    1 files", "train  ", "sample  ", "decoded  ", "encode  ", "MB/s"):
        assert part in done.stdout


def test_the_example_says_what_is_wrong_with_its_corpus(tmp_path: Path) -> None:
    done = run_example("--corpus", tmp_path / "missing")
    assert done.returncode == 2
    assert "missing" in done.stderr
