"""`dejavu search QUERY`: turns that hold the words, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive import Hit
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import InvalidValueError, Role, to_iso

from ..filters import check_names, check_range, resolve_workspace
from .output import first, local_time, one_line, print_json, print_jsonl, print_note, style

if TYPE_CHECKING:
    import typer

    from .options import Agent, Instance, Json, JsonLines, Limit, Side, Since, Until, Workspace


def command(
    query: Annotated[
        list[str], typer.Argument(help='Words, or "a phrase"; names are split at case and _.')
    ],
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    role: Annotated[Role | None, typer.Option("--role", help="Only turns of this role.")] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", help="Only turns that use this tool.")
    ] = None,
    path: Annotated[str | None, typer.Option("--path", help="Only turns about this file.")] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Match the text literally, in every kind of content.")
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    side: Side = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Search the text of all conversations."""
    text = " ".join(query)
    if not text.strip() and tool is None and path is None:
        raise InvalidValueError("the query is empty; give words, or --path or --tool")
    check_range(since, until)
    hits: list[Hit] = []
    behind = 0
    try:
        with open_archive() as archive:
            results = archive.search(
                text,
                limit=limit + 1,
                workspace=resolve_workspace(archive, workspace),
                agent=agent,
                role=role,
                instance=instance,
                tool=tool,
                path=path,
                exact=exact,
                side=side,
                since=since,
                until=until,
            )
            hits, behind = first(limit, results), results.behind
            if not hits:
                check_names(archive, agent=agent, instance=instance)
    except NoArchiveError as error:
        check_names(None, agent=agent)
        print_note(f"dejavu: {error}")
    rows: list[dict[str, Any]] = [
        {**hit._asdict(), "role": str(hit.role), "at": to_iso(hit.at)} for hit in hits
    ]
    if behind:
        print_note(
            f"{behind} conversations are not searched yet: the index is being written, or cannot "
            "be; try again, or use --exact, which reads everything"
        )
    if jsonl:
        print_jsonl(rows)
    elif json:
        print_json({"query": text, "hits": rows, "behind": behind})
    else:
        for hit in hits:
            when = local_time(hit.at, "%Y-%m-%d")
            print(
                f"{style(f'{hit.conversation}#{hit.seq:<4}', '2')} {when} {hit.agent:9} {hit.role}"
            )
            print(f"    {one_line(hit.excerpt, 300)}")
        if not hits and not behind:
            print_note(f"nothing found for {text!r}")
