"""A command line read without typer, where every word of it is plainly what it seems.

Takes a command's function and its words; gives the arguments to call it with, or None: then typer
reads the line anew, and has the help, the errors and every finer point to itself. Loading typer
costs more than most commands do, so those that scripts call often (`Option` in their signature
instead of typer's own) do without it. Costs O(words).
"""

import inspect
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, cast, get_args, get_origin

_WHOLE = re.compile(r"[0-9]{1,15}")
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_FINER = ("callback", "envvar", "parser", "prompt", "count", "is_eager", "default_factory", "clamp")


class _NotPlain(Exception):  # noqa: N818 - no error: somebody else reads it
    """The line has something that typer must look at."""


class Option:
    """What `typer.Option` says, said without loading typer; no names: an argument."""

    def __init__(
        self,
        *names: str,
        help: str,  # noqa: A002 - typer's word
        metavar: str | None = None,
        min: float | None = None,  # noqa: A002
        exists: bool = False,
        file_okay: bool = True,
    ) -> None:
        self.names = names
        self.facts: dict[str, Any] = {
            "help": help, "metavar": metavar, "min": min, "exists": exists, "file_okay": file_okay,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A parameter of a command: its names on the line (none: by position), what its value is."""

    name: str
    names: tuple[str, ...]
    kind: Any
    many: bool
    facts: dict[str, Any]
    default: Any


def read(command: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that `words` give `command`, or None where typer must say what they mean."""
    try:
        return _read(
            [_parameter(one) for one in inspect.signature(command).parameters.values()], words
        )
    except _NotPlain:
        return None


def _read(parameters: list[_Parameter], words: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    by_name = {name: one for one in parameters for name in one.names}
    alone: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            alone.append(word)
            continue
        name, equals, value = word.partition("=")
        named = by_name.get(name)
        if named is None or named.many or (equals and (named.kind is bool or name[:2] != "--")):
            raise _NotPlain
        if named.kind is bool:
            given[named.name] = True
            continue
        value = value if equals else next(waiting, "-")
        if value.startswith("-"):
            raise _NotPlain
        given[named.name] = _value(named, value)
    for one in parameters:
        if not one.names and alone:
            taken, alone = (alone, []) if one.many else (alone[:1], alone[1:])
            values = [_value(one, word) for word in taken]
            given[one.name] = values if one.many else values[0]
        elif one.name not in given:
            if one.default is inspect.Parameter.empty or one.default is ...:
                raise _NotPlain
            given[one.name] = one.default
    if alone:
        raise _NotPlain
    return given


def _parameter(given: inspect.Parameter) -> _Parameter:
    if get_origin(given.annotation) is not Annotated:
        raise _NotPlain
    kind, told, *_ = get_args(given.annotation)
    info = cast("object", told)
    names: tuple[str, ...]
    if isinstance(info, Option):
        names, facts = info.names, info.facts
    else:
        facts = vars(info)
        if any(facts.get(fact) for fact in _FINER):
            raise _NotPlain
        written = (facts["default"], *(facts["param_decls"] or ()))
        names = tuple(name for name in written if name is not ...)
        if type(info).__name__ == "OptionInfo" and not names:
            raise _NotPlain
    if any("/" in name or not name.startswith("-") for name in names):
        names = ("",)  # two names at once: typer knows what they mean, and no word is called ""
    if isinstance(kind, UnionType):
        kind = next((one for one in get_args(kind) if one is not NoneType), None)
    many = get_origin(kind) is list
    kind = get_args(kind)[0] if many else kind
    return _Parameter(given.name, names, kind, many, facts, given.default)


def _value(parameter: _Parameter, word: str) -> Any:
    """The value in `word`, if there is no doubt that it is right."""
    facts = parameter.facts
    if parameter.kind is str:
        return word
    if parameter.kind is Path:
        path = Path(word)
        if (
            (facts.get("exists") and not path.exists())
            or (path.exists() and not os.access(path, os.R_OK))
            or (facts.get("file_okay") is False and not path.is_dir())
            or (facts.get("dir_okay") is False and path.is_dir())
            or any(facts.get(fact) for fact in ("writable", "resolve_path", "path_type"))
        ):
            raise _NotPlain
        return path
    value: float
    if parameter.kind is int and _WHOLE.fullmatch(word):
        value = int(word)
    elif parameter.kind is float and _NUMBER.fullmatch(word):
        value = float(word)
    else:
        raise _NotPlain
    least, most = facts.get("min"), facts.get("max")
    if (least is not None and value < least) or (most is not None and value > most):
        raise _NotPlain
    return value
