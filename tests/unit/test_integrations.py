"""piecework inside other libraries: what the modules do besides giving the same values."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import piecework
from piecework import AutoTokenizer, SpecError, Tokenizer
from piecework.inspect import compare, overlap, trace
from support.folders import TEXTS

if TYPE_CHECKING:
    from pathlib import Path

reference: Any = pytest.importorskip("tokenizers")

# ---------------------------------------------------------------------------------------------------------------------
# Components of the reference


def test_components_of_the_reference_are_taken_over() -> None:
    tokenizer = Tokenizer(piecework.models.BPE({"a": 0, "b": 1}, []))
    stages = {
        "normalizer": reference.normalizers.Sequence([reference.normalizers.Lowercase(), reference.normalizers.NFC()]),
        "pre_tokenizer": reference.pre_tokenizers.Metaspace(prepend_scheme="first"),
        "post_processor": reference.processors.TemplateProcessing(single="$A a", special_tokens=[("a", 0)]),
        "decoder": reference.decoders.Metaspace(prepend_scheme="first"),
        "model": reference.models.WordLevel({"x": 0, "<unk>": 1}, unk_token="<unk>"),
    }
    for name, stage in stages.items():
        setattr(tokenizer, name, stage)
        mine = getattr(tokenizer, name)
        assert type(mine).__module__ == f"piecework.{type(stage).__module__.split('.')[1]}"
        assert type(mine).__name__ == type(stage).__name__
        assert mine.__getstate__() == stage.__getstate__() or name == "model"
    assert tokenizer.encode("X").ids == [1, 0]
    parts = piecework.pre_tokenizers.Sequence(
        [reference.pre_tokenizers.Digits(), piecework.pre_tokenizers.Whitespace()]
    )
    parts[1] = reference.pre_tokenizers.Punctuation()
    assert [type(part).__name__ for part in (parts[0], parts[1])] == ["Digits", "Punctuation"]
    with pytest.raises(SpecError, match="cannot be replaced by a Sequence"):
        parts[0] = reference.pre_tokenizers.Sequence([])


def test_tokenizers_of_the_reference_are_looked_into() -> None:
    theirs = reference.Tokenizer(reference.models.WordLevel({"<unk>": 0, "hi": 1}, unk_token="<unk>"))
    theirs.pre_tokenizer = reference.pre_tokenizers.WhitespaceSplit()
    bert = reference.BertWordPieceTokenizer({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hi": 3})
    assert trace(theirs, "hi ho").encoding.ids == [1, 0]
    assert trace(bert, "hi").encoding.tokens == ["[CLS]", "hi", "[SEP]"]
    measures = compare({"theirs": theirs, "bert": bert}, ["hi ho hi"]).measures
    assert [(m.tokens, m.unknown) for m in measures] == [(3, 1), (3, 1)]
    assert overlap(theirs, bert).shared == {"hi"}

    class Custom:
        def pre_tokenize(self, text: Any) -> None: ...

    theirs.pre_tokenizer = reference.pre_tokenizers.PreTokenizer.custom(Custom())
    with pytest.raises(TypeError, match="has no JSON"):
        trace(theirs, "hi")


def test_what_the_reference_has_in_python_is_refused() -> None:
    class Custom:
        def pre_tokenize(self, text: Any) -> None: ...

    tokenizer = Tokenizer(piecework.models.BPE())
    with pytest.raises(TypeError, match="has no JSON"):
        tokenizer.pre_tokenizer = reference.pre_tokenizers.PreTokenizer.custom(Custom())
    with pytest.raises(TypeError, match="is not an instance of 'Normalizer'"):
        tokenizer.normalizer = object()  # type: ignore[assignment]


def test_added_tokens_of_both_libraries() -> None:
    mine = piecework.AddedToken("<a>", lstrip=True, special=True)
    theirs = reference.AddedToken("<b>", rstrip=True)
    assert isinstance(mine, (reference.AddedToken, piecework.AddedToken))
    assert mine != reference.AddedToken("<a>", lstrip=True, special=True)
    for twin in (copy.copy(mine), copy.deepcopy(mine), *(pickle.loads(pickle.dumps(mine, n)) for n in range(6))):
        assert type(twin) is piecework.AddedToken
        assert twin == mine
    tokenizer = Tokenizer(piecework.models.BPE({"x": 0}, []))
    assert tokenizer.add_tokens([theirs, mine]) == 2
    assert tokenizer.get_added_tokens_decoder()[1].rstrip
    assert tokenizer.encode("x <a>").ids == [0, 2]
    called = piecework.PreTrainedTokenizer(tokenizer_object=tokenizer, eos_token=theirs)
    assert (called.eos_token, called.eos_token_id) == ("<b>", 1)


def test_a_tokenizer_of_the_reference_is_taken_over(model_folders: Path) -> None:
    backend = reference.Tokenizer.from_file(str(model_folders / "bert" / "tokenizer.json"))
    backend.encode_special_tokens = True
    tokenizer = piecework.PreTrainedTokenizer(tokenizer_object=backend)
    assert tokenizer("[SEP] import")["input_ids"] != []
    with pytest.raises(TypeError, match="tokenizer_object"):
        piecework.PreTrainedTokenizer(tokenizer_object="bert")


# ---------------------------------------------------------------------------------------------------------------------
# transformers


def test_patching_can_be_undone(model_folders: Path) -> None:
    transformers: Any = pytest.importorskip("transformers")
    from piecework.integrations.transformers import (  # noqa: PLC0415 - needs transformers
        accelerate,
        patch_transformers,
        unpatch_transformers,
    )

    def load() -> Any:
        return transformers.AutoTokenizer.from_pretrained(model_folders / "bert", local_files_only=True)

    before = load()
    unpatch_transformers()  # nothing to undo
    patch_transformers()
    patch_transformers()
    try:
        patched = load()
        assert isinstance(patched.backend_tokenizer, Tokenizer)
    finally:
        unpatch_transformers()
    assert type(load().backend_tokenizer) is type(before.backend_tokenizer) is reference.Tokenizer
    backend = patched.backend_tokenizer
    assert accelerate(patched).backend_tokenizer is backend
    assert patched([*TEXTS])["input_ids"] == before([*TEXTS])["input_ids"]
    with pytest.raises(TypeError, match="no backend"):
        accelerate(object())


def test_classes_that_follow_are_patched_too(model_folders: Path) -> None:
    transformers: Any = pytest.importorskip("transformers")
    from piecework.integrations.transformers import (  # noqa: PLC0415 - needs transformers
        patch_transformers,
        unpatch_transformers,
    )

    class Before(transformers.BertTokenizer):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.while_made = type(self._tokenizer)

    patch_transformers()
    try:

        class After(Before):
            def __init__(self, *args: Any, **options: Any) -> None:
                super().__init__(*args, **options)

        class Without(After):
            pass

        for cls in (Before, After, Without):
            made = cls.from_pretrained(model_folders / "bert")
            assert made.while_made is reference.Tokenizer
            assert isinstance(made.backend_tokenizer, Tokenizer)
    finally:
        unpatch_transformers()
    for cls in (Before, After, Without):
        assert isinstance(cls.from_pretrained(model_folders / "bert").backend_tokenizer, reference.Tokenizer)


def test_a_class_that_wraps_a_part_of_its_backend() -> None:
    """Siglip2 puts its normalizer into a `Sequence` of `tokenizers`."""
    transformers: Any = pytest.importorskip("transformers")
    from piecework.integrations.transformers import (  # noqa: PLC0415 - needs transformers
        accelerate,
        patch_transformers,
        unpatch_transformers,
    )

    description = transformers.GemmaTokenizer().backend_tokenizer.to_str()
    mine, theirs = Tokenizer.from_str(description), reference.Tokenizer.from_str(description)
    expected = transformers.Siglip2Tokenizer(tokenizer_object=theirs).backend_tokenizer.to_str()
    with pytest.raises(TypeError, match="is not an instance of 'Normalizer'"):
        transformers.Siglip2Tokenizer(tokenizer_object=mine)
    made = [accelerate(transformers.Siglip2Tokenizer(tokenizer_object=theirs))]
    patch_transformers()
    try:
        made += [transformers.Siglip2Tokenizer(tokenizer_object=backend) for backend in (mine, theirs)]
        with pytest.raises(TypeError):
            transformers.Siglip2Tokenizer(tokenizer_object=theirs, extra_special_tokens=5)
        with pytest.raises(TypeError):
            transformers.Siglip2Tokenizer(tokenizer_object=mine, extra_special_tokens=5)
    finally:
        unpatch_transformers()
    for tokenizer in made:
        assert isinstance(tokenizer.backend_tokenizer, Tokenizer)
        assert json.loads(tokenizer.backend_tokenizer.to_str()) == json.loads(expected)


def test_two_post_processors_in_turn_are_compiled_once() -> None:
    """mBART sets one for texts and one for targets with every call."""
    tokenizer = Tokenizer(piecework.models.BPE({"a": 0, "x": 1, "y": 2}, []))

    def ends(token: str) -> Any:
        return reference.processors.TemplateProcessing(
            single=f"$A {token}", special_tokens=[(token, "axy".index(token))]
        )

    programs = []
    for token in "xyxyy":
        tokenizer.post_processor = ends(token)
        programs.append(tokenizer._program())
        assert tokenizer.encode("a").ids == [0, "axy".index(token)]
    assert programs[0] is programs[2]
    assert programs[1] is programs[3] is programs[4]
    twin = copy.deepcopy(tokenizer)
    twin.post_processor = ends("x")
    twin.post_processor.__setstate__(ends("a").__getstate__())
    assert twin.encode("a").ids == [0, 0]
    tokenizer.post_processor = ends("x")
    assert tokenizer.encode("a").ids == [0, 1]


def test_a_copy_has_no_methods_of_the_original() -> None:
    """CLIP replaces `decode` of its backend by a function that is bound to it."""
    tokenizer: Any = Tokenizer(piecework.models.BPE({"a": 0}, []))
    tokenizer.decode = lambda *_arguments, **_options: "replaced"
    tokenizer.note = "kept"
    twin = copy.deepcopy(tokenizer)
    assert (tokenizer.decode([0]), twin.decode([0]), twin.note) == ("replaced", "a", "kept")


# ---------------------------------------------------------------------------------------------------------------------
# datasets


def test_a_column_of_a_data_set(model_folders: Path) -> None:
    datasets: Any = pytest.importorskip("datasets")
    from piecework.integrations.datasets import encode_column, encoder  # noqa: PLC0415 - needs datasets

    datasets.disable_progress_bars()
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "bert", model_max_length=12)
    rows = {"text": [*TEXTS], "other": [*TEXTS[::-1]], "number": list(range(len(TEXTS)))}
    data = datasets.Dataset.from_dict(rows)
    names = ("input_ids", "token_type_ids", "attention_mask", "special_tokens_mask", "offset_mapping")
    options: dict[str, Any] = {"load_from_cache_file": False, "outputs": names}

    flags: dict[str, Any] = {
        "return_special_tokens_mask": True,
        "return_offsets_mapping": True,
        "return_token_type_ids": True,
    }
    expected = tokenizer([*TEXTS], **flags)
    made = encode_column(data, tokenizer, batch_size=3, **options)
    assert made.column_names == [*names]
    for name in names:
        assert made[:][name] == [[list(x) if isinstance(x, tuple) else x for x in row] for row in expected[name]]

    pairs = encode_column(data, tokenizer, pair="other", keep=True, truncation=True, num_proc=2, **options)
    cut = tokenizer([*TEXTS], [*TEXTS[::-1]], truncation=True)
    assert pairs[:]["input_ids"] == cut["input_ids"]
    assert pairs["number"][:] == rows["number"]

    windows = encode_column(data, tokenizer, truncation=8, overflow=True, load_from_cache_file=False)
    called = tokenizer([*TEXTS], truncation=True, max_length=8, return_overflowing_tokens=True)
    assert windows[:]["input_ids"] == called["input_ids"]
    assert windows["overflow_to_sample_mapping"][:] == called["overflow_to_sample_mapping"]

    stream = encode_column(data.to_iterable_dataset(), tokenizer.backend_tokenizer, outputs=("word_ids",))
    words = [[-1 if word is None else word for word in expected.word_ids(row)] for row in range(len(TEXTS))]
    assert [row["word_ids"] for row in stream] == words

    # The same for the same arguments, and in another process.
    call = encoder(tokenizer, outputs=("input_ids",))
    assert pickle.dumps(call) == pickle.dumps(encoder(tokenizer, outputs=("input_ids",)))
    table = pickle.loads(pickle.dumps(call))({"text": ["import"]})
    assert table["input_ids"].to_pylist() == [tokenizer("import")["input_ids"]]
    with pytest.raises(ValueError, match="no_such"):
        encoder(tokenizer, outputs=("no_such",))
    with pytest.raises(ValueError, match="keep"):
        encode_column(data, tokenizer, keep=True, overflow=True)
    with pytest.raises(TypeError, match="`tokenizer` must be Tokenizer or PreTrainedTokenizer, not str"):
        encoder("bert")  # type: ignore[arg-type]
    unlimited = AutoTokenizer.from_pretrained(model_folders / "bert", model_max_length=int(1e30))
    assert encoder(unlimited, truncation=True)({"text": [*TEXTS]})["input_ids"].to_pylist() == expected["input_ids"]


def test_tensors_of_torch(model_folders: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "bert")
    batch = tokenizer([*TEXTS], padding=True, return_tensors="pt", return_offsets_mapping=True, return_length=True)
    arrays = tokenizer([*TEXTS], padding=True, return_tensors="np", return_offsets_mapping=True, return_length=True)
    for name, tensor in batch.items():
        assert tensor.dtype == torch.int64
        assert (tensor.numpy() == arrays[name]).all()
    assert batch.to("cpu", non_blocking=True)["input_ids"].device.type == "cpu"
    assert tokenizer.decode(batch["input_ids"][0]) == tokenizer.decode(arrays["input_ids"][0])
    padded = tokenizer.pad([{"input_ids": torch.tensor([1, 2])}, {"input_ids": torch.tensor([3])}])
    assert padded["input_ids"].tolist() == [[1, 2], [3, 0]]
    with pytest.raises(ValueError, match="rows have from"):
        tokenizer([*TEXTS], return_tensors="pt")


def test_torch_that_is_missing(model_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    tokenizer = AutoTokenizer.from_pretrained(model_folders / "bert")
    with pytest.raises(ImportError, match="torch is not installed"):
        tokenizer("a", return_tensors="pt")
    assert np.shape(tokenizer("a", return_tensors="np")["input_ids"]) == (1, 3)
