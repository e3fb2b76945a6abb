"""The command line as typer reads it: every line that is not plain, every refusal, completion.

The one module through which typer is imported. Its parameters are made from ours; a value is
converted by ours, so typer's own conversion (and pydantic with it) is never loaded. Nothing here
uses a private name of typer.
"""

import os
import re
import sys
from collections.abc import Callable
from inspect import Parameter as Named
from inspect import Signature
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dejavu.model import InvalidValueError

from . import complete, help, logs, other_words, simple_line  # noqa: A004 - our module of that name
from .browse import browse
from .commands import COMMANDS, GROUPS, OLD_NAMES, in_group
from .entry import HEADINGS
from .parameters import Parameter, parameters_of
from .usage_errors import usage_error
from .version import version

_SENTENCE = re.compile(r"(?<!\.)\.(?= |$)")  # its end; three dots are none
_ONCE = ("agent", "instance", "project", "workspace")
"""Filters of which the last would silently win."""


class _Base:
    """A mixin for commands and the group: errors know their command, help is ours."""

    help_text: Callable[[], str]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a line; every usage error gets its context."""
        parent: Any = super()
        words = tuple(args)  # which the parser takes one by one
        try:
            rest: list[str] = parent.parse_args(ctx, args)
        except typer.TyperException as error:
            usage_error: Any = error  # the kinds that name a command have its context
            if hasattr(usage_error, "ctx"):
                usage_error.ctx = usage_error.ctx or ctx
            if usage_error.__class__.__name__ == "NoSuchOption":
                usage_error.words = words
            raise
        return rest

    def get_help(self, ctx: Any) -> str:  # noqa: ARG002 - typer's signature
        """The text of help."""
        return self.help_text()

    def get_help_option(self, ctx: Any) -> Any:
        """The option `-h`, which typer makes when it is first needed."""
        parent: Any = super()
        option: Any = parent.get_help_option(ctx)

        def process_value(context: Any, value: Any) -> None:
            if value:
                option.callback(context, option, value)

        option.process_value = process_value
        return option


class _Command(_Base, TyperCommand):
    """A command whose parameters are ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a line; a filter that takes one value is refused if it comes twice."""
        words = list(args)
        rest = super().parse_args(ctx, args)
        given: list[Any] = (
            [] if ctx.resilient_parsing else self.make_parser(ctx).parse_args(words)[2]
        )
        for one in given:
            if one.name in _ONCE and not one.multiple and given.count(one) > 1:
                raise typer.BadParameter(
                    "it takes one value and is given twice", ctx=ctx, param=one
                )
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a value that it refuses is a usage error."""
        try:
            return super().invoke(ctx)
        except InvalidValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx) from error


