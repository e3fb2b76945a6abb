"""Finds the command, runs it, and turns what went wrong into a sentence and an exit code.

Takes an argument list; gives an exit code. Only the module of the command asked for is imported,
so a quick command does not pay for the others.
"""

import os
import sys
import traceback
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from dejavu.record import ArchiveError, ConfigError, DejavuError, NotFound
from dejavu.record.sanitise import sanitise

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
    try:
        return version("dejavu-capture")
    except PackageNotFoundError:
        return "0+source"


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dejavu {our_version()}")
        raise typer.Exit


def build(names: Iterable[str]) -> typer.Typer:
    """The command line with the commands of `names`."""
    app = typer.Typer(
        name="dejavu",
        help="See past agent conversations again, whichever agent held them.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,  # its boxes print source lines, and with them secrets
        invoke_without_command=True,
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
        app.command(name)(import_module(f".{COMMANDS[name]}", __package__).command)
    return app


def complain(sentence: str) -> None:
    """One sentence on stderr, under our name."""
    print(f"dejavu: {sanitise(sentence)}", file=sys.stderr)


def exit_code(error: DejavuError) -> int:
    """The exit code the contract has for an error of ours."""
    if isinstance(error, NotFound):
        return 3
    if isinstance(error, ArchiveError):
        return 4
    return 2 if isinstance(error, ConfigError) else 1


def run(arguments: list[str]) -> int:
    """Run `dejavu` with `arguments`; gives the exit code."""
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    completing = "_DEJAVU_COMPLETE" in os.environ
    names = [wanted] if wanted in COMMANDS and not completing else list(COMMANDS)
    command = typer.main.get_command(build(names))
    try:
        code = command.main(args=arguments, prog_name="dejavu", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        # Usage errors show themselves, with the usage of the command they are about.
        show = getattr(error, "show", None)
        show() if show is not None else complain(str(error))
        return int(getattr(error, "exit_code", 2))
    except (typer.Abort, KeyboardInterrupt):
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
    except Exception as error:  # the last line of defence: a sentence instead of a stack
        if os.environ.get("DEJAVU_DEBUG"):
            traceback.print_exc()
        complain(f"this is a fault of ours ({type(error).__name__}); DEJAVU_DEBUG=1 shows where")
        return 1
    return code if isinstance(code, int) else 0
