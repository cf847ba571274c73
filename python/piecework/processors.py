"""Post-processors: special tokens around the tokens of a text, type ids, and spans trimmed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._checks import boolean, id_number, text, wrong_type
from piecework._component import Component, Field, Items, Json, make
from piecework.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as ListLike

    from piecework.encoding import Encoding

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]


class PostProcessor(Component[_core.PostProcessor], abstract=True):
    """Base of all post-processors.

    Example:
        >>> from piecework.processors import PostProcessor, TemplateProcessing
        >>> isinstance(TemplateProcessing(), PostProcessor)
        True
    """

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many tokens the processor adds to one text, or to a pair."""
        return self._compile().added_count(boolean("is_pair", is_pair))

    def process(self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True) -> Encoding:
        """What the processor makes of the encodings of a text, or of a pair."""
        from piecework.encoding import process  # noqa: PLC0415 - encodings know the processors' base only at a call

        return process(self._compile(), encoding, pair, boolean("add_special_tokens", add_special_tokens))

    def _build(self) -> _core.PostProcessor:
        return _core.PostProcessor(self.__getstate__())

    def _parse(self, state: bytes) -> dict[str, Json]:
        description: dict[str, Json] = json.loads(_core.PostProcessor(state).json())
        return description


def _token(name: str, value: object) -> tuple[str, int]:
    """A token and its id."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise wrong_type(name, "tuple of a token and its id", value)
    return text(f"{name}[0]", value[0]), id_number(f"{name}[1]", value[1])


class BertProcessing(PostProcessor):
    """`CLS A SEP`, and for a pair `CLS A SEP B SEP` with type id 1 for the second part.

    Args:
        sep: The separator and its id.
        cls_token: The token in front and its id.

    Example:
        >>> from piecework.processors import BertProcessing
        >>> BertProcessing(("[SEP]", 102), ("[CLS]", 101)).num_special_tokens_to_add(is_pair=True)
        3
    """

    sep = Field(_token, dump=list, load=tuple)
    cls = Field(_token, dump=list, load=tuple)

    def __init__(self, sep: tuple[str, int], cls_token: tuple[str, int]) -> None:
        self.sep = sep
        self.cls = cls_token


class RobertaProcessing(PostProcessor):
    """`CLS A SEP`, and for a pair `CLS A SEP SEP B SEP`; all type ids are 0.

    Args:
        sep: The separator and its id.
        cls_token: The token in front and its id.
        trim_offsets: Whether spans leave out the white space at the ends of tokens.
        add_prefix_space: Whether the pre-tokenizer puts a blank in front of the text.

    Example:
        >>> from piecework.processors import RobertaProcessing
        >>> RobertaProcessing(("</s>", 2), ("<s>", 0)).num_special_tokens_to_add(is_pair=True)
        4
    """

    sep = Field(_token, dump=list, load=tuple)
    cls = Field(_token, dump=list, load=tuple)
    trim_offsets = Field(boolean)
    add_prefix_space = Field(boolean)

    def __init__(
        self,
        sep: tuple[str, int],
        cls_token: tuple[str, int],
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        self.sep = sep
        self.cls = cls_token
        self.trim_offsets = trim_offsets
        self.add_prefix_space = add_prefix_space


def _boolean_or_true(name: str, value: object) -> bool:
    return True if value is None else boolean(name, value)


class ByteLevel(PostProcessor):
    """Leaves the white space at the ends of byte-level tokens out of their spans.

    Args:
        add_prefix_space: Whether the pre-tokenizer puts a blank in front of the text. `None` stands for true, as in the
            others.
        trim_offsets: Whether to trim at all.
        use_regex: Has no effect here; the pre-tokenizer of this name uses it.
        _options: Other options are accepted and have no effect.

    Example:
        >>> from piecework import Tokenizer, models, pre_tokenizers, processors
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "Ġ": 1, "Ġa": 2}, [("Ġ", "a")]))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        >>> tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
        >>> tokenizer.encode("a a").offsets
        [(0, 1), (2, 3)]
    """

    add_prefix_space = Field(boolean)
    trim_offsets = Field(boolean)
    use_regex = Field(boolean)

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_options: object,
    ) -> None:
        self.add_prefix_space = _boolean_or_true("add_prefix_space", add_prefix_space)
        self.trim_offsets = _boolean_or_true("trim_offsets", trim_offsets)
        self.use_regex = _boolean_or_true("use_regex", use_regex)


# ---------------------------------------------------------------------------------------------------------------------
# Templates

_NUMBER = re.compile(r"\+?[0-9]+", re.ASCII)


def _type_id(written: str, piece: str) -> int:
    if _NUMBER.fullmatch(written) and int(written) < 1 << 32:
        return int(written)
    raise SpecError(f"`{piece}` is no piece of a template: `{written}` is no type id")


def _piece(written: str) -> Json:
    """One piece of a template, as `$A`, `$1`, `$B:1`, `[CLS]` or `[CLS]:2`."""
    name, colon, after = written.partition(":")
    if ":" in after:
        raise SpecError(f"`{written}` is no piece of a template: it has two colons")
    type_id = _type_id(after, written) if colon else 0
    if not name.startswith("$"):
        return {"SpecialToken": {"id": name, "type_id": type_id}}
    which = name[1:]
    if which in {"", "A", "a", "B", "b"}:
        return {"Sequence": {"id": "B" if which in {"B", "b"} else "A", "type_id": type_id}}
    number = _type_id(which, written)
    return {"Sequence": {"id": "A", "type_id": type_id if colon else number}}


def _template(name: str, value: object) -> list[Json]:
    if isinstance(value, str):
        return [_piece(part) for part in value.split(" ")]
    if isinstance(value, (list, tuple)):
        return [_piece(text(f"{name}[{i}]", part)) for i, part in enumerate(value)]
    raise wrong_type(name, "str or list of str", value)


def _written(piece: Json) -> str:
    """A piece in the form that `_piece` reads."""
    [(kind, fields)] = piece.items()
    return f"{'$' if kind == 'Sequence' else ''}{fields['id']}:{fields['type_id']}"


def _uses(template: list[Json], sequence: str) -> bool:
    return any(piece.get("Sequence", {}).get("id") == sequence for piece in template)


def _special_token(index: int, value: object) -> Json:
    where = f"special_tokens[{index}]"
    if isinstance(value, tuple) and len(value) == 2:
        token, token_id = value if isinstance(value[0], str) else value[::-1]
        token = text(where, token)
        return {"id": token, "ids": [id_number(where, token_id)], "tokens": [token]}
    if isinstance(value, dict):
        for key in ("id", "ids", "tokens"):
            if key not in value:
                raise SpecError(f"`{key}` must be given", where)
        ids = [id_number(f"{where}.ids", i) for i in value["ids"]]
        tokens = [text(f"{where}.tokens", t) for t in value["tokens"]]
        if len(ids) != len(tokens):
            raise SpecError(f"{len(ids)} ids but {len(tokens)} tokens", where)
        return {"id": text(f"{where}.id", value["id"]), "ids": ids, "tokens": tokens}
    raise wrong_type(where, "(token, id), (id, token), or a dict with id, ids and tokens", value)


class TemplateProcessing(PostProcessor):
    """Special tokens and type ids by a template.

    A template is a text of pieces with blanks between them, or a list of pieces. A piece is `$A` (the first text), `$B`
    (the second), `$1` (the first with type id 1), or the name of a special token; each may end in `:` and a type id.

    Args:
        single: The template for one text; `None` stands for `$0`.
        pair: The template for two; `None` stands for `$A:0 $B:1`.
        special_tokens: The special tokens that the templates name, as `(token, id)`, `(id, token)` or
            `{"id": name, "ids": [...], "tokens": [...]}`.

    Raises:
        SpecError: A template cannot be read, names a special token that is not given, or that of a pair lacks a text.

    Example:
        >>> from piecework.processors import TemplateProcessing
        >>> bert = TemplateProcessing(
        ...     single="[CLS] $A [SEP]",
        ...     pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        ...     special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
        ... )
        >>> bert.num_special_tokens_to_add(is_pair=True)
        3
    """

    def __init__(
        self,
        single: str | list[str] | None = None,
        pair: str | list[str] | None = None,
        special_tokens: ListLike[tuple[str, int] | tuple[int, str] | dict[str, Any]] | None = None,
    ) -> None:
        self._single = _template("single", "$0" if single is None else single)
        self._pair = _template("pair", "$A:0 $B:1" if pair is None else pair)
        given = [] if special_tokens is None else special_tokens
        if not isinstance(given, (list, tuple)):
            raise wrong_type("special_tokens", "list", given)
        tokens = {token["id"]: token for token in (_special_token(i, t) for i, t in enumerate(given))}
        self._special_tokens = dict(sorted(tokens.items(), key=lambda item: item[0].encode("utf-8", "surrogatepass")))
        if not (_uses(self._pair, "A") and _uses(self._pair, "B")):
            raise SpecError("must use both texts, `$A` and `$B`", "pair")
        self._check_single(self._single)
        self._check_named(self._single, self._pair)

    def _check_single(self, template: list[Json]) -> None:
        if _uses(template, "B"):
            raise SpecError("uses `$B`, but it is for one text: use `$A`", "single")

    def _check_named(self, *templates: Iterable[Json]) -> None:
        named = [piece["SpecialToken"]["id"] for template in templates for piece in template if "SpecialToken" in piece]
        missing = [name for name in dict.fromkeys(named) if name not in self._special_tokens]
        if missing:
            raise SpecError(f"missing the ids of `{'`, `'.join(missing)}`, which a template names", "special_tokens")

    @property
    def single(self) -> list[str]:
        """The template for one text, as a list of pieces."""
        return [_written(piece) for piece in self._single]

    @single.setter
    def single(self, single: str | list[str]) -> None:
        template = _template("single", single)
        self._check_single(template)
        self._check_named(template)
        self._single = template
        self._changed()

    def _to_json(self) -> dict[str, Json]:
        return {
            "type": "TemplateProcessing",
            "single": self._single,
            "pair": self._pair,
            "special_tokens": self._special_tokens,
        }

    def _load(self, description: dict[str, Json]) -> None:
        self._single = description["single"]
        self._pair = description["pair"]
        self._special_tokens = description["special_tokens"]
        self._changed()


class Sequence(Items[PostProcessor], PostProcessor):
    """Several post-processors, one after the other.

    Args:
        processors: The post-processors. A `Sequence` among them is replaced by its items.

    Example:
        >>> from piecework.processors import ByteLevel, Sequence, TemplateProcessing
        >>> template = TemplateProcessing("<s> $A", "<s> $A $B", [("<s>", 0)])
        >>> Sequence([ByteLevel(), template]).num_special_tokens_to_add(is_pair=False)
        1
    """

    _what = "post-processor"
    _key = "processors"
    _base = PostProcessor

    def __init__(self, processors: list[PostProcessor]) -> None:
        self._set_items(processors)

    @classmethod
    def _from_json(cls, description: dict[str, Json]) -> PostProcessor:
        return make(FAMILY, description)

    def _join(self, cores: list[_core.PostProcessor]) -> _core.PostProcessor:
        return _core.PostProcessor.sequence(cores)


FAMILY: dict[str, type[PostProcessor]] = {
    cls.__name__: cls
    for cls in (
        RobertaProcessing,
        BertProcessing,
        ByteLevel,
        TemplateProcessing,
        Sequence,
    )
}
"""All post-processors, by their `type` in JSON."""
