"""Help and usage errors: plain metavars, commands by group, every error one sentence and the usage.

No colour and no boxes: help is read in pagers, by screen readers and in bug reports. A command's
module is imported when the command is run or its own help is shown, never for `dejavu -h`.
"""

import sys
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from dejavu.model import InvalidValueError

from . import options, simple_line
from .commands import COMMANDS, GROUPS
from .other_words import suggestion
from .values import convert_plainly

_click: Any = sys.modules[typer.BadParameter.__module__]
"""Click's exceptions, wherever this typer keeps them (0.29: its own copy of click)."""

_NO_DEFAULT = (None, False, 0, "", Path(), Path("-"))
"""Defaults that help does not mention: they say nothing."""


class _Base:
    """A mixin for commands and the group: errors know their command, `-h` needs no pydantic."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a line; every usage error gets its context."""
        parent: Any = super()
        try:
            rest: list[str] = parent.parse_args(ctx, args)
        except _click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        return rest

    def get_help_option(self, ctx: Any) -> Any:
        """The option `-h`, which typer makes when it is first needed."""
        parent: Any = super()
        option: Any = parent.get_help_option(ctx)
        convert_plainly([option])
        return option


class Command(_Base, TyperCommand):
    """A command whose values are converted without pydantic and whose help has plain metavars."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        convert_plainly(self.params)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a value that it refuses is a usage error."""
        try:
            return super().invoke(ctx)
        except InvalidValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx) from error

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's signature
        """`[OPTIONS] SESSION TEXT ...`."""
        return ["[OPTIONS]", *(argument_name(p) for p in self.params if is_argument(p))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then options."""
        shown = [parameter for parameter in self.get_params(ctx) if not _hidden(parameter)]
        arguments = [(argument_name(p), parameter_help(p)) for p in shown if is_argument(p)]
        options = [(option_name(p), parameter_help(p)) for p in shown if not is_argument(p)]
        for title, rows in (("Arguments", arguments), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(_Base, TyperGroup):
    """All commands of the table in `commands`, each imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as above
        """Every name, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as above
        """The command of that name, or None; imports its module."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = load(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the line names.

        Raises:
            UsageError: there is none of that name.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            shown = {name: one.summary for name, one in COMMANDS.items() if one.group in GROUPS}
            near = suggestion(args[0], shown)
            raise _click.UsageError(f"unknown command {args[0]!r}{near}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Names of commands with their summaries, then options of the group."""
        from typer._click.shell_completion import CompletionItem  # typer has no public name for it

        names = [
            CompletionItem(name, help=entry.summary)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        options: list[Any] = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [*names, *options]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options of `dejavu` itself, then the commands."""
        rows = [(option_name(p), parameter_help(p)) for p in self.get_params(ctx) if not _hidden(p)]
        with formatter.section("Options"):
            formatter.write_dl(rows)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """One table a group."""
        width = max(map(len, COMMANDS))
        for group in GROUPS:
            rows = [
                (name.ljust(width), entry.summary)
                for name, entry in COMMANDS.items()
                if entry.group == group
            ]
            with formatter.section(group):
                formatter.write_dl(rows)


def load(name: str) -> Command:
    """The command `name`, made from the function in its module.

    The modules keep their annotations as text, so that they can be run without typer; it is put
    to them here, with the shared parameters.
    """
    entry = COMMANDS[name]
    function = simple_line.command(name)
    names = {**vars(options), "typer": typer, **function.__globals__}
    function.__annotations__ = get_type_hints(function, names, include_extras=True)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"allow_interspersed_args": False} if entry.passes_on else None
    single.command(name, cls=Command, context_settings=settings)(function)
    command = typer.main.get_command(single)
    assert isinstance(command, Command)  # noqa: S101 - what cls= asked for
    return command


def is_argument(parameter: Any) -> bool:
    """Whether a parameter stands by position."""
    return bool(parameter.param_type_name == "argument")


def argument_name(parameter: Any) -> str:
    """`ID`, `[ID]`, `QUERY ...`."""
    name = str(parameter.metavar or parameter.name.upper())
    if parameter.nargs == -1 and not name.endswith(("...", "...]")):
        name += " ..."
    return name if parameter.required else f"[{name}]"


def option_name(parameter: Any) -> str:
    """`-n, --limit N`, `--enter / --no-enter`."""
    names = ", ".join(sorted(parameter.opts, key=len))
    if parameter.secondary_opts:
        names += f" / {', '.join(parameter.secondary_opts)}"
    metavar = "" if parameter.is_flag else _metavar(parameter)
    return f"{names} {metavar}".rstrip()


def parameter_help(parameter: Any) -> str:
    """What it is for, and its default where that says something."""
    text = str(parameter.help or "")
    default = parameter.default
    if default in _NO_DEFAULT or callable(default) or is_argument(parameter):
        return text
    if parameter.is_flag:
        default = "on"
    return f"{text}  [default: {default.value if isinstance(default, Enum) else default}]"


def _hidden(parameter: Any) -> bool:
    return bool(getattr(parameter, "hidden", False))


def _metavar(parameter: Any) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    descriptor = parameter.type_descriptor
    kind = descriptor.annotation
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if descriptor.choices:
        return "|".join(str(choice.value) for choice in descriptor.choices)
    if kind in (int, float):
        return "N"
    if kind is Path:
        return "PATH" if descriptor.parameter_info.file_okay else "DIR"
    return str(parameter.name).strip("_").upper()


def usage_error(error: Any) -> str:
    """One sentence on what is wrong, and how the command is used."""
    from dejavu.redact.sanitise import sanitise  # its tables are of no use to a right command

    context = getattr(error, "ctx", None)
    if context is None:
        return sanitise(f"dejavu: {_sentence(error)}", newlines=False)
    path = context.command_path
    usage = " ".join(context.get_usage().split()).removeprefix("Usage: ")
    first = sanitise(f"{path}: {_sentence(error)}", newlines=False)
    return f"{first}\nusage: {usage}   (`{path} -h` tells more)"


def _before_words(error: Any) -> str:
    """How a word that begins with a hyphen is written, for a command that takes words."""
    takes_words = error.ctx is not None and any(
        parameter.param_type_name == "argument" for parameter in error.ctx.command.params
    )
    return "; put -- before words that begin with a hyphen" if takes_words else ""


def _sentence(error: Any) -> str:
    if isinstance(error, _click.NoSuchOption):
        near = "".join(f"; did you mean {option}?" for option in (error.possibilities or ())[:1])
        return f"unknown option {error.option_name}{near}{_before_words(error)}"
    if isinstance(error, _click.BadOptionUsage):
        parameters = error.ctx.command.get_params(error.ctx) if error.ctx else ()
        flags = {name for p in parameters if getattr(p, "is_flag", False) for name in p.opts}
        needs = "takes no" if error.option_name in flags else "needs a"
        return f"{error.option_name} {needs} value"
    parameter = getattr(error, "param", None)
    if isinstance(error, _click.MissingParameter) and parameter is not None:
        named = argument_name(parameter).removesuffix(" ...")
        meaning = (getattr(parameter, "help", None) or "").partition(". ")[0].removesuffix(".")
        told = f" ({meaning})" if meaning else ""
        return f"{named if is_argument(parameter) else parameter.opts[0]} is missing{told}"
    message = str(error.message).removesuffix(".")
    if parameter is not None and not is_argument(parameter):
        return f"{parameter.opts[0]}: {message}"
    return message[:1].lower() + message[1:]
