"""Run one `dejavu` command: parse the line with typer, turn errors into a sentence and exit code.

Only the module of the command that is run is imported (`help.Group`), so a quick command does not
pay for the others; `dejavu -h` imports none.
"""

import logging
import os
import sys
from typing import Annotated

import typer
from typer.core import TyperGroup

from dejavu.model import ArchiveError, ConfigError, DejavuError, NotFoundError

from . import logs, stdio
from .browse import browse
from .help import Group, usage_error
from .values import convert_plainly
from .version import version

_log = logging.getLogger(__name__)


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


def exit_code(error: DejavuError) -> int:
    """The exit code the contract has for an error of ours."""
    if isinstance(error, NotFoundError):
        return 3
    if isinstance(error, ArchiveError):
        return 4
    return 2 if isinstance(error, ConfigError) else 1


def run(arguments: list[str]) -> int:
    """Run `dejavu` with `arguments` and return the exit code; raises nothing but SystemExit."""
    try:
        code = _invoke(arguments)
    except typer.Exit as done:
        return stdio.flushed(done.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except typer.TyperException as error:
        print(usage_error(error), file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    except DejavuError as error:
        stdio.print_error(str(error))
        return stdio.flushed(exit_code(error))
    except OSError as error:
        return stdio.report(error)
    except Exception as error:  # the last line of defence: a sentence instead of a stack
        _log.error(
            "%s in `dejavu %s`", type(error).__name__, " ".join(arguments[:1]), exc_info=True
        )
        stdio.print_error(f"internal error ({type(error).__name__}); `dejavu -v ...` shows where")
        return 1
    return stdio.flushed(code if isinstance(code, int) else 0)


def _invoke(arguments: list[str]) -> object:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "-h"]
    group = build()
    if "_DEJAVU_COMPLETE" in os.environ:
        return group.main(args=arguments, prog_name="dejavu", standalone_mode=False)
    # Not `main`: it ends the process on a closed pipe with a code of its own.
    with group.make_context("dejavu", arguments) as context:
        return group.invoke(context)
