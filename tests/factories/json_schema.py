"""docs/dejavu.schema.json, held to what commands print.

`check` takes a command line and its document; a member that the schema does not name, or one that is
missing or of another type, fails. To others the schema leaves members open: fields may be added.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dejavu.interfaces.command_line.simple_line import find

SCHEMA = Path(__file__).parents[2] / "docs/dejavu.schema.json"


def _closed(schema: Any) -> Any:
    """The schema with every object whose members it names closed to others."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return {"additionalProperties": False, **closed} if "properties" in closed else closed


@cache
def definitions() -> dict[str, Any]:
    """What the schema defines, closed."""
    whole: dict[str, Any] = _closed(json.loads(SCHEMA.read_text("utf-8")))
    return whole


def name_of(arguments: tuple[str, ...], document: Any) -> str:
    """The definition of a command line's document; empty where there is none."""
    command, words, *_ = find(list(arguments))
    if command == "team":
        command = f"team {words[0]}"
    if command == "wait" and "sessions" in document:
        command = "status"
    if command == "status" and "id" in document:
        command = "status SESSION"
    forms = [f"{command} {word}" for word in words]
    known = definitions()["$defs"]
    return next((form for form in (*forms, command) if form in known), "")


def check(arguments: tuple[str, ...], document: Any) -> None:
    """Raise `jsonschema.ValidationError` where a document is not what the schema says."""
    import jsonschema

    if isinstance(document, dict) and (name := name_of(arguments, document)):
        jsonschema.Draft202012Validator(
            {**definitions(), "$ref": f"#/$defs/{quote(name)}"}
        ).validate(document)
