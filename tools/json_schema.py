"""Write the documents of `dejavu.model.documents` into docs/dejavu.schema.json.

    python tools/json_schema.py            write them
    python tools/json_schema.py --check    exit 1 where the file has others

The definitions that are not in `DOCUMENTS` are left as they are.
"""

import json
import re
import sys
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from dejavu.model.documents import BY_HAND, DOCUMENTS

TARGET = Path(__file__).resolve().parents[1] / "docs" / "dejavu.schema.json"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_NAMES = {kind: name for name, kind in (DOCUMENTS | BY_HAND).items()}
_WIDTH = 110


def schema_of(hint: Any) -> dict[str, Any]:
    """Return the JSON schema of an annotation."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _NAMES:
        return {"$ref": f"#/$defs/{_NAMES[hint]}"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin is NotRequired:
        return schema_of(arguments[0])
    if origin is Annotated:
        return {**schema_of(arguments[0]), "format": arguments[1]}
    if origin is Literal:
        return {"type": "string", "enum": [*arguments]}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": True}
    if NoneType in arguments:
        (kind,) = (one for one in arguments if one is not NoneType)
        schema = schema_of(kind)
        return {**schema, "type": [schema["type"], "null"]}
    return object_of(hint)


def object_of(kind: type) -> dict[str, Any]:
    """Return the JSON schema of a document's type."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        "type": "object",
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
        "properties": {name: schema_of(hint) for name, hint in hints.items()},
    }


def definitions() -> dict[str, dict[str, Any]]:
    """Return what is generated, by name."""
    return {
        name: {"description": (kind.__doc__ or "").strip(), **object_of(kind)}
        for name, kind in DOCUMENTS.items()
    }


def _lines(value: Any, depth: int) -> str:
    """Return a value as JSON: on one line where that is short, else a member a line."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(short) + depth + 20 < _WIDTH:
        return short
    pad = "\n" + " " * (depth + 1)
    inner = [
        _lines(item, depth + 1) for item in (value.values() if isinstance(value, dict) else value)
    ]
    if isinstance(value, dict):
        inner = [f"{json.dumps(name)}: {text}" for name, text in zip(value, inner, strict=True)]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}{pad}{f',{pad}'.join(inner)}\n{' ' * depth}{last}"


def rewritten(text: str) -> str:
    """Return the schema's text with the generated definitions in their places."""
    for name, schema in definitions().items():
        place = re.compile(
            rf'^  "{re.escape(name)}": (\{{\n.*?\n  \}}|\{{[^\n]*\}})(?=,?$)',
            re.MULTILINE | re.DOTALL,
        )
        new = f'  "{name}": {_lines(schema, 2)}'
        text, count = place.subn(lambda _, new=new: new, text, count=1)
        if not count:
            raise SystemExit(f"{TARGET.name} has no place for {name!r}: add it by hand first")
    return text


def main() -> int:
    """Write the schema, or compare it; return the exit code."""
    old = TARGET.read_text("utf-8")
    new = rewritten(old)
    if "--check" in sys.argv:
        return int(old != new)
    TARGET.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
