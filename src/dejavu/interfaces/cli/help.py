"""How the commands explain themselves: help by sections, plain metavars, errors in one sentence.

Takes what the command line library knows of commands and errors; gives text in our words. No colour
and no boxes: help is read in pagers, by screen readers and in bug reports.
"""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

from dejavu.redact.sanitise import sanitise

SECTIONS: dict[str, tuple[str, ...]] = {
    "Read": ("list", "show", "search", "timeline", "stats", "export"),
    "Bring in": ("sync", "rescue", "ingest", "wire", "otlp"),
    "Running agents": ("status", "wait", "send", "serve"),
    "Memory": (
        "remember", "recall", "memories", "confirm", "reject", "forget", "recall-log", "rationale",
    ),
    "Into your agents": ("init", "upgrade", "uninstall", "mcp", "hook", "daemon"),
    "Care": ("doctor", "verify", "backup", "restore", "reparse", "prune", "gc", "redact"),
    "Terminals and rules": ("replay", "explain", "capture-screen"),
}  # fmt: skip
"""The commands by what one comes for; what stands nowhere comes last."""

_METAVARS = (
    (re.compile(r"<(int|float)( range)?>"), "N"),
    (re.compile(r"<(path|file)>"), "PATH"),
    (re.compile(r"<dir>"), "DIR"),
    (re.compile(r" ?<list\[\w+\]>"), ""),
    (re.compile(r"<([\w-]+(?:\|[\w-]+)+)>"), r"\1"),
)
_SAID = (
    (re.compile(r"Invalid value for '(-[\w-]+)'(?: / '-?[\w-]+')*: "), r"\1: "),
    (re.compile(r"Invalid value for '[^']+': "), ""),
    (re.compile(r"^Invalid value: |Value error, "), ""),
    (re.compile(r"Input should be a valid integer.*"), "not a whole number"),
    (re.compile(r"Input should be a valid number.*"), "not a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"must be \1 or more"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"must be \1 or less"),
    (re.compile(r"^Missing (?:argument|option) '([^'.]+)[.']*"), r"\1 is missing"),
    (re.compile(r"^No such command ('[^']*')\.?"), r"there is no command \1;"),
    (re.compile(r"^No such option: (\S+)"), r"there is no option \1;"),
    (re.compile(r"\(Possible options: ([^)]*)\)"), r"did you mean \1?"),
    (re.compile(r"Did you mean"), "did you mean"),
)


def _bare(piece: str) -> str:
    """`{ID}` is `ID`, `[[AGENT]...]...` is `[AGENT ...]`, `{query}...` is `QUERY ...`."""
    optional = piece.startswith("[")
    name = re.sub(r"[\[\]{}.]", "", piece).upper()
    many = " ..." if "..." in piece else ""
    return f"[{name}{many}]" if optional else f"{name}{many}"


class Command(TyperCommand):
    """A command that says its arguments plainly."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """`[OPTIONS] SESSION ...`."""
        return [
            p if p == self.options_metavar else _bare(p) for p in super().collect_usage_pieces(ctx)
        ]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then options; what is required needs no brackets to say so."""
        arguments: list[tuple[str, str]] = []
        options: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                name = _bare(record[0].split(" <")[0])
                arguments.append((name, _without_notes(record[1])))
            else:
                options.append((_metavars(record[0], parameter), _without_notes(record[1])))
        for title, rows in (("Arguments", arguments), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(TyperGroup):
    """All commands, by sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One table a section; every command stands in one of them."""
        left = set(self.list_commands(ctx))
        width = max((len(name) for name in left), default=0)
        for title, names in [*SECTIONS.items(), ("Other", tuple(sorted(left - _placed())))]:
            rows = [
                (name.ljust(width), command.get_short_help_str(formatter.width - width - 6))
                for name in names
                if name in left and (command := self.get_command(ctx, name)) is not None
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _placed() -> set[str]:
    return {name for names in SECTIONS.values() for name in names}


def _metavars(record: str, parameter: Any) -> str:
    for pattern, said in _METAVARS:
        record = pattern.sub(said, record)
    return re.sub(r"<[^>]*>", str(parameter.name or "text").strip("_").upper(), record)


def _without_notes(told: str) -> str:
    """Without ranges, `required` and defaults that say nothing."""
    told = re.sub(r"(; )?([\d.]+<=?)?x[<>]=?[\d.]+|(; )?required(?=\])", "", told)
    return re.sub(r"\[(default: (0|0\.0|\.))?\]$", "", told.rstrip()).rstrip()


def usage_error(error: Any) -> str:
    """One or two lines: what is wrong, and how the command is used."""
    told = str(error.format_message() if hasattr(error, "format_message") else error)
    for pattern, said in _SAID:
        told = pattern.sub(said, told)
    told = told.strip().removesuffix(";").removesuffix(".")
    context: Any = getattr(error, "ctx", None)
    if context is None:
        return sanitise(f"dejavu: {told}", newlines=False)
    path = context.command_path
    usage = " ".join(context.get_usage().split()).removeprefix("Usage: ")
    first = sanitise(f"{path}: {told}", newlines=False)
    return f"{first}\nusage: {usage}   (`{path} -h` tells more)"
