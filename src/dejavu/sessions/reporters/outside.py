"""The terminal outside tmux or GNU screen: whether and through which layers it can be told.

It is not asked whether it knows program status: the multiplexer would type its answer into whichever
pane is active. tmux says which terminal it runs in and whether it passes sequences on
(`allow-passthrough`); one that is known to show program status gets it. GNU screen says neither, and
of tmux inside a multiplexer no more is known: they are used where the operator says `always`.
Informs no host. Cost: at most one run of tmux, bounded by a second.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from . import tmux
from .marks import MARKS

_NOT_ID = re.compile(r"[^A-Za-z0-9_.+-]")


class WayOut(NamedTuple):
    """How a terminal outside is reached: `layers` from the inside, `record` for this pane, its name."""

    layers: tuple[str, ...]
    record: str
    terminal: str


def way_out(environ: Mapping[str, str], setting: str) -> WayOut | None:
    """Return the way to the terminal outside; None where there is none, or it is not to be told."""
    if setting == "never":
        return None
    term, always = environ.get("TERM", ""), setting == "always"
    if environ.get("TMUX"):
        return _through_tmux(environ, always)
    if environ.get("STY") and term.startswith("screen") and always:
        return WayOut(("screen",), f"window.{_as_id(environ.get('WINDOW', ''))}", "")
    return None


def terminals(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """TERM and own name of each terminal that shows the pane of a tmux which passes sequences on."""
    if not _is_in_tmux(environ):
        return []
    pane = environ["TMUX_PANE"]
    lines = tmux.answer(
        environ,
        ["show-options", "-Apqv", "-t", pane, "allow-passthrough", ";",
         "list-clients", "-t", pane, "-F", "#{client_termname}\t#{client_termtype}"],
    ).splitlines()  # fmt: skip
    if len(lines) < 2 or lines[0] not in ("on", "all"):
        return []
    found = (line.partition("\t") for line in lines[1:])
    return [(name, kind) for name, _, kind in found]


def _is_in_tmux(environ: Mapping[str, str]) -> bool:
    """Whether tmux itself is around: a terminal that was started from a pane inherits TMUX."""
    term = environ.get("TERM", "")
    in_tmux = term.startswith("tmux") or (term.startswith("screen") and not environ.get("STY"))
    return in_tmux and tmux.is_here(environ)


def _through_tmux(environ: Mapping[str, str], always: bool) -> WayOut | None:
    """The way through a tmux that passes sequences on, by its own word."""
    record = f"pane.{_as_id(environ.get('TMUX_PANE', ''))}"
    for name, kind in terminals(environ):
        inner = _multiplexer(name, kind)
        if inner and always:
            return WayOut(("tmux", inner), record, kind or name)
        if not inner and (always or _knows_status(name, kind)):
            return WayOut(("tmux",), record, kind or name)
    return None


def _multiplexer(name: str, kind: str) -> str:
    """The multiplexer that a client runs in, by its TERM and its own name; empty for a terminal."""
    if kind.startswith("tmux") or name.startswith("tmux"):
        return "tmux"
    return "screen" if name.startswith("screen") and not kind else ""


def _knows_status(name: str, kind: str) -> bool:
    """Whether a terminal with this TERM and of this kind is one that shows program status."""
    said = f"{name} {kind}".lower()
    return any(mark.knows_status and any(one in said for one in mark.names) for mark in MARKS)


def _as_id(text: str) -> str:
    return _NOT_ID.sub("", text)[:16] or "0"
