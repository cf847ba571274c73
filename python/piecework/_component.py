"""What all components share: checked attributes, JSON, pickles, and noticing changes.

A component is a small mutable object that describes. What it does lives in the extension, in an object that is compiled
from the JSON of the component when it is first needed, and anew after a change. Every change of any component moves one
counter, `CHANGES.count`; a tokenizer that saw the present count knows without a further look that nothing has changed.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from piecework import _show
from piecework._checks import natural, wrong_type
from piecework._foreign import is_foreign, state_of
from piecework.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

Json = Any
T = TypeVar("T")
CoreT = TypeVar("CoreT")


class _Changes:
    """Counts changes of components."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


CHANGES = _Changes()


def dumps(value: Json) -> str:
    """JSON as it stands in a compact `tokenizer.json`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---------------------------------------------------------------------------------------------------------------------
# Attributes


class Field(Generic[T]):
    """An attribute of a component that stands in its JSON; it is checked when it is set, and a change is noticed."""

    def __init__(
        self,
        check: Callable[[str, object], T],
        key: str | None = None,
        *,
        dump: Callable[[T], Json] | None = None,
        load: Callable[[Json], object] | None = None,
    ) -> None:
        self._check = check
        self._dump = dump
        self._load = load
        self.name = ""
        self.key = key or ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.key = self.key or name

    @overload
    def __get__(self, part: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, part: Component[Any], owner: type) -> T: ...
    def __get__(self, part: Component[Any] | None, owner: type) -> T | Field[T]:
        if part is None:
            return self
        try:
            value: T = part.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None
        return value

    def __set__(self, part: Component[Any], value: T) -> None:
        part.__dict__[self.name] = self._check(self.name, value)
        part._changed()

    def dump(self, part: Component[Any]) -> Json:
        """The value as it stands in JSON."""
        value = part.__dict__[self.name]
        return value if self._dump is None else self._dump(value)

    def load(self, part: Component[Any], value: Json) -> None:
        """Set the attribute from JSON."""
        self.__set__(part, value if self._load is None else self._load(value))  # type: ignore[arg-type]


def is_own(cls: type) -> bool:
    """Whether a class is one of the library, not a subclass that a user has written."""
    return cls.__module__.startswith(f"{__package__}.")


class Component(Generic[CoreT]):
    """A part of a tokenizer: attributes that describe, and methods that run in the extension."""

    _fields: ClassVar[tuple[Field[Any], ...]] = ()
    """The attributes that stand in the JSON, in its order."""

    _compiled: CoreT | None = None
    _compiled_at: int = -1
    _changed_at: int = 0

    _abstract: ClassVar[bool] = True

    _kind: ClassVar[str]
    """Its name in JSON: that of its class in the library, also for a subclass that a user has written."""

    def __init_subclass__(cls, *, abstract: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._abstract = abstract
        if is_own(cls):
            cls._kind = cls.__name__
        own = tuple(f for f in vars(cls).values() if isinstance(f, Field))
        if own:
            cls._fields = own

    def __new__(cls, *_args: Any, **_options: Any) -> Self:
        """Refuse the bases of the families."""
        if cls._abstract:
            raise TypeError(f"cannot create '{cls.__name__}' instances; take one of its subclasses")
        return super().__new__(cls)

    def __init__(self) -> None:
        """Without attributes there is nothing to give."""

    def _changed(self) -> None:
        """Note that a compiled form made from now on differs from those made before."""
        CHANGES.count += 1
        self._changed_at = CHANGES.count

    def _compile(self) -> CoreT:
        """The compiled form of this component as it is now."""
        core = self._compiled
        if core is None or self._compiled_at < self._changed_at:
            # The count is read before the attributes: a change in between leaves the result outdated, not unnoticed.
            start = CHANGES.count
            core = self._build()
            self._compiled, self._compiled_at = core, start
        return core

    def _build(self) -> CoreT:
        """Compile anew."""
        raise NotImplementedError

    def _adopt(self, core: CoreT) -> None:
        """Take a compiled form that is known to be that of this component."""
        self._compiled, self._compiled_at = core, CHANGES.count

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A component of its own; it shares the compiled form until one of them changes."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)  # attribute values are immutable, or replaced as a whole
        return other

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _is_foreign(self) -> bool:
        """Whether it holds an object written by the user, which has no JSON."""
        return False

    def _to_json(self) -> dict[str, Json]:
        """The description as it stands in `tokenizer.json`."""
        return {"type": self._kind, **{f.key: f.dump(self) for f in self._fields}}

    def _load(self, description: dict[str, Json]) -> None:
        """Take over the attributes of a description in canonical form."""
        for field in self._fields:
            field.load(self, description[field.key])

    def _parse(self, state: bytes) -> dict[str, Json]:
        """The canonical form of a description of this family, checked by the extension."""
        raise NotImplementedError

    def __getstate__(self) -> bytes:
        return dumps(self._to_json()).encode()

    def __setstate__(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray)):
            raise wrong_type("state", "bytes", state)
        description = self._parse(bytes(state))
        if description["type"] != self._kind:
            raise SpecError(f"is `{description['type']}`, expected `{self._kind}`", "type")
        self._load(description)

    def __repr__(self) -> str:
        return _show.full(self._to_json())

    def __str__(self) -> str:
        return _show.short(self._to_json())


class Closed:
    """What has no attributes but its own: a misspelt option would be ignored. Subclasses of users may have more."""

    _fields: ClassVar[tuple[Field[Any], ...]]

    if not TYPE_CHECKING:  # a type checker would take it for leave to set anything

        def __setattr__(self, name: str, value: object) -> None:
            cls = type(self)
            if not name.startswith("_") and not hasattr(cls, name) and is_own(cls):
                options = "`, `".join(field.name for field in self._fields)
                raise AttributeError(
                    f"`{cls.__name__}` has no attribute `{name}`; its options are `{options}`", name=name, obj=self
                )
            super().__setattr__(name, value)


class Written:
    """What the components written in Python share: an object of the user, which has no JSON."""

    _what: ClassVar[str]
    """What it is, for messages."""

    _maker: ClassVar[Any]
    """The class of the extension that makes its compiled form."""

    def __init__(self, part: Any) -> None:
        self._object = part

    def _is_foreign(self) -> bool:
        return True

    def _build(self) -> Any:
        return self._maker.custom(self._object)

    def _to_json(self) -> dict[str, Json]:
        raise TypeError(f"a {self._what} written in Python has no JSON")

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return type(self), (self._object,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(copy.deepcopy(self._object, memo))

    def __repr__(self) -> str:
        return f"{self._maker.__name__}.custom({self._object!r})"

    __str__ = __repr__


PartT = TypeVar("PartT", bound=Component[Any])


class Items(Generic[PartT]):
    """What the `Sequence` of each family shares: a list of components, which stay the objects that were given."""

    _items: list[PartT]
    _items_built: tuple[Any, ...]

    _what: ClassVar[str]
    """What an item is, for messages."""

    _base: ClassVar[type[Component[Any]]]
    _key: ClassVar[str]
    """The key of the list in the JSON."""

    def _check_item(self, name: str, item: object) -> Any:
        if is_foreign(item):
            return self._from_json(self._parse(state_of(item)))
        if not isinstance(item, self._base):
            raise wrong_type(name, self._base.__name__, item)
        return item

    def _set_items(self, items: object) -> None:
        if not isinstance(items, (list, tuple)):
            raise wrong_type(self._key, "list", items)
        flat: list[Any] = []
        for at, item in enumerate(items):
            checked = self._check_item(f"{self._key}[{at}]", item)
            flat.extend(checked._items if isinstance(checked, Items) else [checked])
        self._items = flat

    def _index(self, index: object) -> int:
        at = natural("index", index)
        if at >= len(self._items):
            raise IndexError(f"index {at}, but there are {len(self._items)} items")
        return at

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        """True though it be empty: it is there."""
        return True

    def __getitem__(self, index: int) -> PartT:
        return self._items[self._index(index)]

    def __setitem__(self, index: int, item: PartT) -> None:
        at = self._index(index)
        checked = self._check_item("item", item)
        if isinstance(checked, Items):
            raise SpecError(f"a {self._what} in a Sequence cannot be replaced by a Sequence")
        self._items[at] = checked
        CHANGES.count += 1

    if TYPE_CHECKING:

        def _parse(self, state: bytes) -> dict[str, Json]: ...

    def _is_foreign(self) -> bool:
        return any(item._is_foreign() for item in self._items)

    def _to_json(self) -> dict[str, Json]:
        return {"type": "Sequence", self._key: [item._to_json() for item in self._items]}

    def _load(self, description: dict[str, Json]) -> None:
        self._items = [self._from_json(item) for item in description[self._key]]

    @classmethod
    def _from_json(cls, description: dict[str, Json]) -> PartT:
        """The item that a description in canonical form stands for."""
        raise NotImplementedError

    def _compile(self) -> Any:
        """The compiled form; made anew when that of an item is another one."""
        cores = tuple([item._compile() for item in self._items])
        built = self.__dict__.get("_items_built")
        if (
            built is None
            or len(built[0]) != len(cores)
            or any(a is not b for a, b in zip(built[0], cores, strict=True))
        ):
            built = (cores, self._join(list(cores)))
            self._items_built = built
        return built[1]

    def _join(self, cores: list[Any]) -> Any:
        """One compiled form out of those of the items."""
        raise NotImplementedError

    def _adopt(self, core: Any) -> None:
        """The items have no compiled forms yet, so that of the whole is made when they do."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._items = copy.deepcopy(self._items, memo)
        return other

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._is_foreign():
            return _restore_items, (type(self), self._items)
        return super().__reduce_ex__(protocol)


def _restore_items(cls: type[Any], items: list[Any]) -> Any:
    """Make a `Sequence` of items as they are (unlike its constructor, which flattens)."""
    sequence: Any = object.__new__(cls)
    sequence._items = items
    return sequence


def wrap(core: Any, family: dict[str, type[PartT]]) -> PartT:
    """The component object for a compiled component, which it takes over."""
    part = make(family, json.loads(core.json()))
    part._adopt(core)
    return part


def make(family: dict[str, type[PartT]], description: dict[str, Json]) -> PartT:
    """The component that a description in canonical form stands for."""
    cls = family[description["type"]]
    part = cls.__new__(cls)
    part._load(description)
    return part
