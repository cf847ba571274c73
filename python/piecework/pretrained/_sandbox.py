"""The sandbox of chat templates: what they cannot reach, and how much they may use.

Jinja's own sandbox keeps templates from reaching Python. This one also keeps them from using up memory and time: every
turn of a loop and every call is counted as a step, at which the time is looked at, and what makes long strings of short
ones is asked for their length first.
"""

from __future__ import annotations

import functools
import re
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_CHARACTERS = 1 << 26
"""A template that makes a longer text, or a longer string or list on the way, is stopped."""

MOST_CHARACTERS_IN_ALL = 1 << 30
"""The same for all strings on the way together."""

MOST_SECONDS = 10.0
"""Time of the processor that a template may take."""

MOST_BITS = 1 << 16
"""A number with more bits is not made."""

_GROWING = frozenset({"+", "*", "**", "%"})
"""Operators that make much of little."""

_WITH_WIDTH = ("batch", "center", "indent", "slice")
"""Filters that are told a width, or how many there shall be."""

_METHODS_WITH_WIDTH = frozenset({"center", "expandtabs", "ljust", "rjust", "zfill"})


_NESTED = re.compile(r"\{[^{}]*\{")
"""A width that is an argument too, as in `{:{}}`: no template needs it."""


class _Used:
    """What a template has used so far."""

    def __init__(self) -> None:
        self.until = time.thread_time() + MOST_SECONDS
        self.characters = 0


_USED: ContextVar[_Used | None] = ContextVar("used", default=None)


@contextmanager
def limited() -> Iterator[None]:
    """Count what is used from here on."""
    token = _USED.set(_Used())
    try:
        yield
    finally:
        _USED.reset(token)


def jinja() -> Any:
    """The package `jinja2`, with the parts that are used here."""
    try:
        import jinja2.ext  # noqa: PLC0415 - an extra
        import jinja2.sandbox  # noqa: PLC0415
        import jinja2.visitor  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("chat templates need jinja2: pip install 'piecework[chat]'") from error
    return jinja2


def sandbox(extensions: list[Any]) -> Any:
    """An environment for templates that nobody has to trust."""
    jinja2 = jinja()
    nodes = jinja2.nodes

    class Counted(jinja2.visitor.NodeTransformer):  # type: ignore[misc,name-defined]
        """Puts a step into every turn of a loop, and joins strings by a method that knows how long they get."""

        def visit_For(self, node: Any) -> Any:  # noqa: N802 - the name of the kind of node
            self.generic_visit(node)
            step = nodes.Call(nodes.EnvironmentAttribute("step"), [], [], None, None)
            if node.test is None:
                node.body.insert(0, nodes.ExprStmt(step))
            else:
                node.test = nodes.And(step, node.test)
            return node.set_lineno(node.lineno)

        def visit_Concat(self, node: Any) -> Any:  # noqa: N802 - the same
            self.generic_visit(node)
            joined = nodes.Call(nodes.EnvironmentAttribute("joined"), node.nodes, [], None, None)
            return joined.set_lineno(node.lineno)

    class Sandbox(jinja2.sandbox.ImmutableSandboxedEnvironment):  # type: ignore[misc,name-defined]
        intercepted_binops = _GROWING

        def _generate(self, source: Any, *args: Any, **kwargs: Any) -> Any:
            return super()._generate(Counted().visit(source), *args, **kwargs)

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _check_operator(operator, left, right)
            return _charged(super().call_binop(context, operator, left, right))

        def call(self, context: Any, called: Any, /, *args: Any, **kwargs: Any) -> Any:
            _step()
            method = getattr(called, "__wrapped__", called)  # jinja wraps `format`
            if isinstance(getattr(method, "__self__", None), (str, bytes, int)):
                _check_method(method, args, kwargs)
            return _charged(super().call(context, called, *args, **kwargs))

        def step(self) -> bool:
            """A turn of a loop; that it is a call counts it."""
            return True

        def joined(self, *parts: Any) -> str:
            texts = [*map(str, parts)]
            _check("~", sum(map(len, texts)))
            return "".join(texts)

    class Namespace(jinja2.utils.Namespace):  # type: ignore[misc,name-defined]
        def __setitem__(self, name: Any, value: Any) -> None:
            if str(name).startswith("_"):
                raise jinja2.exceptions.SecurityError(f"a namespace cannot hold `{name}`: it begins with `_`")
            super().__setitem__(name, value)

    environment = Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[*extensions, jinja2.ext.loopcontrols])
    del environment.globals["lipsum"]  # makes text without end
    environment.globals.update(namespace=Namespace)
    for name, function in environment.filters.items():
        environment.filters[name] = _counted(name, function)
    return environment


# ---------------------------------------------------------------------------------------------------------------------
# Limits


def _refuse(what: str) -> None:
    raise jinja().exceptions.SecurityError(f"`{what}` would make a value of unreasonable size")


def _check(what: str, size: int) -> None:
    if size > MOST_CHARACTERS:
        _refuse(what)


