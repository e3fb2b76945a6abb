"""What an endpoint is, and reading a request by it: the routes and OpenAPI both come from these.

A value that does not fit its parameter is a `BadRequestError` with a sentence.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from dejavu.interfaces.command_line.output import json_text
from dejavu.model import DejavuError

ARCHIVE = Lock()
"""Held while the archive is open: one process may not open it twice."""

MOST_BODY = 1 << 20
"""Bytes of a request."""

_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


class JsonAnswer(JSONResponse):
    """JSON in which no character acts on a terminal that prints it."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json_text(content).encode()


class BadRequestError(DejavuError):
    """What was asked can not be understood."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value in the path, the query or the body. `kind` is a JSON type; an array holds texts."""

    name: str
    description: str
    kind: str = "string"
    default: Any = None
    required: bool = False
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method on a path: `answer` is called with the values by name and returns JSON values.

    `schema` names the answer's shape in OpenAPI; `errors` are statuses besides those of the guard.
    """

    method: str
    path: str
    description: str
    answer: Callable[..., Any]
    schema: str
    query: tuple[Parameter, ...] = ()
    body: tuple[Parameter, ...] = ()
    errors: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The operation's id."""
        return self.answer.__name__.strip("_")

    @property
    def in_path(self) -> tuple[str, ...]:
        """Names of the path's own parameters."""
        parts = (part.strip("{}") for part in self.path.split("/") if part.startswith("{"))
        return tuple(part.partition(":")[0] for part in parts)


def from_query(parameters: tuple[Parameter, ...], query: Mapping[str, list[str]]) -> dict[str, Any]:
    """The values of a query string.

    Raises:
        BadRequestError: a name is unknown, said twice or missing, or a value is none of its type.
    """
    texts: dict[str, str] = {}
    for name, values in query.items():
        if len(values) != 1:
            raise BadRequestError(f"{name}: said {len(values)} times")
        texts[name] = values[0]
    return _checked(parameters, {p.name: _parsed(p, texts) for p in parameters}, texts)


def from_body(parameters: tuple[Parameter, ...], data: bytes) -> dict[str, Any]:
    """Return the values of a JSON object. Raises BadRequestError as `from_query` does."""
    try:
        fields: Any = json.loads(data)
    except (ValueError, RecursionError):  # the latter for brackets by the thousand
        raise BadRequestError("the body is not JSON") from None
    if not isinstance(fields, dict):
        raise BadRequestError("the body is not a JSON object")
    values = cast("dict[str, Any]", fields)
    return _checked(parameters, {p.name: values.get(p.name) for p in parameters}, values)


async def read_body(request: Request) -> bytes:
    """Return a JSON body within its bound. A form, which any site's page can post, is none.

    Raises:
        BadRequestError: it is larger than `MOST_BODY`, not JSON by its type, or cut off.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BODY:
                raise BadRequestError(f"the body is larger than {MOST_BODY} bytes")
    except ClientDisconnect:
        raise BadRequestError("the body ended too early") from None
    if body and kind != "application/json":
        raise BadRequestError("the body must be application/json")
    return bytes(body)


def _parsed(parameter: Parameter, texts: Mapping[str, str]) -> Any:
    text = texts.get(parameter.name)
    if text is None or parameter.kind == "string":
        return text
    if parameter.kind == "boolean" and text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    if parameter.kind == "integer" and text.removeprefix("-").isdecimal() and len(text) < 12:
        return int(text)
    kind = {"integer": "a whole number", "boolean": "true or false"}[parameter.kind]
    raise BadRequestError(f"{parameter.name}: {text!r} is not {kind}")


_TYPES: dict[str, type] = {
    "string": str, "boolean": bool, "integer": int, "array": list, "object": dict,
}  # fmt: skip
_MOST_ITEMS = 200  # of an array of texts


def _checked(
    parameters: tuple[Parameter, ...], values: dict[str, Any], received: Mapping[str, Any]
) -> dict[str, Any]:
    names = {parameter.name for parameter in parameters}
    if unknown := sorted(set(received) - names):
        listed = ", ".join(sorted(names)) or "nothing"
        raise BadRequestError(f"{unknown[0]}: not known here; there is {listed}")
    for p in parameters:
        value = values[p.name]
        if value is None:
            if p.required:
                raise BadRequestError(f"{p.name}: missing ({p.description})")
            values[p.name] = p.default
        elif type(value) is not _TYPES[p.kind]:
            raise BadRequestError(f"{p.name}: not of type {p.kind}")
        elif p.kind == "array":
            items = cast("list[object]", value)
            if len(items) > _MOST_ITEMS or not all(isinstance(item, str) for item in items):
                raise BadRequestError(f"{p.name}: not a list of at most {_MOST_ITEMS} texts")
        elif isinstance(value, int) and not (p.least or 0) <= value <= (p.most or value):
            most = "or more" if p.most is None else f"to {p.most}"
            raise BadRequestError(f"{p.name}: must be {p.least or 0} {most}")
    return values
