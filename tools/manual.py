"""Write the man pages `dejavu.1` and `dejavu-run.1`, in roff, from the commands themselves.

    make docs

A test holds docs/man to it. `man ./docs/man/dejavu.1` shows one.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from dejavu.interfaces.command_line.commands import GROUPS, in_group
from dejavu.interfaces.command_line.entry import HEADINGS, REST
from dejavu.interfaces.command_line.help import description, examples, shown_parameters
from dejavu.interfaces.run import parser

_FILES = (
    ("~/.config/dejavu", "settings and rule packs; DEJAVU_CONFIG_HOME names another folder"),
    ("~/.local/share/dejavu", "the archive; DEJAVU_DATA_HOME or DEJAVU_ARCHIVE names another"),
    ("~/.local/state/dejavu", "running sessions, logs; DEJAVU_STATE_HOME names another folder"),
)
_VARIABLES = (
    ("DEJAVU_ARCHIVE", "where the archive is"),
    ("DEJAVU_INSTANCE", "the name of this machine or container in the archive"),
    ("DEJAVU_PROJECT", "the project of what a container holds, where git names no remote"),
    ("DEJAVU_PLAIN", "browse by lines, as --plain does"),
    ("DEJAVU_SESSION", "set in a wrapped agent: the session it runs in"),
    ("DEJAVU_DEBUG", "write diagnostics to stderr, as -v does"),
    ("NO_COLOR", "no colours"),
    ("PAGER", "what the browser's key o opens"),
)
_EXITS = (
    ("0", "ok"), ("1", "failed"), ("2", "usage error"), ("3", "not found"),
    ("4", "archive locked or damaged"), ("130", "interrupted"),
    ("141", "the reader of standard output is gone"),
)  # fmt: skip


def _roff(text: str) -> str:
    """Text with nothing in it that roff would read as a request."""
    escaped = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped[:1] in {".", "'"} else escaped


def _items(items: Iterator[tuple[str, str]] | tuple[tuple[str, str], ...]) -> Iterator[str]:
    for name, text in items:
        yield from (".TP", f"\\fB{_roff(name)}\\fR", _roff(text))


def _header(name: str, summary: str, usage: str) -> list[str]:
    title = name.upper().replace("-", "\\-")
    return [
        f'.TH {title} 1 "" "Déjà Vu" "User Commands"',
        ".SH NAME", f"{_roff(name)} \\- {_roff(summary)}",
        ".SH SYNOPSIS", f"\\fB{_roff(name)}\\fR {_roff(usage)}",
    ]  # fmt: skip


def _parameters(name: str) -> Iterator[tuple[str, str]]:
    for one in shown_parameters(name):
        yield one.label if one.is_argument else ", ".join(one.on), one.description


def dejavu_page() -> str:
    """`dejavu.1`: every command by group, with its options."""
    lines = _header("dejavu", "see past agent conversations again", "[COMMAND] [OPTIONS]")
    lines += [
        ".SH DESCRIPTION",
        _roff("Without a command, the browser of everything your coding agents said; by lines with "
              "--plain. Data goes to standard output, everything else to standard error. Every "
              "command takes -h."),
    ]  # fmt: skip
    for heading in (*HEADINGS, *GROUPS, *REST):
        lines.append(f".SH {heading.upper()}")
        for name in in_group(heading):
            lines += [f'.SS "dejavu {_roff(name)}"', _roff(description(name))]
            lines += _items(_parameters(name))
            lines += [".PP", "Examples:", ".PP"]
            for line in examples(name):
                lines += [f"\\fB{_roff(line)}\\fR", ".br"]
    for title, items in (
        ("ENVIRONMENT", _VARIABLES), ("FILES", _FILES), ("EXIT STATUS", _EXITS)
    ):  # fmt: skip
        lines += [f".SH {title}", *_items(items)]
    return "\n".join([*lines, ".SH SEE ALSO", "\\fBdejavu\\-run\\fR(1)"]) + "\n"


def dejavu_run_page() -> str:
    """`dejavu-run.1`."""
    wrapper = parser()
    lines = _header("dejavu-run", "run a coding agent unchanged and keep the conversation",
                  "[OPTIONS] [--] AGENT [ARGS ...]")  # fmt: skip
    lines += [".SH DESCRIPTION", _roff(wrapper.description or ""), ".SH OPTIONS"]
    lines += _items(
        (
            " ".join([", ".join(one.option_strings), str(one.metavar or "")]).strip(),
            (one.help or "") % {"default": one.default},
        )
        for one in wrapper._actions
        if one.option_strings
    )
    lines += [".SH EXIT STATUS", _roff(
        "The agent's own; 128+n when signal n ended it, 127 when it was not found."
    ), ".SH SEE ALSO", "\\fBdejavu\\fR(1)"]  # fmt: skip
    return "\n".join(lines) + "\n"


PAGES = {"dejavu.1": dejavu_page, "dejavu-run.1": dejavu_run_page}


def main() -> None:
    """Write the pages into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
