"""`dejavu show ID`: one conversation or some of its turns, as text or JSON. O(turns shown).

What only one of the forms needs is imported where it is used.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import open_archive, resolve
from dejavu.archive.compactions import last_compaction
from dejavu.config.extensions import parts
from dejavu.model import (
    ConfigError,
    Conversation,
    InvalidValueError,
    NotFoundError,
    Role,
    Vector,
    conversation_to_dict,
    turn_to_dict,
)
from dejavu.model.conversation import turn_number
from dejavu.model.plural import counted

from ..command_line.output import chosen as chosen_fields
from ..command_line.output import coloured, formatted, one_line, print_json, print_jsonl, style
from ..command_line.parameters import Argument, Option
from ..command_line.terminal import on_terminal, print_lines, width
from ..turn_range import TurnRange, parse_turns, split_anchor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dejavu.archive import Archive
    from dejavu.model import Turn

    from ..command_line.parameters import JsonFields, JsonLines, Template


def command(
    conversation_id: Annotated[
        str | None,
        Argument(
            metavar="ID",
            help="An id or unique prefix, or `last`, `last~1` ...; `ID#12` and `ID#last` are turns.",
            complete="conversations",
        ),
    ] = None,
    turns: Annotated[
        str | None,
        Option("--turns", metavar="RANGE", help="Only these turns: 10-20, 10, 10-, -20 or last."),
    ] = None,
    prompts: Annotated[bool, Option("--prompts", help="Only what the user said.")] = False,
    oneline: Annotated[bool, Option("--oneline", help="One line a turn, with times.")] = False,
    tools: Annotated[
        bool, Option("--tools", help="On a terminal: unfold tool calls and their answers.")
    ] = False,
    full: Annotated[bool, Option("--full", help="Show all reasoning and tool output.")] = False,
    provenance: Annotated[
        bool, Option("--provenance", help="Show the source and bytes of each turn.")
    ] = False,
    resume: Annotated[
        bool, Option("--resume", help="Print the command that resumes it in its agent.")
    ] = False,
    commit: Annotated[
        str | None,
        Option(
            "--commit", metavar="SHA", help="Show the conversations of a git commit.", hidden=True
        ),
    ] = None,
    before_compaction: Annotated[
        bool,
        Option(
            "--before-compaction",
            help="Only the turns before the agent last compacted its context.",
        ),
    ] = False,
    no_pager: Annotated[bool, Option("--no-pager", help="Print without a pager.")] = False,
    format: Template = None,  # noqa: A002 - the option's name
    json: JsonFields = False,
    jsonl: JsonLines = False,
) -> None:
    """Show one conversation."""
    if commit is not None:
        if conversation_id is not None:
            raise InvalidValueError("--commit takes the place of an id")
        _print_commit(commit, as_json=json or jsonl)
        return
    if conversation_id is None:
        raise InvalidValueError("name a conversation; `last` is the newest")
    if oneline:
        from ..command_line.timeline import print_timeline  # of use to this form alone

        print_timeline(conversation_id, json=json, jsonl=jsonl)
        return
    name, chosen = _named(conversation_id, turns)
    with open_archive() as archive, archive.views.shared():
        identity = resolve(archive, name)
        chosen = _within(archive, identity, chosen, before_compaction=before_compaction)
        if format is not None:
            document = conversation_to_dict(archive.summary(identity))
            print_lines(formatted([document], format), paged=False)
            return
        if resume:
            _print_resume(archive.summary(identity))
            return
        summary, shown = _read(archive, identity, chosen, prompts=prompts)
        at, some = None if chosen is None else chosen.at, prompts or chosen is not None
        if not (json or jsonl or provenance):
            lines = _drawn(summary, shown, at, tools=tools, full=full, numbered=some)
            print_lines(lines, paged=not no_pager)
            return
        conversation = msgspec.structs.replace(summary, turns=tuple(shown))
        known = _provenance_of(archive, conversation.id) if provenance else None
    if json:
        document = conversation_to_dict(conversation, turns=True, provenance=provenance)
        print_json(chosen_fields([document | ({"provenance": known} if known else {})])[0])
    elif jsonl:
        print_jsonl(turn_to_dict(turn, provenance=provenance) for turn in conversation.turns)
    elif known:
        lines = _with_provenance(conversation, known, full=full, numbered=some, at=at)
        print_lines(lines, paged=not no_pager)


def _named(conversation_id: str, turns: str | None) -> tuple[str, TurnRange | None]:
    """Return the conversation's name, and the turns that were chosen with it or by an option.

    Raises:
        InvalidValueError: they were chosen twice, or are not turns.
    """
    name, anchor = split_anchor(conversation_id)
    if turns is not None and anchor is not None:
        raise InvalidValueError("turns are named twice: by # and by --turns")
    return name, anchor if turns is None else parse_turns(turns)


def _drawn(
    summary: Conversation,
    turns: Iterable[Turn],
    at: int | None,
    *,
    tools: bool,
    full: bool,
    numbered: bool,
) -> Iterator[str]:
    """Return the lines of a conversation: as a page on a terminal, else as text."""
    if on_terminal():
        from ..command_line.conversation_lines import TerminalPage  # Rich is slow to load

        page = TerminalPage(width(), coloured=coloured(), tools=tools, full=full)
        return page.lines(summary, turns, at=at)
    from dejavu.export.text import as_text

    return as_text(summary, turns, paint=style, full=full, numbered=numbered, at=at)


def _with_provenance(
    conversation: Conversation, known: dict[str, Any], *, full: bool, numbered: bool, at: int | None
) -> Iterator[str]:
    """Return the lines of a conversation as text, then where it is from."""
    from dejavu.export.text import as_text

    lines = as_text(
        conversation, paint=style, coloured=coloured(), full=full, numbered=numbered, at=at
    )
    return chain(lines, _provenance(conversation, **known))


def _within(
    archive: Archive, identity: str, chosen: TurnRange | None, *, before_compaction: bool
) -> TurnRange | None:
    """The turns that are meant, where some are counted from the end or end at a compaction.

    Raises:
        InvalidValueError: turns are named in two ways.
    """
    if before_compaction:
        if chosen is not None:
            raise InvalidValueError("--before-compaction takes the place of other turns")
        return TurnRange(0, last_compaction(archive, archive.resolve(identity)).seq)
    if chosen is not None and chosen.start < 0:
        return chosen.within(archive.summary(identity).turn_count)
    return chosen


def _provenance_of(archive: Archive, identity: str) -> dict[str, Any]:
    """The sources of a conversation, and what they do not agree on."""
    from dejavu.ingest.merge.provenance import disagreements, sources_of

    return {
        "sources": sources_of(archive, identity), "disagreement": disagreements(archive, identity),
    }  # fmt: skip


def _print_commit(commit: str, *, as_json: bool) -> None:
    """The conversations of a git commit, by the extension that knows them."""
    for part in parts("show_commit"):
        part.print_commit(commit, as_json=as_json)
        return
    raise ConfigError("--commit needs the extension `code`, which is not installed")


def _read(
    archive: Archive, identity: str, chosen: TurnRange | None, *, prompts: bool
) -> tuple[Conversation, Iterator[Turn]]:
    """The conversation, and the turns that are meant, a block of them in memory at a time.

    Raises:
        NotFoundError: there is no such turn.
    """
    summary = archive.summary(identity)
    if chosen is None:
        turns = archive.turns(identity)
    else:
        last = summary.turn_count - 1
        if (chosen.start if chosen.at is None else chosen.at) > last:
            raise NotFoundError(f"{summary.id} has {counted(last + 1, 'turn')}")
        turns = archive.turns(summary.id, chosen.start, chosen.stop)
    if prompts:
        turns = (turn for turn in turns if turn.role == Role.USER)
    return summary, turns


def _print_resume(summary: Conversation) -> None:
    """A line for a shell: `eval "$(dejavu show last --resume)"`."""
    from dejavu.providers.resume import resume_line

    command = resume_line(summary)
    if command is None:
        raise NotFoundError(f"no command is known that resumes a session of {summary.agent}")
    print(command)


def _provenance(
    conversation: Conversation,
    sources: list[dict[str, Any]],
    disagreement: dict[str, dict[str, int]],
) -> Iterator[str]:
    """The sources by number, what they do not agree on, and where each turn came from."""
    from dejavu.ingest.merge.parts import REPAIRED_BY, SOURCE
    from dejavu.ingest.merge.provenance import describe_counts

    yield ""
    yield f"source: {one_line(conversation.source or 'none')}"
    for number, source in enumerate(sources, 1):
        label, name = Vector(source["vector"]).label, one_line(source["name"])
        yield f"[{number}] {label}: {name}, {source['bytes']} bytes"
    for vector, counts in disagreement.items():
        yield f"{Vector(vector).label}: {describe_counts(counts)}"
    numbers = {source["key"]: number for number, source in enumerate(sources, 1)}
    for turn in conversation.turns:
        spans = ", ".join(f"{span.offset}+{span.length}" for span in turn.spans) or "-"
        source_number = numbers.get(str(turn.meta.get(SOURCE)), 1)
        repaired_from = turn.meta.get(REPAIRED_BY)
        note = f", text from [{numbers.get(str(repaired_from), repaired_from)}]"
        line = f"{turn_number(turn.seq):4} {turn.role:9} {turn.vector.label:14} [{source_number}] bytes {spans}"
        yield line + (note if repaired_from else "")
