"""All tokenizers of transformers that have a backend, with one backend or another; the answers are compared.

    python tests/support/classes.py MODES FOLDERS

The modes, with commas between them, and the folders are those of `support.scenarios`. Every class is made with a
`tokenizer_object` and without arguments, then encodes, decodes, and is copied and pickled. The answers are printed as
JSON.
"""

# ruff: noqa: PLC0415 - what is imported when depends on the mode

from __future__ import annotations

import contextlib
import copy
import importlib
import json
import logging
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ["HF_HUB_OFFLINE"] = "1"

from support.calls import kind_of
from support.scenarios import prepare

TEXT = "Hello world! It's <s> a test of naïve [SEP] café, 你好 😀."

FOLDERS = {"WordPiece": "bert", "BPE": "roberta", "Unigram": "t5"}
"""Which folder has a backend for the model that a class is made for."""


def classes() -> dict[str, Any]:
    """The classes of transformers with a backend, by name."""
    import transformers
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    models = Path(str(transformers.__file__)).parent / "models"
    for path in sorted(models.glob("*/tokenization_*.py")):
        with contextlib.suppress(ImportError, NameError):  # some need packages that are not there
            importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")

    def subclasses(cls: Any) -> list[Any]:
        return [found for sub in cls.__subclasses__() for found in (sub, *subclasses(sub))]

    return {cls.__name__: cls for cls in subclasses(TokenizersBackend)}


def backend(mode: str, cls: Any, folders: Path) -> Any:
    """A `tokenizer_object` for a class."""
    library: Any = importlib.import_module("piecework" if mode == "object" else "tokenizers")
    folder = FOLDERS.get(getattr(cls.model, "__name__", ""), "bert")
    made = library.Tokenizer.from_file(str(folders / folder / "tokenizer.json"))
    if made.normalizer is None:
        made.normalizer = library.normalizers.NFC()
    return made


def made(mode: str, cls: Any, options: dict[str, Any]) -> Any:
    """A tokenizer of a class in a mode."""
    tokenizer = cls(**options)
    if mode == "accelerated":
        from piecework.integrations.transformers import accelerate

        accelerate(tokenizer)
    if mode != "plain" and not (mode == "object" and not options):
        import piecework

        assert isinstance(tokenizer.backend_tokenizer, piecework.Tokenizer), cls
    return tokenizer


def answers(mode: str, cls: Any, options: dict[str, Any]) -> Any:
    """What a class gives, or the type of the error."""
    try:
        tokenizer = made(mode, cls, options)
    except Exception as error:
        return kind_of(error)
    found: list[Any] = [len(tokenizer), tokenizer.all_special_tokens]
    twins = (tokenizer, copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer)))
    for twin in twins:
        for arguments in ((TEXT,), (TEXT, "more text"), ([TEXT, "short"],)):
            try:
                batch = twin(*arguments)
                ids = batch["input_ids"]
                found += [dict(batch), batch.tokens(), twin.decode(ids), twin.decode(ids, skip_special_tokens=True)]
            except Exception as error:
                found.append(kind_of(error))
    return found


def main() -> None:
    """Print the answers of the modes that were asked for."""
    modes, folders = sys.argv[1].split(","), Path(sys.argv[2])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    found: dict[str, Any] = {mode: {} for mode in modes}
    for mode in modes:
        prepare(mode)
        for name, cls in classes().items():
            given = {"tokenizer_object": backend(mode, cls, folders)}
            found[mode][name] = [answers(mode, cls, options) for options in (given, {})]
    json.dump(found, sys.stdout, default=str)


if __name__ == "__main__":
    main()
