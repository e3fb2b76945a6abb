"""kitty: the state as user variables of the window, where its remote control may be used.

Tested in: tests/sessions/reporters/test_reporters.py
"""

from collections.abc import Mapping, Sequence

from .report import Report

NAME = "kitty"


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a window of kitty that listens."""
    return bool(environ.get("KITTY_WINDOW_ID") and environ.get("KITTY_LISTEN_ON"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that sets the variables."""
    return _command(environ, [f"dejavu_state={report.state}", f"dejavu_agent={report.agent}"])


def clear_command(environ: Mapping[str, str], _: Report) -> Sequence[str]:
    """The command that takes them away."""
    return _command(environ, ["dejavu_state", "dejavu_agent"])


def _command(environ: Mapping[str, str], variables: list[str]) -> list[str]:
    match = f"id:{environ['KITTY_WINDOW_ID']}"
    to = environ["KITTY_LISTEN_ON"]
    return ["kitten", "@", "--to", to, "set-user-vars", "--match", match, "--", *variables]
