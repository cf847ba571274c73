"""Functions as tools of a model: their annotations and docstrings as JSON schema."""

from __future__ import annotations

import inspect
import json
import re
import types
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SECTION = re.compile(r"^\s*(Args|Returns|Raises):\s*$", re.MULTILINE)
_ARGUMENT = re.compile(r"^(\w+)(?:\s*\([^()]*\))?:\s*(.*)$", re.DOTALL)
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)
_TYPES: dict[Any, dict[str, Any]] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
}
_SCALARS = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The JSON schema of a function with annotations and a docstring in the style of Google.

    Raises:
        ValueError: An argument has no annotation or no description, or an annotation has no form in JSON schema.
    """
    name = function.__name__
    doc = inspect.getdoc(function)
    if not doc:
        raise ValueError(f"`{name}` has no docstring to describe it as a tool")
    description, described, returned = _parts_of(doc)
    hints = get_type_hints(function)
    properties, required = {}, []
    for argument, parameter in inspect.signature(function).parameters.items():
        if argument not in hints:
            if argument in ("self", "cls"):
                continue
            raise ValueError(f"`{argument}` of `{name}` has no annotation")
        if argument not in described:
            raise ValueError(f"`{argument}` of `{name}` is not described under `Args:`")
        schema = _schema(hints[argument], f"`{argument}` of `{name}`")
        text = described[argument]
        choices = _CHOICES.search(text)
        if choices is not None:
            schema["enum"] = [
                choice.strip() if isinstance(choice, str) else choice for choice in json.loads(choices[1])
            ]
            text = text[: choices.start()].strip()
        properties[argument] = {**schema, "description": text}
        if parameter.default is inspect.Parameter.empty:
            required.append(argument)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    tool: dict[str, Any] = {"name": name, "description": description, "parameters": parameters}
    if "return" in hints:
        tool["return"] = _return_schema(hints["return"], returned)
    return {"type": "function", "function": tool}


def _return_schema(hint: Any, description: str | None) -> dict[str, Any]:
    try:
        schema = _schema(hint, "the result")
    except ValueError:
        schema = {}
    return schema if description is None else {**schema, "description": description}


# ---------------------------------------------------------------------------------------------------------------------
# Docstrings


def _parts_of(doc: str) -> tuple[str, dict[str, str], str | None]:
    """The description of a docstring, that of each argument, and that of the result."""
    sections = _SECTION.split(doc)
    bodies = dict(zip(sections[1::2], sections[2::2], strict=True))
    returned = bodies.get("Returns")
    return (
        sections[0].strip(),
        dict(_arguments(bodies.get("Args", ""))),
        None if returned is None else returned.strip(),
    )


def _arguments(body: str) -> Iterable[tuple[str, str]]:
    """The arguments under `Args:` with their descriptions, each on one line."""
    lines = [line for line in inspect.cleandoc(f"\n{body}").splitlines() if line.strip()]
    entries: list[str] = []
    for line in lines:
        if line[0].isspace() and entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line.strip())
    for entry in entries:
        found = _ARGUMENT.match(entry)
        if found is not None:
            yield found[1], found[2].strip()


# ---------------------------------------------------------------------------------------------------------------------
# Annotations


def _schema(hint: Any, what: str) -> dict[str, Any]:
    """The schema of an annotation."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None:
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _choices([member.value for member in hint], what)
        if hint in _TYPES:
            return dict(_TYPES[hint])
    elif origin is Literal:
        return _choices(list(arguments), what)
    elif origin is Union or origin is types.UnionType:
        return _union(arguments, what)
    elif origin is list:
        return {"type": "array", "items": _schema(arguments[0], what)}
    elif origin is tuple and len(arguments) > 1 and ... not in arguments:
        return {"type": "array", "prefixItems": [_schema(argument, what) for argument in arguments]}
    elif origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], what)}
    raise ValueError(f"the annotation `{hint}` of {what} has no form in JSON schema: give the schema by hand")


def _choices(values: list[Any], what: str) -> dict[str, Any]:
    if not values or any(type(value) not in _SCALARS for value in values):
        raise ValueError(f"the choices {values} of {what} have no form in JSON schema")
    kinds = list(dict.fromkeys(_SCALARS[type(value)] for value in values))
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values}


def _union(arguments: tuple[Any, ...], what: str) -> dict[str, Any]:
    parts = [_schema(argument, what) for argument in arguments if argument is not type(None)]
    if len(parts) == 1:
        schema = parts[0]
    elif all(set(part) == {"type"} and isinstance(part["type"], str) for part in parts):
        kinds = sorted({part["type"] for part in parts})
        schema = {"type": kinds[0] if len(kinds) == 1 else kinds}
    else:
        schema = {"anyOf": parts}
    return {**schema, "nullable": True} if type(None) in arguments else schema
