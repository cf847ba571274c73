"""The commands that show something, run as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from piecework import Tokenizer, models, pre_tokenizers
from support.command import COMMAND, output


def test_inspect_shows_every_stage(model: Path) -> None:
    shown = output("inspect", "-t", model, "lower [b]<s> new")
    for part in ("lower | Ġ[ | b | ]", "'lower [b]'", "<s>", "9-12", "decoded: 'lower [b] new'"):
        assert part in shown
    assert "merges" not in shown
    assert "lower: merges in the order in which they are done" in output(
        "inspect", "-t", model, "--steps", "2", "lower"
    )


def test_inspect_writes_json(model: Path) -> None:
    record = json.loads(output("inspect", "-t", model, "--format", "json", "é<s> new"))
    assert [(part["kind"], part["text"], part["span"]) for part in record["parts"]] == [
        ("stretch", "é", [0, 1]), ("added", "<s>", [1, 4]), ("stretch", " new", [4, 8]),
    ]  # fmt: skip
    assert record["parts"][0]["pretokens"] == [{"text": "Ã©", "span": [0, 1], "word": 0}]
    assert record["result"]["ids"] == Tokenizer.from_file(model).encode("é<s> new").ids
    assert record["decoded"] == "é new"


def test_inspect_writes_a_page(model: Path, tmp_path: Path) -> None:
    assert output("inspect", "-t", model, "--html", tmp_path / "page.html", "lower <b>") == ""
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<b>" not in page
    assert "The model on each pretoken" in page
    output("inspect", "-t", model, "--html", tmp_path / "short.html", "--steps", 0, "lower <b>")
    assert "The model on each pretoken" not in (tmp_path / "short.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer of single bytes."""
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(pre_tokenizers.ByteLevel.alphabet())}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    folder = tmp_path_factory.mktemp("letters")
    tokenizer.save(folder / "tokenizer.json")
    return folder


def test_compare_measures_each_file_and_all_of_them(model: Path, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low new\nlower\n")
    (tmp_path / "b.txt").write_text("日\n", encoding="utf-8")
    files = ("-f", tmp_path / "a.txt", "-f", tmp_path / "b.txt")
    records = json.loads(output("compare", "-t", model, "-t", letters, *files, "--format", "json"))
    assert [(Path(r["group"]).name, r["tokenizer"]) for r in records] == [
        (group, name) for group in ("a.txt", "b.txt", "all") for name in (model.parent.name, letters.name)
    ]
    assert [r["tokens"] for r in records if r["tokenizer"] == letters.name] == [12, 3, 15]
    lines = output("compare", "-t", model, "-t", letters, *files, "--format", "csv").splitlines()
    assert lines[0].startswith("tokenizer,group,texts,")
    assert len(lines) == 7


def test_a_table_in_a_pipe_is_as_wide_as_it_has_to_be(model: Path, tmp_path: Path) -> None:
    for name in ("english.txt", "german.txt"):
        (tmp_path / name).write_text("low\n")
    command = [*COMMAND, "compare", "-t", str(model), "-f", "english.txt", "-f", "german.txt"]
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    lines = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env=env).stdout.decode().splitlines()
    assert len(lines) == 1 + 3 + 3 + 1
    assert max(map(len, lines)) <= 120


def test_compare_shows_vocabularies_and_draws(model: Path, letters: Path, tmp_path: Path) -> None:
    picture = tmp_path / "bars.png"
    shown = output("compare", "-t", model, "-t", letters, "low", "--vocabularies", "--plot", picture)
    assert "only the first" in shown
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_terminal_without_unicode_gets_codes_and_programs_get_utf8(model: Path) -> None:
    def shown(*arguments: object) -> bytes:
        ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
        done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, check=True, env=ascii_only)
        return done.stdout

    table = shown("inspect", "-t", model, "é new", "--steps", 2).decode("ascii")
    assert "| \\xc3\\xa9 " in table
    (grid,) = {len(line) for line in table.split("tokens\n")[1].splitlines()[:4]}
    assert grid > 10
    record = json.loads(shown("inspect", "-t", model, "é new", "--format", "json"))
    assert record["parts"][0]["pretokens"][0]["text"] == "Ã©"


def test_what_would_garble_the_terminal_is_shown_as_codes(model: Path, tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "\x1b[31m": 1, "\u202e": 2}))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(tmp_path / "\x1b[0m.json")
    shown = output("inspect", "-t", tmp_path / "\x1b[0m.json", "\x1b[31m \u202e")
    shown += output("compare", "-t", tmp_path / "\x1b[0m.json", "x")
    shown += output("inspect", "-t", model, "\u202e", "--steps", 1)
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "\\u{1b}[31m" in shown
    assert "\\u{202e}" in shown


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("foo", "foo.json"), ["foo", "foo.json"]),
        (("foo", "bar.json"), ["foo", "bar"]),
        (("foo", "sub/foo.json"), ["{here}/foo", "sub/foo"]),
        (("foo.json", "sub/foo.json", "foo"), ["{here}/foo.json", "sub/foo.json", "{here}/foo"]),
        ((".", "foo"), ["{here}", "foo"]),
        (("foo/.", "sub/../foo.json"), ["foo", "foo.json"]),
        (("tokenizer.json",), ["tokenizer"]),
    ],
)
def test_tokenizers_are_told_apart(model: Path, tmp_path: Path, given: tuple[str, ...], expected: list[str]) -> None:
    files = ("foo/tokenizer.json", "foo.json", "bar.json", "sub/foo.json", "tokenizer.json")
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(model.read_bytes())
    named = [part for path in given for part in ("-t", path)]
    command = [*COMMAND, "compare", *named, "low", "--format", "json"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    names = [record["tokenizer"] for record in json.loads(done.stdout)]
    assert names == [name.replace("{here}", tmp_path.name) for name in expected]


@pytest.mark.parametrize("again", ["foo/tokenizer.json", "./foo", "sub/../foo"])
def test_a_tokenizer_that_is_given_twice_in_other_words(model: Path, tmp_path: Path, again: str) -> None:
    (tmp_path / "foo").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "foo" / "tokenizer.json").write_bytes(model.read_bytes())
    command = [*COMMAND, "compare", "-t", "foo", "-t", again, "low"]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (2, b"piecework: a tokenizer is given twice")


def test_a_file_may_be_called_as_all_of_them_are(model: Path, tmp_path: Path) -> None:
    for name in ("all", "b"):
        (tmp_path / name).write_text("low\n")
    command = [*COMMAND, "compare", "-t", str(model), "-f", "all", "-f", "b", "--format", "json"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    assert [record["group"] for record in json.loads(done.stdout)] == ["./all", "b", "all"]