def _step() -> None:
    """Raise where the time is over."""
    used = _USED.get()
    if used is not None and time.thread_time() > used.until:
        raise jinja().exceptions.SecurityError(f"takes more than {MOST_SECONDS:g} seconds")


def _charged(value: Any) -> Any:
    """A value that was made on the way; all of them together have a limit."""
    used = _USED.get()
    if used is not None and isinstance(value, (str, list, tuple, bytes)):
        used.characters += len(value)
        if used.characters > MOST_CHARACTERS_IN_ALL:
            raise jinja().exceptions.SecurityError(f"makes more than {MOST_CHARACTERS_IN_ALL} characters on the way")
    return value


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that is a step, and whose widths are looked at."""
    jinja2 = jinja()
    # What filters may get in front of the value.
    passed = jinja2.Environment, jinja2.runtime.Context, jinja2.nodes.EvalContext

    @functools.wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        _step()
        at = next((i for i, arg in enumerate(args) if not isinstance(arg, passed)), len(args))
        value, given = (args[at], args[at + 1 :]) if at < len(args) else ("", ())
        if name in _WITH_WIDTH:
            _check_widths(name, value, (*given, *kwargs.values()))
        elif name == "format" and isinstance(value, str):
            _check_operator("%", value, given or tuple(kwargs.values()))
        elif name == "wordwrap":
            longest = max(map(len, str(value).split()), default=0)  # it is cut bit by bit
            width = next((n for n in (*given, *kwargs.values()) if isinstance(n, int)), 80)
            _check(name, longest * longest // max(width, 1) // 64)
        elif name == "replace" and len(given) > 1:
            _check_replaced(str(value), str(given[0]), str(given[1]))
        elif name == "join" and not isinstance(value, str):
            value = [*value] if hasattr(value, "__iter__") else []
            args = (*args[:at], value, *given)
            _check_joined(str(given[0] if given else kwargs.get("d", "")), value)
        return _charged(function(*args, **kwargs))

    return counted


def _check_widths(name: str, value: Any, given: tuple[Any, ...]) -> None:
    numbers = [abs(number) for number in given if isinstance(number, int)]
    lines = value.count("\n") + 1 if name == "indent" and isinstance(value, str) else 1
    texts = [len(text) for text in given if isinstance(text, str)] if name == "indent" else []
    _check(name, lines * max((*numbers, *texts), default=0))


def _check_replaced(text: str, old: str, new: str) -> None:
    _check("replace", len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def _check_joined(between: str | bytes, items: Any) -> None:
    _check("join", sum(len(item) for item in items if isinstance(item, (str, bytes))) + len(between) * len(items))


def _check_method(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise where a method of a string or number would make a much longer one."""
    text, name = method.__self__, method.__name__
    if name in _METHODS_WITH_WIDTH:
        numbers = [number for number in (*args, *kwargs.values()) if isinstance(number, int)]
        times = text.count("\t") if name == "expandtabs" else 1
        _check(name, times * max(numbers, default=0))
    elif name == "to_bytes":
        _check(name, max((number for number in (*args, *kwargs.values()) if isinstance(number, int)), default=0))
    elif name == "translate" and args and hasattr(args[0], "values"):
        _check(name, len(text) * max((len(item) for item in args[0].values() if isinstance(item, str)), default=1))
    elif name == "replace" and len(args) > 1:
        if isinstance(text, str):
            _check_replaced(text, str(args[0]), str(args[1]))
        else:
            _check(name, (len(text) + 1) * len(args[1]))
    elif name == "join" and args and hasattr(args[0], "__len__"):
        _check_joined(text, args[0])
    elif name in ("format", "format_map"):
        if _NESTED.search(text):
            _refuse(name)
        _check(name, max(map(int, _widths(text)), default=0))


def _check_operator(operator: str, left: Any, right: Any) -> None:
    """Raise where an operator would make a string or a number of unreasonable size."""
    whole = isinstance(left, int) and isinstance(right, int)
    if operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
        _check(operator, len(left) + len(right))
    elif operator == "*":
        sizes = [(len(a), b) for a, b in ((left, right), (right, left)) if hasattr(a, "__len__") and isinstance(b, int)]
        _check(operator, max((size * times for size, times in sizes), default=0))
        if whole and left.bit_length() + right.bit_length() > MOST_BITS:
            _refuse(operator)
    elif operator == "**":
        if whole and left.bit_length() * right > MOST_BITS:
            _refuse(operator)
    elif operator == "%" and isinstance(left, str):
        given = right if isinstance(right, tuple) else (right,)
        numbers = [abs(number) for number in given if isinstance(number, int)] if "*" in left else []
        _check(operator, max((*map(int, _widths(left)), *numbers), default=0))


def _widths(format: str) -> list[str]:
    """The numbers in a format of `%`, or in one of braces."""
    return "".join(c if c.isdecimal() else " " for c in format).split()