class _Group(_Base, TyperGroup):
    """The commands of the table, or those of one group; each is imported when it is asked for."""

    prefix = ""
    """The group's name and a blank; empty for `dejavu` itself."""
    only_names = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as above
        """The names that people see, in the order of the help."""
        if self.prefix:
            return [name.removeprefix(self.prefix) for name in in_group(self.prefix.strip())]
        return [*(name for title in HEADINGS for name in in_group(title)), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command or group of that name, or None; imports a command's module."""
        name = f"{self.prefix}{cmd_name}"
        if self.only_names:
            summary = COMMANDS[name].summary if name in COMMANDS else GROUPS.get(name, "")
            return TyperCommand(cmd_name, help=summary)
        if name in COMMANDS:
            return load(name)
        if name in GROUPS:
            return _sub_group(name)
        new = OLD_NAMES.get(name, "").split()
        return super().get_command(ctx, cmd_name) if not new else load(simple_line.find(new).name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the line names; an unknown one is refused with a suggestion."""
        name = f"{self.prefix}{args[0]}"
        if not (args[0].startswith("-") or name in {*COMMANDS, *OLD_NAMES, *GROUPS}):
            summaries = {key: one.summary for key, one in COMMANDS.items()}
            near = other_words.command(args[0], summaries, self.prefix.rstrip())
            ctx.fail(f"unknown command {args[0]!r}{near}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Names of commands with their summaries, without importing the commands."""
        self.only_names = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self.only_names = False


def _sub_group(name: str) -> _Group:
    """A group of commands; alone it prints its help, and that is a wrong use."""

    def run(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(help.group_help(name))
            raise typer.Exit(2)

    group = _made(typer.Typer(name=name, add_completion=False, **_SETTINGS), run)
    group.prefix = f"{name} "
    group.help_text = lambda: help.group_help(name)
    return group


def _made(app: typer.Typer, run: Callable[..., Any]) -> _Group:
    app.callback()(run)
    group = typer.main.get_command(app)
    assert isinstance(group, _Group)  # noqa: S101 - what cls= asked for
    return group


_SETTINGS: dict[str, Any] = {
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "pretty_exceptions_enable": False,  # its boxes print source lines, and with them secrets
    "invoke_without_command": True,
    "rich_markup_mode": None,
    "cls": _Group,
}


def load(name: str) -> _Command:
    """The command `name` for typer, made from the parameters of its function."""
    function = simple_line.command(name)
    parameters = parameters_of(function)

    def run(**values: Any) -> Any:
        return function(**_given(parameters, values))

    run.__doc__ = function.__doc__
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
    if COMMANDS[name].passes_on:
        settings["allow_interspersed_args"] = False
    single.command(name.rpartition(" ")[2], cls=_Command, context_settings=settings)(
        _signed(run, parameters)
    )
    command = typer.main.get_command(single)
    assert isinstance(command, _Command)  # noqa: S101 - what cls= asked for
    command.help_text = lambda: help.command_help(name)
    _convert_by_ours(command.params, parameters)
    return command


def build() -> TyperGroup:
    """The whole command line; commands load when they are asked for."""
    parameters = parameters_of(help.options)

    def run(context: typer.Context, **values: Any) -> None:
        _start(context, **_given(parameters, values))

    context = Named("context", Named.KEYWORD_ONLY, annotation=typer.Context)
    group = _made(typer.Typer(name="dejavu", **_SETTINGS), _signed(run, parameters, context))
    group.help_text = help.program_help
    _convert_by_ours(group.params, parameters)
    return group


def _start(context: Any, *, version: bool, verbose: bool, plain: bool) -> None:
    """What `dejavu` does before its command, or without one."""
    if version:
        print(f"dejavu {_version()}")
        raise typer.Exit
    logs.configure(verbose=verbose)
    if context.invoked_subcommand is None:
        if plain or (sys.stdin.isatty() and sys.stdout.isatty()):
            raise typer.Exit(browse(plain=plain))
        print(help.program_help())
        print("dejavu: no terminal here, so no browser: name a command", file=sys.stderr)
        raise typer.Exit(2)


_version = version


def _signed(
    function: Callable[..., Any], parameters: tuple[Parameter, ...], *first: Named
) -> Callable[..., Any]:
    """`function` with the signature that typer reads: every value a text, every default None."""
    named = [*first, *(_named(one) for one in parameters)]
    function.__annotations__ = {one.name: one.annotation for one in named}
    function.__signature__ = Signature(named)  # type: ignore[attr-defined]  # inspect reads it
    return function


def _named(one: Parameter) -> Named:
    declared = one.declared
    kind = bool if one.is_switch else list[str] if one.many else str
    settings: dict[str, Any] = {"help": declared.help, "hidden": declared.hidden}
    if declared.complete:
        settings["autocompletion"] = getattr(complete, declared.complete)
    info = (
        typer.Argument(metavar=one.label, **settings)
        if one.is_argument
        else typer.Option(*declared.flags, metavar=one.label or None, **settings)
    )
    default = Named.empty if one.required else None
    return Named(one.name, Named.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default)


def _convert_by_ours(made: list[Any], parameters: tuple[Parameter, ...]) -> None:
    """Have each of typer's parameters converted by the one of ours of its name."""
    ours = {one.name: one for one in parameters}
    for parameter in made:
        one = ours.get(parameter.name)
        parameter.process_value = (
            _only_given(parameter.process_value) if one is None else _converter(parameter, one)
        )


def _only_given(process_value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """For typer's own parameters, such as --install-completion: nothing to convert, nothing loaded."""

    def process(ctx: Any, value: Any) -> Any:
        return process_value(ctx, value) if value else None

    return process


def _converter(parameter: Any, one: Parameter) -> Callable[[Any, Any], Any]:
    def process_value(ctx: Any, value: Any) -> Any:
        if value is None or value == ():
            if one.required and not ctx.resilient_parsing:
                meaning = _SENTENCE.split(one.declared.help)[0]
                told = f" ({meaning})" if meaning else ""
                name = one.label.removesuffix(" ...")
                raise typer.BadParameter(f"{name} is missing{told}", ctx=ctx, param=parameter)
            return None
        if one.is_switch:
            return value
        try:
            return [one.value(each) for each in value] if one.many else one.value(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=parameter) from error

    return process_value


def _given(parameters: tuple[Parameter, ...], values: dict[str, Any]) -> dict[str, Any]:
    """The values for the function: what was not given is the default of its signature."""
    defaults = {one.name: one.default for one in parameters}
    return {
        name: defaults[name] if value is None else value
        for name, value in values.items()
    }  # fmt: skip


def invoke(arguments: list[str]) -> object:
    """Parse `arguments`, run what they name and return its result; wrong use is printed, and 2."""
    group = build()
    try:
        if "_DEJAVU_COMPLETE" in os.environ:
            return group.main(args=arguments, prog_name="dejavu", standalone_mode=False)
        # Not `main`: it ends the process on a closed pipe with its own code.
        with group.make_context("dejavu", arguments) as context:
            return group.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        return 130
    except typer.TyperException as error:
        print(usage_error(error), file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
