"""tmux: the state as options of the pane, which status lines and formats show as `#{@dejavu_state}`.

Options: `@dejavu_state`, `@dejavu_agent`, `@dejavu_name`, `@dejavu_session`, `@dejavu_message`. They
go with the session. tmux draws its status line anew when an option is set.
"""

from collections.abc import Mapping, Sequence

from .report import Report

NAME = "tmux"
OPTIONS = ("state", "agent", "name", "session", "message")


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether the agent runs in a pane of tmux."""
    return bool(environ.get("TMUX") and environ.get("TMUX_PANE"))


def update_command(environ: Mapping[str, str], report: Report) -> Sequence[str]:
    """The command that sets the options."""
    values = report._asdict()
    return _command(environ, [(f"@dejavu_{name}", _value(values[name])) for name in OPTIONS])


def clear_command(environ: Mapping[str, str], _: Report) -> Sequence[str]:
    """The command that takes them away."""
    return _command(environ, [(f"@dejavu_{name}", None) for name in OPTIONS])


def _command(environ: Mapping[str, str], options: list[tuple[str, str | None]]) -> list[str]:
    command = ["tmux", "-S", environ["TMUX"].rsplit(",", 2)[0]]
    for place, (name, value) in enumerate(options):
        command += [";"] * (place > 0) + ["set-option", "-p"]
        command += ["-u"] * (value is None) + ["-t", environ["TMUX_PANE"], name]
        command += [] if value is None else [value]
    return command


def _value(text: str) -> str:
    """`text` that is neither a format nor, by a `;` at its end, the beginning of a command."""
    text = text.replace("#", "")
    return f"{text[:-1]}\\;" if text.endswith(";") else text
