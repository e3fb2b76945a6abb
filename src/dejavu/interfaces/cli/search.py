"""`dejavu search QUERY`: turns that hold the words, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive import Hit
from dejavu.archive.access import NoArchiveError
from dejavu.archive.search.query import as_term
from dejavu.ingest.catch_up import open_current
from dejavu.model import (
    Conversation,
    ConversationFilter,
    InvalidValueError,
    NotFoundError,
    Role,
    to_iso,
)
from dejavu.model.conversation import turn_name

from ..command_line.hit_lines import hit_lines
from ..command_line.output import (
    chosen,
    formatted,
    one_line,
    print_json,
    print_jsonl,
    print_note,
)
from ..command_line.parameters import Argument, Option
from ..command_line.terminal import print_lines
from ..filters import check_names, check_range, resolve_filter
from ..search_answer import NOTHING, SearchAnswer, search

if TYPE_CHECKING:
    from ..command_line.parameters import (
        Agent,
        Instance,
        JsonFields,
        JsonLines,
        Limit,
        Offset,
        Side,
        Since,
        Template,
        Until,
        Workspace,
    )


def command(
    query: Annotated[
        list[str],
        Argument(
            help='Words, "a phrase", or a filter such as role:user. Names are split at case and _.'
        ),
    ],
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    role: Annotated[Role | None, Option("--role", help="Only turns of this role.")] = None,
    tool: Annotated[str | None, Option("--tool", help="Only turns that use this tool.")] = None,
    path: Annotated[str | None, Option("--path", help="Only turns about this file.")] = None,
    exact: Annotated[
        bool, Option("--exact", help="Match the text literally, in every kind of content.")
    ] = False,
    regex: Annotated[
        bool, Option("--regex", help="Read all of the query as a regular expression.")
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    offset: Offset = 0,
    side: Side = False,
    show: Annotated[bool, Option("--open", help="Show the best hit in its conversation.")] = False,
    format: Template = None,  # noqa: A002 - the option's name
    json: JsonFields = False,
    jsonl: JsonLines = False,
) -> None:
    """Search the text of all conversations.

      retry budget          either word; "ring buffer": in this order; retr*: prefix
      -java, -"old way"     without these
      agent:codex in:shop   one agent, one project; also path:src/net, role:user
      after:2d re:/tim.*t/  by time, also before:yesterday; by a regular expression

    All of it: `dejavu help query`.
    """
    text = " ".join(query)
    if not text.strip() and tool is None and path is None:
        raise InvalidValueError("the query is empty; give words, or --path or --tool")
    if regex and exact:
        raise InvalidValueError("--regex and --exact exclude each other")
    wanted = ConversationFilter(
        workspace=workspace, instance=instance, agent=agent, role=role, tool=tool, path=path,
        since=since, until=until, side=side,
    )  # fmt: skip
    check_range(wanted)
    flat = json or jsonl or format is not None
    answer, extent = NOTHING, None
    try:
        with open_current(print_note) as (archive, extent):
            answer = search(
                archive, as_term(text) if regex else text, resolve_filter(archive, wanted),
                shown=limit, skip=offset, flat=flat, exact=exact,
            )  # fmt: skip
            if not answer.shown:
                check_names(archive, agent=agent or _agent_in(text, exact), instance=instance)
    except NoArchiveError as error:
        check_names(None, agent=agent or _agent_in(text, exact))
        print_note(f"dejavu: {error}")
    rows = [_row(hit, summary) for summary, hit in answer.shown]
    _note_missing(answer, len(rows))
    if jsonl:
        print_jsonl(rows)
    elif json:
        rest = {"next": offset + limit if answer.cut else None, "behind": answer.hits.behind}
        partial = extent and extent._asdict()
        print_json({"query": text, "hits": chosen(rows), **rest, "partial": partial})
    elif format is not None:
        print_lines(formatted(rows, format), paged=False)
    elif show and rows:
        from .show import command as show_command  # in a pager, on a terminal

        show_command(turn_name(rows[0]["conversation"], rows[0]["seq"]))
    else:
        print_lines(hit_lines(answer.conversations))
    if not (rows or json or jsonl):
        raise NotFoundError(f"nothing found for {one_line(text, 100)!r}")


def _note_missing(answer: SearchAnswer, shown: int) -> None:
    """Say how the query was read, what of the answer is not shown, and what was not looked at."""
    for note in answer.hits.notes:
        print_note(one_line(note, 200))
    if answer.cut:
        told = "best is" if shown == 1 else f"best {shown} are"
        print_note(f"only the {told} shown; --limit shows more")
    if answer.hits.behind:
        print_note(
            f"{answer.hits.behind} conversations are not searched yet: the index is being written, "
            "or cannot be; try again, or use --exact, which reads everything"
        )


def _agent_in(text: str, exact: bool) -> str | None:
    """The agent that a query names (`agent:NAME`): a wrong one is an error as `--agent` is."""
    from dejavu.archive.search.query import parse  # of no use where something was found

    return None if exact else parse(text).wanted.agent


def _row(hit: Hit, summary: Conversation) -> dict[str, Any]:
    """A hit as JSON, with what its conversation is."""
    facts = {"title": summary.title, "workspace": summary.workspace, "instance": summary.instance}
    return {**hit._asdict(), "role": str(hit.role), "at": to_iso(hit.at), **facts}
