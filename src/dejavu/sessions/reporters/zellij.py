"""Zellij: every change goes to its plugins, as JSON through the pipe `dejavu`.

Tested in: tests/sessions/reporters/test_reporters.py
"""

import json
from collections.abc import Mapping, Sequence

from .report import Report

NAME = "zellij"


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a pane of Zellij."""
    return bool(environ.get("ZELLIJ") is not None and environ.get("ZELLIJ_PANE_ID"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that sends the state with the pane's number."""
    payload = {"pane": environ["ZELLIJ_PANE_ID"], **report._asdict()}
    session = environ.get("ZELLIJ_SESSION_NAME")
    where = ["--session", session] if session else []
    return ["zellij", *where, "pipe", "--name", "dejavu", "--", json.dumps(payload)]


def clear_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The same, with the last state."""
    return update_command(environ, report._replace(state="exited", message=""))
