"""The command line, run as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from piecework import Tokenizer, WordCounts
from support.command import COMMAND, TEXT, output, run

if TYPE_CHECKING:
    from pathlib import Path


def test_train_writes_the_tokenizer_asked_for(model: Path) -> None:
    tokenizer = Tokenizer.from_file(str(model))
    assert tokenizer.get_vocab_size() == len(tokenizer.get_vocab()) <= 280
    assert tokenizer.encode(" lower <s>").tokens == ["Ġlower", "Ġ", "<s>"]


def test_train_reads_standard_input(model: Path, tmp_path: Path) -> None:
    output("train", "-", "--vocab-size", 280, "--special-token", "<s>", "-o", tmp_path / "t.json", stdin=TEXT.encode())
    assert (tmp_path / "t.json").read_text() == model.read_text()


def test_the_llama3_preset_splits_digits_by_three(model: Path, tmp_path: Path) -> None:
    output("train", model.parent / "text.txt", "--preset", "llama3", "--vocab-size", 270, "-o", tmp_path / "t.json")
    tokenizer = Tokenizer.from_file(str(tmp_path / "t.json"))
    assert tokenizer.encode("12345").word_ids == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "kind", "tokens"),
    [
        (("--preset", "bert"), "WordPiece", ["[CLS]", "lower", "[SEP]"]),
        (("--model", "wordpiece", "--scoring", "likelihood"), "WordPiece", ["[CLS]", "lower", "[SEP]"]),
        (("--preset", "llama"), "BPE", ["<s>", "▁lower"]),
        (("--model", "wordlevel"), "WordLevel", ["lower"]),
        (("--model", "bpe"), "BPE", ["lower"]),
    ],
)
def test_presets(arguments: tuple[str, ...], kind: str, tokens: list[str], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("lower\nnew newer\nlower\n" * 20)
    size = 400 if kind == "BPE" else 22
    output("train", text, *arguments, "--vocab-size", size, "-q", "-o", tmp_path / "t.json")
    tokenizer = Tokenizer.from_file(str(tmp_path / "t.json"))
    assert type(tokenizer.model).__name__ == kind
    assert tokenizer.encode("lower").tokens == tokens


def test_the_t5_preset_ends_with_its_mark(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("lower\nnew newer\nlower\n" * 20)
    output("train", text, "--preset", "t5", "--vocab-size", 22, "-q", "-o", tmp_path / "t.json")
    tokenizer = Tokenizer.from_file(str(tmp_path / "t.json"))
    encoding = tokenizer.encode("lower new")
    assert encoding.tokens[-1] == "</s>"
    assert tokenizer.decode(encoding.ids) == "lower new"
    assert [tokenizer.token_to_id(token) for token in ("<pad>", "</s>", "<unk>")] == [0, 1, 2]


def test_counts_are_written_and_trained_from(tmp_path: Path) -> None:
    for name, text in (("a.txt", "low lower\n"), ("b.txt", "new\nlow\n")):
        (tmp_path / name).write_text(text * 30)
    (tmp_path / "c.jsonl").write_text('{"body": "newest"}\n' * 5)
    sources = (tmp_path / "*.txt", tmp_path / "c.jsonl", "--field", "body")
    done = run("train", *sources, "--save-counts", tmp_path / "x.counts", "-o", tmp_path / "one.json", "--memory", 1)
    assert done.returncode == 0, done.stderr
    for row in ("vocabulary ", "pretokens ", "compression ", "bytes a token", "time ", "peak memory "):
        assert row in done.stderr.decode()
    assert WordCounts.load(tmp_path / "x.counts").to_dict()["newest"] == 5
    output("train", "--counts", tmp_path / "x.counts", "-q", "-o", tmp_path / "two.json")
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()
    output("train", "--counts", tmp_path / "x.counts", "--min-count", 10, "-q", "-o", tmp_path / "three.json")
    assert Tokenizer.from_file(str(tmp_path / "three.json")).token_to_id("newest") is None


def test_a_vocabulary_that_is_too_small_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("low lower\n")
    done = run("train", tmp_path / "text.txt", "--vocab-size", 10, "-q", "-o", tmp_path / "t.json")
    assert (done.returncode, done.stderr.decode()) == (
        0,
        "piecework: vocab_size is 10, but special tokens and alphabet have 256 entries, which are all kept\n",
    )


def test_standard_input_and_pipes_give_what_files_give(tmp_path: Path) -> None:
    text = "low lower\n\nnew  \r\nlow\n" * 30
    file, pipe = tmp_path / "text.txt", tmp_path / "pipe"
    file.write_bytes(text.encode())
    output("train", file, "-q", "-o", tmp_path / "t.json", "--save-counts", tmp_path / "file")
    output("train", "-", "-q", "-o", tmp_path / "t.json", "--save-counts", tmp_path / "input", stdin=text.encode())
    assert WordCounts.load(tmp_path / "input") == WordCounts.load(tmp_path / "file")
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        thread = threading.Thread(target=pipe.write_bytes, args=(text.encode(),))
        thread.start()
        done = run("train", pipe, "-o", tmp_path / "t.json", "--save-counts", tmp_path / "named")
        thread.join()
        assert done.returncode == 0, done.stderr
        assert WordCounts.load(tmp_path / "named") == WordCounts.load(tmp_path / "file")


def test_the_compression_of_one_long_line_is_that_of_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("low " * 500_000)
    done = run("train", tmp_path / "text.txt", "-o", tmp_path / "t.json")
    assert b"on 1.0 MB of the text" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{text}", "-o", "{folder}/none/t.json"), "none`: no such folder to write `t.json` to"),
        (("{text}", "-o", "{folder}"), "`: is a directory"),
        (("{text}", "--save-counts", "{folder}/none/x.counts"), "no such folder to write `x.counts` to"),
        (("{text}", "--field", "body"), "--field is for lines of JSON"),
        (("-", "--field", "body"), "--field is for lines of JSON"),
        (("--counts", "{text}", "--memory", "9"), "--memory is for counting"),
        (("{text}", "--special-token", ""), "--special-token is empty"),
        (("{empty}",), "there is nothing to learn from: the corpus has no pretokens"),
        (("{text}", "--min-count", "9"), "the corpus has no pretokens that occur 9 times"),
    ],
)
def test_what_cannot_be_trained_is_told_and_nothing_is_written(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    text, empty = tmp_path / "text.txt", tmp_path / "empty.txt"
    text.write_text("low lower\n")
    empty.write_text("")
    names = {"text": text, "empty": empty, "folder": tmp_path}
    out = () if "-o" in arguments else ("-o", tmp_path / "t.json")
    done = run("train", *(a.format(**names) for a in arguments), *out)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines)) == (2, 1), lines
    assert message in lines[0]
    assert sorted(tmp_path.iterdir()) == [empty, text]


def test_encode_writes_a_line_of_ids_a_text(model: Path) -> None:
    tokenizer = Tokenizer.from_file(str(model))
    expected = [" ".join(map(str, tokenizer.encode(text).ids)) for text in ("lower", "", "a\rb")]
    assert output("encode", "-t", model, stdin=b"lower\n\na\rb\n").split("\n") == [*expected, ""]
    assert output("encode", "-t", model, "lower", "", "a\rb").split("\n") == [*expected, ""]


def test_encode_takes_files_by_lines_or_whole(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(b"low\nnew\n")
    assert len(output("encode", "-t", model, "-f", file).splitlines()) == 2
    whole = output("encode", "-t", model.parent, "-f", file, "--whole")
    assert whole.split() == [str(i) for i in Tokenizer.from_file(str(model)).encode("low\nnew\n").ids]


def test_encode_writes_json_lines_with_spans(model: Path) -> None:
    row = json.loads(output("encode", "-t", model, "--format", "jsonl", "é lower"))
    assert row["spans"] == [[0, 1], [0, 1], [1, 7]]
    assert row["tokens"][-1] == "Ġlower"


def test_encode_writes_arrays(model: Path, tmp_path: Path) -> None:
    output(
        "encode",
        "-t",
        model,
        "low new",
        "newest",
        "--format",
        "npy",
        "-o",
        tmp_path / "i.npy",
        "--offsets",
        tmp_path / "o.npy",
    )
    ids, offsets = np.load(tmp_path / "i.npy"), np.load(tmp_path / "o.npy")
    assert (ids.dtype, offsets.dtype) == (np.uint32, np.int64)
    tokenizer = Tokenizer.from_file(str(model))
    assert ids[: offsets[1]].tolist() == tokenizer.encode("low new").ids
    assert ids[offsets[1] : offsets[2]].tolist() == tokenizer.encode("newest").ids
    assert output("decode", "-t", model, "-f", tmp_path / "i.npy") == "low newnewest\n"


@pytest.mark.parametrize("form", ["ids", "jsonl"])
def test_decode_reads_what_encode_writes(model: Path, form: str) -> None:
    text = "lower 日本 <s>\n\nnewest\n".encode()
    encoded = output("encode", "-t", model, "--format", form, stdin=text).encode()
    assert output("decode", "-t", model, "--no-skip-special-tokens", stdin=encoded).encode() == text
    assert output("decode", "-t", model, stdin=encoded) == "lower 日本 \n\nnewest\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "-t", "{model}", "-t", "{model}", "x"), "a tokenizer is given twice"),
        (("compare", "-t", "{model}", "-f", "a", "-f", "./b/../a"), "a file is given twice"),
        (("compare", "-t", "{model}", "x", "--metric", "fertility"), "`--metric` goes with `--plot`"),
        (("compare", "-t", "{model}", "x", "--plot", "p.png", "--metric", "speed"), "`--metric` is 'speed'"),
        (("encode", "-t", "\x1b[31m.json", "x"), "piecework: `\\u{1b}[31m.json`: no such file"),
        (("compare", "-t", "{model}", "x", "--vocabularies"), "needs two tokenizers"),
        (("compare", "-t", "{model}", "x", "-f", "y"), "one of them is expected"),
        (("inspect", "-t", "{model}", "x", "--html", "p.html", "--format", "json"), "cannot go together"),
        (("compare", "-t", "{model}", "-t", "pyproject.toml", "x"), "piecework: `pyproject.toml`: "),
        ((), "piecework: Missing command"),
        (("encode", "x"), "--tokenizer"),
        (("encode", "-t", "missing.json", "x"), "piecework: `missing.json`: no such file or directory"),
        (("encode", "-t", "{model}", "x", "-f", "y"), "one of them is expected"),
        (("encode", "-t", "{model}", "--offsets", "o.npy", "x"), "`--format npy`"),
        (("decode", "-t", "{model}", "1", "x"), "holds no ids"),
        (("train", "missing.txt"), "`missing.txt`: no such file or directory"),
        (("train", "-", "x.txt"), "cannot be mixed"),
        (("train", "x.txt", "--vocab-size", "none"), "--vocab-size"),
        (("train",), "files or --counts are expected"),
        (("train", "none*.txt"), "no file fits `none*.txt`"),
        (("train", "x.txt", "--model", "unigram", "--preset", "bert"), "the preset bert has a wordpiece model"),
        (("train", "x.txt", "--scoring", "likelihood"), "--scoring is for wordpiece models"),
        (("train", "x.txt", "--model", "unigram", "--min-frequency", "2"), "--min-frequency is not for unigram"),
        (("train", "--counts", "missing.counts"), "`missing.counts`: no such file or directory"),
    ],
)
def test_an_error_is_one_line_and_status_2(model: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(*(model if a == "{model}" else a for a in arguments))
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines)) == (2, 1), lines
    assert message in lines[0]
    assert done.stdout == b""


def test_bad_bytes_are_named_by_line(model: Path) -> None:
    done = run("encode", "-t", model, stdin=b"ok\nab\xff\n")
    assert (done.returncode, done.stderr.decode().strip()) == (
        2,
        "piecework: standard input: line 2, byte 2 is not UTF-8",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("encode", "-t", "{model}", "-f", "{big}"),
        ("encode", "-t", "{model}", "-f", "{big}", "--format", "npy"),
        ("decode", "-t", "{model}", "-f", "{ids}"),
        ("inspect", "-t", "{model}", "low new"),
        ("inspect", "-t", "{model}", "low new", "--format", "json"),
        ("compare", "-t", "{model}", "low new"),
        ("compare", "-t", "{model}", "low new", "--format", "csv"),
        ("train", "--help"),
        ("--version",),
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_error(model: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    files = {"{model}": model, "{big}": tmp_path / "big.txt", "{ids}": tmp_path / "ids.txt"}
    files["{big}"].write_text("low new\n" * 100_000)
    files["{ids}"].write_text("1 2 3\n" * 100_000)
    command = [*COMMAND, *(str(files.get(a, a)) for a in arguments)]
    with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_without_the_extra_there_is_a_hint() -> None:
    program = "import sys; sys.modules['typer'] = None; from piecework.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"pip install 'piecework[cli]'" in done.stderr
