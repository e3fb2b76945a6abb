"""The parameters of a command as data: the one declaration, in the signature of its function.

    def command(limit: Annotated[int, Option("--limit", "-n", min=1, help="Most rows.")] = 20)

The signature gives name, type and default; `Option` and `Argument` give the rest. The reader of
plain lines, the typer application, help, the reference, the man pages and completion are all made
from `parameters_of`. Those that several commands share are written here once. Imports no typer.
"""

from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Declared:
    """What a signature cannot say of a parameter.

    help: one sentence. metavar: the value's name in help. parser: text to value, in place of the
    type (raises ValueError). complete: a function of `complete`, by name. min, max: limits of a
    number, included. exists, file_okay, dir_okay: what a path must be.
    """

    def __init__(
        self,
        *flags: str,
        help: str = "",  # noqa: A002 - the word for it
        metavar: str = "",
        parser: Callable[[str], Any] | None = None,
        complete: str = "",
        hidden: bool = False,
        min: float | None = None,  # noqa: A002 - the word for it
        max: float | None = None,  # noqa: A002 - the word for it
        exists: bool = False,
        file_okay: bool = True,
        dir_okay: bool = True,
    ) -> None:
        self.flags = flags
        self.help = help
        self.metavar = metavar
        self.parser = parser
        self.complete = complete
        self.hidden = hidden
        self.min = min
        self.max = max
        self.exists = exists
        self.file_okay = file_okay
        self.dir_okay = dir_okay


class Option(Declared):
    """A parameter with a name: `Option("--limit", "-n")`, `Option("--screen/--no-screen")`."""


class Argument(Declared):
    """A parameter by position; the last one of a command may be a list."""


class Parameter:
    """One parameter of a command.

    kind: the type of one value. many: a list of them. on, off: the option's names; `off` holds those
    that turn a switch off. Both are empty for an argument.
    """

    def __init__(
        self, name: str, kind: type, declared: Declared, default: Any = None, *,
        required: bool = False, many: bool = False,
    ) -> None:  # fmt: skip
        names = [flag.partition("/") for flag in declared.flags]
        self.name = name
        self.kind = kind
        self.declared = declared
        self.default = default
        self.required = required
        self.many = many
        self.on = tuple(on for on, _, _ in names)
        self.off = tuple(off for _, _, off in names if off)

    @property
    def is_argument(self) -> bool:
        """Whether it is given by position."""
        return not self.on

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.kind is bool

    @property
    def label(self) -> str:
        """`ID`, `[ID]`, `QUERY ...` for an argument; for an option the name of its value."""
        if not self.is_argument:
            return self.declared.metavar or _value_name(self)
        name = self.declared.metavar or self.name.upper()
        if self.many and not name.endswith(("...", "...]")):
            name += " ..."
        return name if self.required else f"[{name}]"

    @property
    def spelling(self) -> str:
        """`-n, --limit N`, `--enter / --no-enter`; an argument's label."""
        if self.is_argument:
            return self.label
        names = ", ".join(sorted(self.on, key=len))
        if self.off:
            names += f" / {', '.join(self.off)}"
        return names if self.is_switch else f"{names} {self.label}".rstrip()

    @property
    def description(self) -> str:
        """What it is for, and its default where that says something."""
        default = self.default
        if self.is_argument or not default or default == "-" or str(default) in ("-", "."):
            return self.declared.help
        shown = "on" if self.is_switch else getattr(default, "value", default)
        return f"{self.declared.help}  [default: {shown}]"

    def value(self, text: str) -> Any:
        """The value that a word means.

        Raises:
            ValueError: it means none; the text says why.
        """
        if self.declared.parser is not None:
            return self.declared.parser(text)
        if self.kind is str:
            return text
        from .values import convert  # most lines have texts alone

        return convert(text, self.kind, self.declared)


def _value_name(parameter: Parameter) -> str:
    members: dict[str, Any] = getattr(parameter.kind, "__members__", {})  # of an enumeration
    if members:
        return "|".join(str(member.value) for member in members.values())
    if parameter.kind in (int, float):
        return "N"
    if parameter.kind not in (str, bool):
        return "PATH" if parameter.declared.file_okay else "DIR"
    return parameter.name.strip("_").upper()


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
        "--workspace", "-w", help="Only this folder, or its last parts.",
        complete="workspaces",
    ),
]  # fmt: skip
Instance = Annotated[
    str | None,
    Option(
        "--instance", "-i", "--machine", help="Only this machine or container.",
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
        metavar="ID", help="An id or unique prefix, or `last`, `last~1` ...; `ID#12` is a turn.",
        complete="conversations",
    ),
]  # fmt: skip
ConversationIds = Annotated[
    list[str],
    Argument(
        metavar="ID",
        help="Ids or unique prefixes, or `last`, `last~1` ...",
        complete="conversations",
    ),
]
Project = Annotated[
    str | None,
    Option(
        "--project", metavar="NAME", complete="projects",
        help="Only this project with all its clones, such as acme/shop.",
    ),
]  # fmt: skip
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

# Import commands say where what they read belongs; these are no filters.
ToWorkspace = Annotated[
    str | None,
    Option("--workspace", "-w", metavar="DIR", help="The folder of its project."),
]
FromInstance = Annotated[
    str | None,
    Option("--instance", "-i", "--machine", help="The machine or container it comes from."),
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
