"""Parameters that several commands share, written once, and the reading of a command's signature.

The shared ones have their names, help and completion here. `parameters_of` makes data of a
signature, whether it names a shared parameter or declares one.

Tested in: tests/interfaces/command_line/test_simple_line.py
"""

from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from .parameters import Argument, Option, Parameter


def _time(text: str) -> float:
    from ..filters import parse_time  # of no use to a line without a time

    return parse_time(text)


Json = Annotated[bool, Option("--json", help="Print one JSON document.")]
JsonFields = Annotated[
    bool, Option("--json", help="Print one JSON document; --json=id,title has only these fields.")
]
Template = Annotated[
    str | None,
    Option("--format", metavar="TEMPLATE", help="Print a line for each, such as '{id} {title}'."),
]
JsonLines = Annotated[bool, Option("--jsonl", help="Print one JSON object a line.")]
Agent = Annotated[
    str | None,
    Option("--agent", "-a", help="Only this agent.", complete="agents"),
]
Workspace = Annotated[
    str | None,
    Option(
        "--workspace", "-w", help="Only this project (a folder, or its last parts).",
        complete="workspaces",
    ),
]  # fmt: skip
Instance = Annotated[
    str | None,
    Option(
        "--instance", "-i", help="Only this machine or container.",
        complete="instances",
    ),
]  # fmt: skip
Limit = Annotated[
    int, Option("--limit", "-n", min=1, max=1_000_000_000, help="Maximum number of results.")
]
RowLimit = Annotated[
    int | None,
    Option(
        "--limit", "-n", min=1, max=1_000_000_000,
        help="Maximum number of results (default: 50; with --json all).",
    ),
]  # fmt: skip
Offset = Annotated[int, Option("--offset", min=0, help="Skip this many results.")]
Side = Annotated[
    bool, Option("--side", help="Include agents' background requests (titles, memory).")
]
Since = Annotated[
    float | None,
    Option(
        "--since", parser=_time, metavar="TIME",
        help="Only turns after this time (2d, yesterday, 2026-11-21).",
    ),
]  # fmt: skip
Until = Annotated[
    float | None,
    Option("--until", parser=_time, metavar="TIME", help="Only turns before this time."),
]

AgentNames = Annotated[
    list[str] | None,
    Argument(metavar="AGENT", help="Default: those found here.", complete="agents"),
]
ConversationId = Annotated[
    str,
    Argument(
        metavar="ID", help="An id or unique prefix; `last` is the newest; `ID#12` a turn.",
        complete="conversations",
    ),
]  # fmt: skip
ConversationIds = Annotated[
    list[str],
    Argument(
        metavar="ID", help="Ids or unique prefixes; `last` is the newest.", complete="conversations"
    ),
]
Starred = Annotated[bool, Option("--starred", help="Only starred conversations.")]
Tags = Annotated[
    list[str] | None, Option("--tag", metavar="NAME", help="Only with this tag; repeatable.")
]
SessionId = Annotated[
    str,
    Argument(metavar="SESSION", help="An id, unique prefix or name.", complete="sessions"),
]
Judged = Annotated[
    str,
    Argument(
        metavar="ID",
        help="A memory's id or unique prefix, or a hit as CONVERSATION#TURN.",
        complete="memories",
    ),
]
MemoryId = Annotated[
    str,
    Argument(metavar="ID", help="An id or unique prefix.", complete="memories"),
]

# Import commands say where what they read belongs; these are no filters.
ToWorkspace = Annotated[
    str | None,
    Option("--workspace", "-w", metavar="DIR", help="The project it belongs to."),
]
FromInstance = Annotated[
    str | None,
    Option("--instance", "-i", help="The machine or container it comes from."),
]


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a command, in the order of its signature. O(parameters).

    Annotations may be text; the names of this module are known in them without an import.
    """
    hints = get_type_hints(function, {**globals(), **function.__globals__}, include_extras=True)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    given = dict(zip(reversed(names), reversed(defaults), strict=False))
    return tuple(
        _parameter(name, hints[name], name not in given, given.get(name)) for name in names
    )


def _parameter(name: str, hint: Any, required: bool, default: Any) -> Parameter:
    assert get_origin(hint) is Annotated, name  # noqa: S101 - a command without a declaration
    kind, declared = get_args(hint)
    kinds = [one for one in get_args(kind) if one is not type(None)]
    if kinds and get_origin(kind) is not list:
        (kind,) = kinds
    many = get_origin(kind) is list
    if many:
        (kind,) = get_args(kind)
    return Parameter(name, kind, declared, default, required=required, many=many)
