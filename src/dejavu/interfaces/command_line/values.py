"""Convert command-line words to the types of our options, without loading pydantic.

Typer converts with pydantic, whose import costs as much as a whole `dejavu list`. The options of
this program are str, int, float, Path, enums and lists of those: `convert_plainly` returns their
parameters a converter for these, and leaves every other parameter to typer.
"""

import math
import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

import typer

from ..filters import did_you_mean

_SCALARS = (str, int, float, bool)


class Converter:
    """What typer calls a parameter's runtime: `coerce` returns the value for the command."""

    def __init__(self, convert_one: Callable[[Any], Any]) -> None:
        self.convert_one = convert_one

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert one value, or each of many.

        Raises:
            typer.BadParameter: the text is no such value.
        """
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        try:
            return [self.convert_one(each) for each in value] if many else self.convert_one(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from error


def convert_plainly(parameters: list[Any]) -> None:
    """Give each parameter of a plain type our converter.

    `_runtime_param` is typer's own place for it (0.29); should typer stop reading it, conversion
    falls back to pydantic: slower, with the same values.
    """
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is None:
            continue
        convert = _converter(descriptor.annotation, descriptor.parameter_info)
        if convert is not None:
            parameter._runtime_param = Converter(convert)


def _converter(kind: Any, info: Any) -> Callable[[Any], Any] | None:
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if info.parser is not None:
        parse: Callable[[Any], Any] = info.parser
        return parse
    if not isinstance(kind, type):
        return None
    if kind in (int, float):
        return lambda value: _number(value, kind, info.min, info.max)
    if issubclass(kind, Enum):
        return lambda value: _choice(value, kind)
    if issubclass(kind, Path):
        return lambda value: _path(value, info)
    return kind if kind in _SCALARS else None


def _number(value: Any, kind: type, least: float | None, most: float | None) -> Any:
    try:
        number = kind(value)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ValueError(f"{value!r} is not {what}") from None
    if math.isnan(number):
        raise ValueError(f"{value!r} is not a number")
    if least is not None and number < least:
        raise ValueError(f"must be {least:g} or more")
    if most is not None and number > most:
        raise ValueError(f"must be {most:g} or less")
    return number


def _choice(value: Any, kind: type[Enum]) -> Enum:
    try:
        return kind(value)
    except ValueError:
        choices = [str(member.value) for member in kind]
        near = did_you_mean(str(value), choices)
        raise ValueError(f"{value!r} is not one of {', '.join(choices)}{near}") from None


def _path(value: Any, info: Any) -> Path:
    path = Path(value)
    if not path.exists():
        if info.exists:
            what = "file" if info.file_okay else "folder"
            raise ValueError(f"{path}: no such {what}")
        return path
    if not info.dir_okay and path.is_dir():
        raise ValueError(f"{path} is a folder, not a file")
    if not info.file_okay and not path.is_dir():
        raise ValueError(f"{path} is not a folder")
    if info.exists and not os.access(path, os.R_OK):
        raise ValueError(f"{path} cannot be read")
    return path
