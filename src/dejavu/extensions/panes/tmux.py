"""tmux by its commands: its servers, their panes, one look at a pane, keys.

What a pane prints is followed in control mode (`tmux_client`) where that changes nothing for the
user; `why_not_attached` says where it would. Otherwise `frame` is asked again and again.

Tested in: tests/extensions/panes/test_watcher.py
"""

import os
import re
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from stat import S_ISSOCK

from dejavu.capsule.unix_socket import connect

from .drawing import GridState
from .multiplexer import Frame, Pane, PaneError, lines_of, run

_FIELDS: tuple[str, ...] = (
    "pane_id", "pane_pid", "pane_width", "pane_height", "session_id", "pane_dead",
    "pane_tty", "pane_current_command", "host", "pane_title", "pane_current_path",
)  # fmt: skip
LIST_FORMAT = "\t".join(f"#{{{field}}}" for field in _FIELDS)

_STATE: tuple[str, ...] = (
    "pane_width", "pane_height", "cursor_y", "cursor_x", "alternate_on", "cursor_flag",
    "insert_flag", "wrap_flag", "origin_flag", "scroll_region_upper", "scroll_region_lower",
    "keypad_cursor_flag", "alternate_saved_y", "alternate_saved_x", "host", "pane_title",
)  # fmt: skip
STATE_FORMAT = "\t".join(f"#{{{field}}}" for field in _STATE)

HISTORY = 2000
"""Lines of scrollback that a pane begins with: as many as the observer's terminal remembers."""

_UNATTACHED_MOST = 64
_HOOKS = ("client-attached", "client-detached", "client-session-changed", "client-active")
_ATTACH_MARK = "dejavu:"  # no hook's name begins so
_ATTACH_FORMAT = (
    _ATTACH_MARK
    + "\t#{version}\t#{focus-events}\t#{session_attached}\t#{destroy-unattached}\t#{exit-unattached}"
)
_ASKED = 5.0  # seconds that it counts whether a session may be attached to
_TOGETHER = 32  # panes that one command asks for
_BUFFER = f"dejavu-{os.getpid()}"


class Tmux:
    """The tmux servers of this user: those in tmux's folder for sockets, and `sockets`.

    `attach`: whether a client of ours may attach to their sessions; None: where tmux is not known
    to crash by it.
    """

    name = "tmux"

    def __init__(self, sockets: tuple[str, ...] = (), *, attach: bool | None = None) -> None:
        self._sockets, self._attach = sockets, attach
        self._groups: dict[str, set[str]] = {}
        self._reasons: dict[str, tuple[float, dict[str, str]]] = {}

    def servers(self) -> list[str]:
        """The paths of sockets at which a server listens."""
        folder = tmux_folder()
        try:
            found = sorted(str(path) for path in folder.iterdir())
        except OSError:
            found = []
        inside = os.environ.get("TMUX", "").split(",")[0]
        paths: list[str] = [*self._sockets, *filter(None, [inside]), *found]
        return [path for path in dict.fromkeys(paths) if _listens(path)][:_UNATTACHED_MOST]

    def panes(self, server: str) -> list[Pane]:
        """Return every pane of a server; one in several sessions is listed once."""
        text = run([*command(server), "list-panes", "-a", "-F", LIST_FORMAT])
        panes: dict[str, Pane] = {}
        for pane in parse_panes(text.decode("utf-8", "replace"), server):
            panes.setdefault(pane.id, pane)
        self._groups[server] = {pane.group for pane in panes.values()}
        return list(panes.values())

    def why_polled(self, pane: Pane) -> str:
        """Return why no client attaches to the pane's session, as it was at most `_ASKED` ago."""
        if self._attach is False:
            return "as it was asked for"
        until, reasons = self._reasons.get(pane.server, (0.0, {}))
        if time.monotonic() >= until or pane.group not in reasons:
            sessions = self._groups.get(pane.server, set()) | {pane.group}
            reasons = why_not_attached(pane.server, sorted(sessions), forced=self._attach is True)
            self._reasons[pane.server] = time.monotonic() + _ASKED, reasons
        return reasons.get(pane.group, "tmux told nothing of its session")

    def frame(self, pane: Pane) -> Frame:
        """Return the rows with their styles, and `HISTORY` lines above them."""
        (frame,) = _look(pane.server, [pane.id], history=HISTORY)
        return frame

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return what several panes show, `_TOGETHER` of them asked by one command."""
        frames: list[Frame | None] = []
        for start in range(0, len(panes), _TOGETHER):
            some = panes[start : start + _TOGETHER]
            try:
                frames += _look(some[0].server, [pane.id for pane in some])
            except PaneError:  # tmux stops at the first that is gone
                alone = ([None],) if len(some) == 1 else (self.frames([pane]) for pane in some)
                frames += chain.from_iterable(alone)
        return frames

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Type through a paste buffer of our own that tmux deletes again; `-p` brackets if asked.

        Nothing but the pane's program gets it: `send-keys` would go to a pane's copy mode, and to
        all panes where those are synchronised.
        """
        tmux = command(pane.server)
        run([*tmux, "load-buffer", "-b", _BUFFER, "-"], data=data)
        bracket = ["-p"] if paste else []
        run([*tmux, "paste-buffer", "-d", "-r", *bracket, "-b", _BUFFER, "-t", pane.id])


