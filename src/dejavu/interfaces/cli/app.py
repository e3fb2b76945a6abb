"""Finds the command, runs it, and turns what went wrong into a sentence and an exit code.

Takes an argument list; gives an exit code. Only the module of the command asked for is imported,
so a quick command does not pay for the others; nor for typer, where the line is plain (`reading`).
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from dejavu.model import ArchiveError, ConfigError, DejavuError, NotFoundError

from .fast_parser import Option, read

if TYPE_CHECKING:
    import typer

from .browse import browse

COMMANDS = {
    "sync": "sync",
    "ingest": "ingest",
    "list": "list_",
    "show": "show",
    "search": "search",
    "timeline": "timeline",
    "export": "export",
    "status": "status",
    "wait": "wait",
    "send": "send",
    "serve": "serve",
    "otlp": "otlp",
    "wire": "wire",
    "capture-screen": "capture_screen",
    "stats": "stats",
    "replay": "replay",
    "explain": "explain",
    "redact": "redact",
    "verify": "verify",
    "backup": "backup",
    "restore": "restore",
    "reparse": "reparse",
    "rescue": "rescue",
    "prune": "prune",
    "gc": "gc",
    "doctor": "doctor",
    "remember": "remember",
    "recall": "recall",
    "confirm": "confirm",
    "reject": "reject",
    "forget": "forget",
    "memories": "memories",
    "recall-log": "recall_log",
    "rationale": "rationale",
    "mcp": "mcp",
    "init": "init",
    "upgrade": "upgrade",
    "uninstall": "uninstall",
    "hook": "hook",
    "daemon": "daemon",
}
"""Command -> module of this package; its function `command` is the command."""


def our_version() -> str:
    """The installed version of the distribution."""
    from importlib.metadata import PackageNotFoundError, version  # costs more than most commands

    try:
        return version("dejavu-capture")
    except PackageNotFoundError:
        return "0+source"


def _print_version(wanted: bool) -> None:
    import typer

    if wanted:
        print(f"dejavu {our_version()}")
        raise typer.Exit


def build(names: Iterable[str]) -> "typer.Typer":
    """The command line with the commands of `names`."""
    import typer

    from .help import Command, Group

    app = typer.Typer(
        name="dejavu",
        help="See past agent conversations again, whichever agent held them.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,  # its boxes print source lines, and with them secrets
        invoke_without_command=True,
        rich_markup_mode=None,  # help is read in pagers, by screen readers and in bug reports
        cls=Group,
    )

    @app.callback()
    def root(
        context: typer.Context,
        _version: Annotated[
            bool,
            typer.Option(
                "--version", callback=_print_version, is_eager=True, help="Show the version."
            ),
        ] = False,
        plain: Annotated[
            bool, typer.Option("--plain", help="Browse by lines: for screen readers.")
        ] = False,
    ) -> None:
        if context.invoked_subcommand is None:
            if plain or (sys.stdin.isatty() and sys.stdout.isatty()):
                raise typer.Exit(browse(plain=plain))
            print(context.get_help())
            raise typer.Exit(2)

    for name in names:
        app.command(name, cls=Command)(_declared(_function(name)))
    return app


def _function(name: str) -> Callable[..., Any]:
    """The function of a command; imports its module."""
    found: Callable[..., Any] = import_module(f".{COMMANDS[name]}", __package__).command
    return found


def _declared(command: Callable[..., Any]) -> Callable[..., Any]:
    """`command` with typer's options in the place of ours."""
    import typer

    @wraps(command)
    def same(**given: Any) -> Any:
        return command(**given)

    signature = inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        if get_origin(one.annotation) is Annotated:
            kind, info, *_ = get_args(one.annotation)
            if isinstance(info, Option):
                made: Any = typer.Option if info.names else typer.Argument
                kind = Annotated[kind, made(*info.names, **info.facts)]
                one = one.replace(annotation=kind)
        parameters.append(one)
    same.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined] # inspect reads it
    same.__annotations__ = {one.name: one.annotation for one in parameters}
    return same


def complain(sentence: str) -> None:
    """One sentence on stderr, under our name."""
    from dejavu.redact.sanitise import sanitise

    print(f"dejavu: {sanitise(sentence)}", file=sys.stderr)


def exit_code(error: DejavuError) -> int:
    """The exit code the contract has for an error of ours."""
    if isinstance(error, NotFoundError):
        return 3
    if isinstance(error, ArchiveError):
        return 4
    return 2 if isinstance(error, ConfigError) else 1


def run(arguments: list[str]) -> int:
    """Run `dejavu` with `arguments`; gives the exit code."""
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except DejavuError as error:
        complain(str(error))
        return exit_code(error)
    except OSError as error:
        complain(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
        return 1
    except Exception as error:
        return _ended(error, arguments)
    return code if isinstance(code, int) else 0


def _invoke(arguments: list[str]) -> object:
    """Call the command that `arguments` name; typer reads what is not plain."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "-h"]
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    completing = "_DEJAVU_COMPLETE" in os.environ
    names = [wanted] if wanted in COMMANDS and not completing else list(COMMANDS)
    if names == arguments[:1]:
        command = _function(names[0])
        given = read(command, arguments[1:])
        if given is not None:
            return command(**given)
    import typer

    group = typer.main.get_command(build(names))
    return group.main(args=arguments, prog_name="dejavu", standalone_mode=False)


def _ended(error: Exception, arguments: list[str]) -> int:
    """The exit code for an error that is neither ours nor the system's."""
    import typer
    from typer.exceptions import TyperException

    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort):
        return 130
    if isinstance(error, TyperException):
        if getattr(error, "ctx", "") is None:
            with suppress(Exception):
                error.ctx = _context(arguments)  # type: ignore[attr-defined] # usage errors have one
        from .help import usage_error

        print(usage_error(error), file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    if os.environ.get("DEJAVU_DEBUG"):  # the last line of defence: a sentence instead of a stack
        import traceback

        traceback.print_exception(error)
    complain(f"this is a fault of ours ({type(error).__name__}); DEJAVU_DEBUG=1 shows where")
    return 1


def _context(arguments: list[str]) -> Any:
    """What typer would know of a command that was called without it."""
    import typer

    group: Any = typer.main.get_command(build(arguments[:1]))
    above = group.make_context("dejavu", arguments)
    return group.commands[arguments[0]].make_context(arguments[0], arguments[1:], parent=above)
