"""The command line as typer has it: parse any line, print help and completion, refuse wrong use.

The one module through which typer is imported; `app` asks it for all that is not a plain line.
"""

import os
import sys
from typing import Annotated

import typer
from typer.core import TyperGroup

from dejavu.model import InvalidValueError

from . import logs
from .browse import browse
from .help import Group, usage_error
from .values import convert_plainly
from .version import version


def build() -> TyperGroup:
    """The command line; commands load when they are asked for."""
    app = typer.Typer(
        name="dejavu",
        help="See past agent conversations again, whichever agent held them.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,  # its boxes print source lines, and with them secrets
        invoke_without_command=True,
        rich_markup_mode=None,
        cls=Group,
    )
    app.callback()(_root)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)  # noqa: S101 - what cls= asked for
    convert_plainly(group.params)
    return group


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dejavu {version()}")
        raise typer.Exit


def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Write diagnostics to stderr.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Browse line by line, for screen readers.")
    ] = False,
) -> None:
    logs.configure(verbose=verbose)
    if context.invoked_subcommand is None:
        if plain or (sys.stdin.isatty() and sys.stdout.isatty()):
            raise typer.Exit(browse(plain=plain))
        print(context.get_help())
        raise typer.Exit(2)


def invoke(arguments: list[str]) -> object:
    """Parse `arguments`, run what they name and return its result; wrong use is printed, and 2."""
    group = build()
    try:
        if "_DEJAVU_COMPLETE" in os.environ:
            return group.main(args=arguments, prog_name="dejavu", standalone_mode=False)
        # Not `main`: it ends the process on a closed pipe with a code of its own.
        with group.make_context("dejavu", arguments) as context:
            return group.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        return 130
    except typer.TyperException as error:
        print(usage_error(error), file=sys.stderr)
        return int(getattr(error, "exit_code", 2))


def print_refusal(arguments: list[str], error: InvalidValueError) -> int:
    """Print why a command refused its values and how it is used; return the exit code."""
    group = build()
    name, *rest = arguments
    command = group.get_command(group.make_context("dejavu", arguments), name)
    assert command is not None  # noqa: S101 - it has just run
    context = command.make_context(name, rest, parent=group.make_context("dejavu", arguments))
    print(usage_error(typer.BadParameter(str(error), ctx=context)), file=sys.stderr)
    return typer.BadParameter.exit_code