def _look(server: str, panes: Sequence[str], *, history: int = 0) -> list[Frame]:
    """What panes show, asked at once; with `history` of one alone.

    Raises:
        PaneError: one of them is gone, or the server does not answer.
    """
    asked: list[str] = []
    for pane in panes:
        asked += ["display-message", "-p", "-t", pane, STATE_FORMAT, ";"]
        asked += ["capture-pane", "-p", "-e", "-S", str(-history), "-t", pane, ";"]
    lines = lines_of(run([*command(server), *asked[:-1]]))[:-1]
    frames: list[Frame] = []
    start = 0
    for _ in panes:
        state = parse_state(lines[start] if start < len(lines) else "")
        # A pane's screen is as many lines as it has; what more there is comes above it.
        above = start + 1 if not history else max(start + 1, len(lines) - state.lines)
        end = above + state.lines
        frames.append(
            Frame(
                state.columns, state.lines, tuple(lines[above:end]), True, state.cursor,
                state.alternate, state.title, tuple(lines[start + 1 : above]),
                state.cursor_visible, state.application_cursor,
            )
        )  # fmt: skip
        start = end
    return frames


def tmux_folder() -> Path:
    """Where tmux puts its sockets, as its manual says."""
    return Path(os.environ.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{os.geteuid()}"  # noqa: S108 - tmux's own


def command(server: str) -> list[str]:
    """The beginning of a command for a server; it neither starts one nor reads a configuration."""
    return ["tmux", "-u", "-N", "-S", server]


def parse_panes(text: str, server: str) -> list[Pane]:
    """The panes of `list-panes -F LIST_FORMAT`; a line that is none is passed over."""
    panes: list[Pane] = []
    path = Path(server)
    label = path.name if path.parent == tmux_folder() else server
    for line in text.split("\n"):
        values = line.split("\t")
        if len(values) < len(_FIELDS):
            continue
        fields = dict(zip(_FIELDS, [*values[:10], "\t".join(values[10:])], strict=True))
        numbers = [fields[name] for name in ("pane_pid", "pane_width", "pane_height")]
        if not all(number.isdecimal() for number in numbers):
            continue
        pid, columns, lines = map(int, numbers)
        dead = fields["pane_dead"] == "1"
        panes.append(
            Pane(
                "tmux", server, fields["pane_id"], 0 if dead else pid, "", columns, lines,
                _title(fields), fields["pane_current_path"], fields["pane_current_command"],
                fields["session_id"], "" if label == "default" else label,
            )
        )  # fmt: skip
    return panes


def parse_state(line: str) -> GridState:
    """What `STATE_FORMAT` printed.

    Raises:
        PaneError: it is something else; the pane may be gone.
    """
    values = line.split("\t")
    fields = dict(zip(_STATE, [*values[:15], "\t".join(values[15:])], strict=False))
    try:
        number = {name: int(fields[name]) for name in _STATE[:12]}
    except (KeyError, ValueError) as error:
        raise PaneError(f"tmux told nothing of the pane: {line[:80]!r}") from error
    saved = [fields[name] for name in ("alternate_saved_y", "alternate_saved_x")]
    row, column = (int(text) if text.isdecimal() else 0 for text in saved)
    return GridState(
        columns=number["pane_width"],
        lines=number["pane_height"],
        cursor=(number["cursor_y"], number["cursor_x"]),
        alternate=bool(number["alternate_on"]),
        cursor_visible=bool(number["cursor_flag"]),
        insert=bool(number["insert_flag"]),
        autowrap=bool(number["wrap_flag"]),
        origin=bool(number["origin_flag"]),
        region=(number["scroll_region_upper"], number["scroll_region_lower"]),
        application_cursor=bool(number["keypad_cursor_flag"]),
        saved_cursor=(row if row < 1 << 16 else 0, column if column < 1 << 16 else 0),
        title=_title(fields),
    )


def why_not_attached(
    server: str, sessions: Sequence[str], *, forced: bool = False
) -> dict[str, str]:
    """Why a client of ours must not attach, by session; empty where it changes nothing.

    tmux counts a control client among the session's clients. So it runs the user's hooks, keeps
    alive what ends with its last client, and, where focus is reported, hides from a program that
    its user looks elsewhere. One command, whatever the number of sessions. `forced`: whatever the
    server's version.

    Raises:
        PaneError: the server does not answer, or one of the sessions is gone.
    """
    asked = ["show-hooks", "-g"]
    for session in sessions:
        asked += [";", "display-message", "-p", "-t", session, _ATTACH_FORMAT]
        asked += [";", "show-hooks", "-t", session]
    lines = run([*command(server), *asked]).decode("utf-8", "replace").split("\n")
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(_ATTACH_MARK):
            blocks.append([])
        blocks[-1].append(line)
    return {
        session: _reason(first, [*blocks[0], *hooks], forced=forced)
        for session, (first, *hooks) in zip(sessions, blocks[1:], strict=False)
    }


def _reason(state: str, hooks: Sequence[str], *, forced: bool) -> str:
    """Why not, from what `_ATTACH_FORMAT` and `show-hooks` printed."""
    _, version, focus, attached, destroy, leave = state.split("\t")
    if not (forced or is_safe(version)):
        return f"tmux {version} can crash as a client in control mode connects, 3.7 cannot"
    set_off = ("", "0", "off")
    if focus not in set_off and attached not in set_off:
        return "its terminal reports focus"
    if destroy not in set_off or leave not in set_off:
        return "it ends with its last client"
    for line in hooks:
        name, _, what = line.partition(" ")
        if what and name.partition("[")[0] in _HOOKS:
            return f"a hook is set for {name.partition('[')[0]}"
    return ""


def is_safe(version: str) -> bool:
    """Whether a client in control mode may connect to a tmux of this version at any moment.

    Up to 3.6 the server follows a null pointer, and every session in it ends, where a session
    comes or goes between a client's first message and its last (tmux's #4980 and #5004), or after
    `select-window ; kill-session` while one is attached (#5243).
    """
    found = re.fullmatch(r"(\d+)\.(\d+)[a-z]?", version)
    return found is not None and (int(found[1]), int(found[2])) >= (3, 7)


def _title(fields: dict[str, str]) -> str:
    """The title that a program set; tmux gives a pane without one the host's name."""
    title = fields.get("pane_title", "")
    return "" if title == fields.get("host") else title


def _listens(path: str) -> bool:
    """Whether a server answers at a socket of our own."""
    try:
        info = os.stat(path)  # noqa: PTH116 - one stat, no second `Path`
        if not S_ISSOCK(info.st_mode) or info.st_uid != os.geteuid():
            return False
        connect(Path(path), 0.5).close()
    except OSError:
        return False
    return True
