"""What is wrong with config.toml, in a sentence: the line, the setting, and what it may be.

Loaded for a file that is wrong only. Gets the text of the file and what msgspec says; does no I/O.
O(length of the file).

Tested in: tests/config/test_settings.py
"""

import re
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

import msgspec

_UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`(?: - at `\$([^`]*)`)?")
_NOT_ONE_OF = re.compile(r"Invalid enum value (.+) - at (?:`key` in )?`\$\.([^`]+)`", re.DOTALL)
_PLACE = re.compile(r" - at (?:`key` in )?`\$\.?([^`]*)`")
_HEADER = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]")


def explained(problem: str, content: str, settings: type[msgspec.Struct], known: str) -> str:
    """The sentence, after the number of the line and a colon where that is found.

    problem: of msgspec. settings: what the file is read as. known: the names of all settings.
    """
    if (unknown := _UNKNOWN.fullmatch(problem)) is not None:
        table, name = (unknown[2] or "").lstrip("."), unknown[1]
        return _numbered(_unknown(name, table, known), content, [*_names(table), name])
    names = _names(place[1]) if (place := _PLACE.search(problem)) is not None else []
    if (wrong := _NOT_ONE_OF.fullmatch(problem)) is not None:
        choices = _choices(_type_of(settings, names))
        setting = f"[{names[0]}] {'.'.join(names[1:])}" if len(names) > 1 else names[0]
        sentence = f"{setting}: {wrong[1]} is not possible; use {_listed(choices)}"
        return _numbered(sentence, content, [*names, wrong[1].strip("'\"")])
    return _numbered(f"{problem}; known settings: {known}", content, names)


def _unknown(name: str, table: str, known: str) -> str:
    """A name that there is none of: the one that is near, or all names."""
    words = {word.strip("[],:;") for word in known.split()}
    near = get_close_matches(name, words - {name}, n=1)
    told = f"did you mean {near[0]!r}?" if near else f"known settings: {known}"
    return f"no setting is called {name!r}{f' under [{table}]' if table else ''}; {told}"


def _names(place: str) -> list[str]:
    """`recall.retrievers[1]` as its names, without numbers."""
    return [part for part in re.sub(r"\[[^\]]*\]", "", place).split(".") if part]


def _type_of(settings: Any, names: list[str]) -> Any:
    for name in names:
        fields = {field.name: field.type for field in msgspec.structs.fields(settings)}
        settings = fields[name]
    return settings


def _choices(kind: Any) -> tuple[str, ...]:
    """The words of the first `Literal` in a type."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return next((found for inner in get_args(kind) if (found := _choices(inner))), ())


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _numbered(sentence: str, content: str, names: list[str]) -> str:
    """The sentence after its line: of the longest beginning of `names` that the file has."""
    table: list[str] = []
    best, found = 0, 0
    for number, line in enumerate(content.splitlines(), 1):
        if (header := _HEADER.match(line)) is not None:
            table = [word.strip(" \"'") for word in header[1].split(".")]
            here = table
        else:
            keys = line.partition("=")[0].split(".") if "=" in line else []
            here = [*table, *(word.strip(" \"'\t") for word in keys)] if keys else []
        if len(here) > best and here == names[: len(here)]:
            best, found = len(here), number
    return f"{found}: {sentence}" if found else f" {sentence}"
