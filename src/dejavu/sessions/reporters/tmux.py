"""tmux: the state as options of the pane, which status lines and formats show as `#{@dejavu_state}`.

Options: `@dejavu_state`, `@dejavu_agent`, `@dejavu_name`, `@dejavu_session`, `@dejavu_message`. They
go with the session. tmux redraws its status line when an option is set.

Tested in: tests/sessions/reporters/test_reporters.py
"""

import subprocess
from collections.abc import Mapping, Sequence

from ..priority import ATTENTION
from .report import Report

NAME = "tmux"
OPTIONS = ("state", "agent", "name", "session", "message")


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a pane of tmux."""
    return bool(environ.get("TMUX") and environ.get("TMUX_PANE"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that sets the options."""
    values = report._asdict()
    return _command(environ, [(f"@dejavu_{name}", plain_text(values[name])) for name in OPTIONS])


def clear_command(environ: Mapping[str, str], _: Report) -> Sequence[str]:
    """The command that takes them away."""
    return _command(environ, [(f"@dejavu_{name}", None) for name in OPTIONS])


def window(environ: Mapping[str, str]) -> str:
    """Where the pane is, as `SESSION:WINDOW` by name; empty where tmux does not say. At most 1 s."""
    if not is_here(environ):
        return ""
    name = "#{session_name}:#{window_name}"
    return answer(environ, ["display-message", "-p", "-t", environ["TMUX_PANE"], name])


def most_urgent(environ: Mapping[str, str], report: Report) -> Report:
    """The report that a terminal gets which shows one state for all panes of a tmux session.

    It is `report`, or that of the other pane whose agent needs a person more. At most 1 s.
    """
    fields = "\t".join(
        ["#{pane_id}", *(f"#{{@dejavu_{name}}}" for name in ("state", "agent", "message"))]
    )
    lines = answer(environ, ["list-panes", "-s", "-t", environ["TMUX_PANE"], "-F", fields])
    reports = [report]
    for line in lines.splitlines():
        pane, state, agent, message = (*line.split("\t", 3), "", "", "")[:4]
        if pane != environ["TMUX_PANE"] and state in ATTENTION:
            reports.append(report._replace(state=state, agent=agent, message=message))
    return min(reports, key=lambda one: ATTENTION.index(one.state))


def answer(environ: Mapping[str, str], question: list[str]) -> str:
    """What tmux prints for a command; empty where it fails. At most 1 s."""
    try:
        done = subprocess.run(
            ["tmux", "-S", environ["TMUX"].rsplit(",", 2)[0], *question],
            capture_output=True, text=True, errors="replace", timeout=1, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _command(environ: Mapping[str, str], options: list[tuple[str, str | None]]) -> list[str]:
    command = ["tmux", "-S", environ["TMUX"].rsplit(",", 2)[0]]
    for place, (name, value) in enumerate(options):
        command += [";"] * (place > 0) + ["set-option", "-p"]
        command += ["-u"] * (value is None) + ["-t", environ["TMUX_PANE"], name]
        command += [] if value is None else [value]
    return command


def one_word(text: str) -> str:
    """`text` as an argument of tmux that no `;` at its end makes the end of a command."""
    return f"{text[:-1]}\\;" if text.endswith(";") else text


def plain_text(text: str) -> str:
    """The same where tmux expands formats: without `#`, since `#(command)` runs a command."""
    return one_word(text.replace("#", ""))
