"""herdr: its own command says what the agent in a pane does, so that its own guess steps back.

Its states are working, blocked, idle and unknown; `done` and `error` are `idle` to it, with a
message. `Metadata` is what it only shows: the session's name as title, and `error` where it would
show `idle`. By herdr 0.9; no session id is sent, for herdr would resume the agent by it.

Tested in: tests/sessions/reporters/test_reporters.py
"""

from collections.abc import Mapping, Sequence

from .report import Report

NAME = "herdr"
_SOURCE = "custom:dejavu"
_STATES = ("working", "blocked", "idle", "unknown")


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a pane of herdr."""
    return bool(environ.get("HERDR_PANE_ID"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that reports the state."""
    state = report.state if report.state in _STATES else "idle"
    message = report.message or (report.state if report.state != state else "")
    return [
        *_pane(environ, "report-agent"),
        "--agent", report.agent, "--state", state,
        *(["--message", message] if message else []),
    ]  # fmt: skip


def clear_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that lets herdr guess again."""
    return [*_pane(environ, "release-agent"), "--agent", report.agent]


class Metadata:
    """What herdr shows next to the state, by a separate command."""

    NAME = "herdr's list"

    @staticmethod
    def is_here(environ: Mapping[str, str]) -> bool:
        """Whether the agent runs in a pane of herdr."""
        return is_here(environ)

    @staticmethod
    def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
        """The command that says how the pane is called and its state worded."""
        failed = report.state == "error"
        title = ["--title", report.name] if report.name else ["--clear-title"]
        label = ["--state-label", "idle=error"] if failed else ["--clear-state-labels"]
        return [*_pane(environ, "report-metadata"), "--agent", report.agent, *title, *label]

    @staticmethod
    def clear_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
        """The command that takes both back."""
        clear = ["--clear-title", "--clear-state-labels"]
        return [*_pane(environ, "report-metadata"), "--agent", report.agent, *clear]


def _pane(environ: Mapping[str, str], verb: str) -> list[str]:
    program = environ.get("HERDR_BIN_PATH") or "herdr"
    return [program, "pane", verb, environ["HERDR_PANE_ID"], "--source", _SOURCE]
