"""The parameters of a command as data: the one declaration, in the signature of its function.

    def command(limit: Annotated[int, Option("--limit", "-n", min=1, help="Most rows.")] = 20)

The signature gives name, type and default; `Option` and `Argument` give the rest. The reader of
plain lines, the typer application, help, the reference, the man pages and completion are all made
from `options.parameters_of`. Imports no typer.
"""

from collections.abc import Callable
from typing import Any


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
