"""Values that agents write in more than one way: a tool's arguments, an error's words.

Accepts any JSON value and returns the normalised one. Never raises.
"""

from typing import Any

from ..json_lines import as_dict, decode_lenient


def arguments(raw: Any) -> Any:
    """A tool's arguments: the JSON object in a text, or whatever was given."""
    if isinstance(raw, str) and raw.lstrip()[:1] in ("{", "["):
        value = decode_lenient(raw.encode("utf-8", "surrogatepass"))
        return raw if value is None else value
    return raw


def clean(text: str) -> str:
    """Text from the system (argv, a path) that UTF-8 can hold: odd bytes become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def words(error: Any) -> str:
    """The words of an error, wherever in its object they are; "" if it has none."""
    for _ in range(8):
        if isinstance(error, str):
            return error
        inside = as_dict(error)
        if not inside:
            break
        error = (
            inside.get("message") or inside.get("error") or inside.get("data") or inside.get("name")
        )
    return ""


def without_none(**facts: Any) -> dict[str, Any]:
    """Those facts that say anything."""
    return {name: value for name, value in facts.items() if value is not None and value != ""}
