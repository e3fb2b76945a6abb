"""herdr: its own command says what the agent in a pane does, so that its own guess steps back.

It knows three states; `done`, `error` and what is not known are `idle` to it, with a message.
"""

from collections.abc import Mapping, Sequence

from .report import Report

NAME = "herdr"
_SOURCE = "custom:dejavu"
_STATES = {"working": "working", "blocked": "blocked"}


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a pane of herdr."""
    return bool(environ.get("HERDR_PANE_ID"))


def told(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that reports the state."""
    message = report.message or (report.state if report.state not in _STATES else "")
    return [
        *_pane(environ, "report-agent"),
        "--agent", report.agent, "--state", _STATES.get(report.state, "idle"),
        "--agent-session-id", report.session,
        *(["--message", message] if message else []),
    ]  # fmt: skip


def left(environ: Mapping[str, str], _: Report) -> Sequence[str]:
    """The command that lets herdr guess again."""
    return _pane(environ, "release-agent")


def _pane(environ: Mapping[str, str], verb: str) -> list[str]:
    program = environ.get("HERDR_BIN_PATH") or "herdr"
    return [program, "pane", verb, environ["HERDR_PANE_ID"], "--source", _SOURCE]
