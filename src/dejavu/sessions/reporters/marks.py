"""Which host is around, by the variables that it sets: multiplexers, terminals, editors' panes.

One row a host: its name, what shows that it is there, and how it learns it. A host inside another inherits the
variables of both, so several may be found. Informs no host; `doctor` shows what is found.

Tested in: tests/sessions/reporters/test_hosts.py
"""

from collections.abc import Mapping
from typing import NamedTuple


class HostMark(NamedTuple):
    """A host: it is there where one of `variables` is set, or TERM or TERM_PROGRAM has one of `names`."""

    host: str
    variables: tuple[str, ...]
    names: tuple[str, ...]
    told: str
    knows_status: bool = False


_STATUS = "program status (OSC 7501)"

ORCA = HostMark("orca", ("ORCA_PANE_KEY",), ("orca",), "OSC 9999")
ITERM = HostMark("iTerm2", ("ITERM_SESSION_ID",), ("iterm.app",), "its session status (OSC 21337)")
MARKS = (
    HostMark("Herdr 2", ("HC_TERMINAL_ID",), (), _STATUS, True),
    HostMark("herdr", ("HERDR_PANE_ID",), (), "its command `herdr pane report-agent`"),
    HostMark("cmux", ("CMUX_SURFACE_ID",), ("cmux",), "its command `cmux notify`, and program status", True),
    HostMark("tuios", ("TUIOS_PANE_ID", "TUIOS_SESSION", "TUIOS_WINDOW_ID"), ("tuios",), _STATUS, True),
    HostMark("Rex", ("REX_SESSION_ID",), ("rex",), _STATUS, True),
    HostMark("Prowl", (), ("prowl",), _STATUS, True),
    HostMark("Ghostty", ("GHOSTTY_RESOURCES_DIR",), ("ghostty",), _STATUS, True),
    ORCA,
    ITERM,
    HostMark("tmux", ("TMUX",), (), "options of the pane; what it passes on reaches the terminal outside"),
    HostMark("GNU screen", ("STY",), (), "nothing, unless you say `terminal = \"always\"`"),
    HostMark("Zellij", ("ZELLIJ",), (), "JSON through the pipe `dejavu`"),
    HostMark("kitty", ("KITTY_WINDOW_ID",), ("kitty",), "variables of the window, where it listens"),
    HostMark("WezTerm", ("WEZTERM_PANE",), ("wezterm",), "variables, where you ask for them"),
)  # fmt: skip


def found(environ: Mapping[str, str]) -> list[HostMark]:
    """The hosts that are around."""
    return [mark for mark in MARKS if is_there(mark, environ)]


def is_there(mark: HostMark, environ: Mapping[str, str]) -> bool:
    """Whether one host is around."""
    if any(environ.get(variable) for variable in mark.variables):
        return True
    named = environ.get("TERM_PROGRAM", "").lower(), environ.get("TERM", "").lower()
    return any(name == named[0] or name in named[1] for name in mark.names)
