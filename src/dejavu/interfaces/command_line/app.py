"""Run one `dejavu` command and turn what it raises into a sentence and an exit code.

A line of plain options and arguments is read off the table that was made from typer's declarations
(`simple_line`); every other line, and so every usage error, help and completion, goes to typer
(`command_line`), whose import costs as much as a whole `dejavu list`. Only the module of the
command that is run is imported.
"""

import gc
import os

from dejavu.model import ArchiveError, ConfigError, DejavuError, InvalidValueError, NotFoundError

from . import logs, simple_line, stdio

_FORMS = {"--json=1": True, "--json=2": False}
"""Whether lists that were bare arrays once are so again; `--json` is the second form."""


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
    except stdio.ExitError as done:
        return stdio.flushed(done.code)
    except KeyboardInterrupt:
        return 130
    except DejavuError as error:
        stdio.print_error(str(error))
        return stdio.flushed(exit_code(error))
    except OSError as error:
        return stdio.report(error)
    except Exception as error:  # the last line of defence: a sentence instead of a stack
        logs.record_failure(error, " ".join(arguments[:1]))
        stdio.print_error(f"internal error ({type(error).__name__}); `dejavu -v ...` shows where")
        return 1
    return stdio.flushed(code if isinstance(code, int) else 0)


def _invoke(arguments: list[str]) -> object:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "-h"]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    forms = [word for word in arguments[:end] if word in _FORMS]
    if forms and simple_line.has_option(arguments[0], "--json"):
        from .output import use_bare_arrays

        use_bare_arrays(_FORMS[forms[-1]])
        plain = ["--json" if word in _FORMS else word for word in arguments[:end]]
        try:
            return _invoke([*plain, *arguments[end:]])
        finally:
            use_bare_arrays(False)
    if "_DEJAVU_COMPLETE" not in os.environ:
        values = simple_line.parse(arguments)
        if values is not None:
            logs.configure(verbose=False)
            command = simple_line.command(arguments[0])
            gc.freeze()  # what was imported stays: no collection need look at it
            try:
                return command(**values)
            except InvalidValueError as error:
                from .typer_app import print_refusal  # it knows how the command is used

                return print_refusal(arguments, error)
    from .typer_app import invoke

    return invoke(arguments)
