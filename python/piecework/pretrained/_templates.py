"""Chat templates: Jinja in a sandbox, with plain data alone in reach."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from piecework.errors import TemplateError
from piecework.pretrained._sandbox import MOST_CHARACTERS, jinja, limited, sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2 import Template

# ---------------------------------------------------------------------------------------------------------------------
# What a template may do


_WIDEST_INDENT = 64
"""What is nested n deep is indented n times by it."""


def _raise(message: str) -> None:
    raise jinja().exceptions.TemplateError(message)


def _to_json(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    if indent is not None and (len(indent) if isinstance(indent, str) else indent) > _WIDEST_INDENT:
        raise jinja().exceptions.SecurityError(f"`tojson` with an indent of more than {_WIDEST_INDENT}")
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _now(format: str) -> str:
    return datetime.now().strftime(format)  # noqa: DTZ005 - the time where the program runs


class _Dict:
    """`dict` as templates have it: it makes dicts, and is no way to its class."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


_TRACKED: ContextVar[tuple[list[str], list[tuple[int, int]]] | None] = ContextVar("assistant", default=None)
"""What was rendered so far, and the spans of it that `{% generation %}` blocks made."""


def _extension() -> Any:
    """The block `{% generation %}`, which marks what the assistant says."""
    jinja2 = jinja()

    class Generation(jinja2.ext.Extension):  # type: ignore[misc,name-defined]
        tags = frozenset({"generation"})

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_generation"), [], [], body).set_lineno(line)

        def _generation(self, caller: Callable[[], str]) -> str:
            text = caller()
            tracked = _TRACKED.get()
            if tracked is not None:
                blocks, spans = tracked
                start = sum(map(len, blocks))
                spans.append((start, start + len(text)))
            return text

    return Generation


@lru_cache(maxsize=1)
def _environment() -> Any:
    environment = sandbox([_extension()])
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise, strftime_now=_now, dict=_Dict())
    return environment


def plain(value: Any) -> Any:
    """A value without anything that a template could call: texts, numbers, lists and dicts alone."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else [*map(plain, value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return plain(value.model_dump())
    return plain(value.item()) if callable(getattr(value, "item", None)) else f"<{type(value).__name__}>"


# ---------------------------------------------------------------------------------------------------------------------
# Rendering


@lru_cache(maxsize=64)
def compile_template(template: str) -> Template:
    """A template ready to render.

    Raises:
        TemplateError: It is no Jinja; the error has the line.
    """
    try:
        compiled: Template = _environment().from_string(template)
    except jinja().exceptions.TemplateSyntaxError as error:
        raise TemplateError(error.message or "is no Jinja", error.lineno) from error
    except (RecursionError, SyntaxError) as error:
        # Python takes only so many blocks and brackets in one another.
        raise TemplateError("is nested too deeply") from error
    return compiled


@lru_cache(maxsize=64)
def literals(template: str) -> str:
    """The texts that a template writes itself, in any order, with NUL between them."""
    nodes = jinja().nodes
    tree = compile_template(template).environment.parse(template)
    texts = {node.data for node in tree.find_all(nodes.TemplateData)}
    texts |= {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)}
    return "\0".join(texts)


@contextmanager
def _tracking(blocks: list[str], spans: list[tuple[int, int]]) -> Iterator[None]:
    token = _TRACKED.set((blocks, spans))
    try:
        yield
    finally:
        _TRACKED.reset(token)


def render(template: str, **variables: Any) -> tuple[str, list[tuple[int, int]]]:
    """What a template makes of its variables, and the spans of `{% generation %}` blocks.

    Raises:
        TemplateError: The template fails, or does what the sandbox forbids; the error has the line.
    """
    compiled = compile_template(template)
    blocks: list[str] = []
    spans: list[tuple[int, int]] = []
    size = 0
    try:
        with _tracking(blocks, spans), limited():
            for block in compiled.generate(**{name: plain(value) for name, value in variables.items()}):
                blocks.append(block)
                size += len(block)
                _check_length(size)
    except TemplateError:
        raise
    except Exception as error:
        raise TemplateError(str(error) or type(error).__name__, _line_of(error)) from error
    return "".join(blocks), spans


def _check_length(size: int) -> None:
    if size > MOST_CHARACTERS:
        raise TemplateError(f"makes more than {MOST_CHARACTERS} characters")


def _line_of(error: BaseException) -> int | None:
    """The line of the template at which it failed: the last one in the trace that is of a template."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
