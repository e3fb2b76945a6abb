"""The `dejavu` command.

Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 archive locked or damaged, 130 interrupted, 141
reader of stdout gone. One module a command; `command_line` lists them and runs a line. Data goes
to stdout, everything else to stderr. This module imports nothing heavy: hooks pass through it.
"""

import gc as cycles  # `gc` is a command's module here
import sys


def main() -> None:
    """Entry point of `dejavu`."""
    if sys.argv[1:2] == ["hook"] and sys.argv[2:3] not in ([], ["-h"], ["--help"]):
        from ..hooks import main as hook  # without typer: agents wait for it

        sys.exit(hook(sys.argv[2:]))
    if sys.argv[1:3] == ["acp", "--tap"]:
        from dejavu.config.extensions import parts

        for tap in parts("tap_program"):  # without typer: the agent starts whatever fails
            line = tap.parse(sys.argv[3:])
            if line is not None:
                tap.main(line)
    from ..command_line import stdio

    stdio.open_missing()
    stdio.replace_unencodable()
    if sys.argv[1:] == ["--version"]:
        from ..command_line.version import version  # without typer: scripts and editors ask for it

        try:
            print(f"dejavu {version()}")
        except OSError as error:  # stdout is full and not buffered
            sys.exit(stdio.report(error))
        sys.exit(stdio.flushed(0))
    if len(sys.argv) == 1 and sys.stdin.isatty() and sys.stdout.isatty():
        from ..command_line.browse import browse

        sys.exit(browse())
    # A sync makes a hundred thousand records that are freed by count alone: looking for cycles
    # after each 700 costs more than a few of them do.
    cycles.set_threshold(50_000, 20, 20)
    from ..command_line.app import run

    code = run(sys.argv[1:])
    cycles.freeze()  # or the interpreter looks for cycles in all of it before it ends: a tenth of `list`
    sys.exit(code)


__all__ = ["main"]
