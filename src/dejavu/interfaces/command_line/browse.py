"""`dejavu` without a command: the browser, or the same in line mode.

Line mode is `dejavu --plain`, `DEJAVU_PLAIN`, or a terminal that cannot move its cursor
(`TERM=dumb`). Imports no typer: opening must be quick.
"""

import gc
import os

from .output import print_note

_MISSING = (
    "dejavu: the browser needs Textual: {}\n"
    "`dejavu --plain` browses line by line without it, `dejavu -h` shows the commands"
)


def wants_plain() -> bool:
    """Whether this user or this terminal asks for line mode."""
    return bool(os.environ.get("DEJAVU_PLAIN")) or os.environ.get("TERM", "dumb") == "dumb"


def browse(*, plain: bool = False) -> int:
    """Browse until the reader leaves."""
    if plain or wants_plain():
        from ..tui.line_mode import browse as browse_lines

        return browse_lines()
    # What is made until the first frame stays: looking for garbage in it is a tenth of opening. The
    # browser turns the collector on again once it is drawn.
    gc.disable()
    try:
        from ..tui.app import browse as browse_panes  # costs more than most commands
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        gc.enable()
        from dejavu.config.extras import extra_hint

        print_note(_MISSING.format(extra_hint("tui")))
        return 2
    _restore_before_dying()
    return browse_panes()


def _restore_before_dying() -> None:
    """A damaged archive may end the process (`archive.access`): then give the terminal back."""
    import termios

    from dejavu.archive.access import before_exit
    from dejavu.capsule.tty import FULL_RESET

    modes = termios.tcgetattr(0)

    def restore() -> None:
        os.write(1, FULL_RESET)
        termios.tcsetattr(0, termios.TCSANOW, modes)

    before_exit.append(restore)
