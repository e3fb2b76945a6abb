"""cmux: a notification on the agent's surface when a person should look.

Tested in: tests/sessions/reporters/test_reporters.py
"""

from collections.abc import Mapping, Sequence

from .report import Report

NAME = "cmux"


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs on a surface of cmux."""
    return bool(environ.get("CMUX_SURFACE_ID"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str] | None:
    """The command that notifies; None while no one needs to look."""
    if not report.needs_person:
        return None
    return [
        "cmux", "notify", "--title", report.name, "--subtitle", report.state,
        "--body", report.message, "--surface", environ["CMUX_SURFACE_ID"],
    ]  # fmt: skip


def clear_command(_: Mapping[str, str], __: Report) -> None:
    """Nothing: what was notified stays until it is read."""
