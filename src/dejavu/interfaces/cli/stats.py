"""`dejavu stats`: conversations, turns, tokens and cost, by agent, model, project and day.

Costs O(conversations) and O(turns of what changed since the last time): sums are kept in a derived
file in the archive's folder, which may be deleted at any time.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import open_archive
from dejavu.archive.redactor import archive_redactor
from dejavu.export.stats import Measure, UsageTotals, as_lines, as_page, as_table, notes
from dejavu.model import ConversationFilter, InvalidValueError

from ..command_line.output import chosen, formatted, print_json, print_note, style
from ..command_line.parameters import Option
from ..command_line.terminal import folder, print_lines
from ..filters import check_names, check_range, resolve_filter
from ..usage import last_day, usage

if TYPE_CHECKING:
    from dejavu.export.stats.figures import Figures

    from ..command_line.parameters import (
        Agent,
        Instance,
        JsonFields,
        Project,
        Side,
        Since,
        Template,
        Until,
        Workspace,
    )


class By(StrEnum):
    """What a table has a row for."""

    DAY = "day"
    MONTH = "month"
    BLOCK = "block"
    AGENT = "agent"
    MODEL = "model"
    PROJECT = "project"
    WORKSPACE = "workspace"
    CONVERSATION = "conversation"


def command(
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    since: Since = None,
    until: Until = None,
    measure: Annotated[
        Measure, Option("--measure", "-m", help="What bars and calendar count.")
    ] = Measure.TURNS,
    by: Annotated[
        By | None, Option("--by", "-b", help="A table with a row for each of these.")
    ] = None,
    side: Side = False,
    project: Project = None,
    html: Annotated[bool, Option("--html", help="Print a page, or write it to -o.")] = False,
    output: Annotated[
        Path | None, Option("--output", "-o", help="The file of the page; replaced.")
    ] = None,
    format: Template = None,  # noqa: A002 - the option's name
    json: JsonFields = False,
) -> None:
    """Show turns, tokens and cost by agent, model and day.

    Costs are as agents report them; `~` marks an estimate at list prices.
    """
    if html and (json or by):
        raise InvalidValueError("--html shows everything: leave --json and --by out")
    if format is not None and by is None:
        raise InvalidValueError("--format prints rows: add --by")
    if output is not None and not html:
        raise InvalidValueError("-o is for the page: add --html")
    wanted = ConversationFilter(
        workspace=workspace, instance=instance, agent=agent, since=since, until=until, side=side,
        project=project,
    )  # fmt: skip
    check_range(wanted)
    with open_archive() as archive:
        counted = usage(
            archive, resolve_filter(archive, wanted), each=by is By.CONVERSATION,
            blocks=json or by is By.BLOCK,
        )  # fmt: skip
        if not counted.total.conversations:
            check_names(archive, agent=agent, instance=instance)
    if json:
        print_json(_document(counted, by))
    elif format is not None and by is not None:
        print_lines(formatted(counted.rows(by.value), format), paged=False)
    elif html:
        _write(as_page(_redacted(counted), today=last_day(until), measure=measure), output)
    else:
        columns, today = shutil.get_terminal_size((100, 24)).columns, last_day(until)
        lines = (
            as_table(counted, by.value, width=columns, paint=style, place=folder)
            if by
            else as_lines(
                counted, today=today, width=columns, paint=style, measure=measure, place=folder
            )
        )
        print_lines(lines)
        for note in notes(counted):
            print_note(note)


def _redacted(counted: UsageTotals) -> UsageTotals:
    """The figures of groups whose names are redacted."""
    redact = archive_redactor().redact

    def named(groups: dict[str, Figures]) -> dict[str, Figures]:
        return {redact(name): figures for name, figures in groups.items()}

    return msgspec.structs.replace(
        counted, agents=named(counted.agents), projects=named(counted.projects),
        workspaces=named(counted.workspaces), models=named(counted.models),
    )  # fmt: skip


def _document(counted: UsageTotals, by: By | None) -> dict[str, Any]:
    document = counted.to_dict()
    if by is None:
        return chosen([document])[0]
    shared = {name: document[name] for name in ("total", "unpriced", "prices")}
    return {f"{by.value}s": chosen(counted.rows(by.value)), "next": None, **shared}


def _write(pieces: Iterator[str], output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.writelines(piece.encode() for piece in pieces)
        return
    output.touch(mode=0o600)
    with output.open("w", encoding="utf-8") as file:
        file.writelines(pieces)
