"""`dejavu search QUERY`: turns that hold the words, the best first."""

from datetime import datetime
from typing import Annotated, Any

from dejavu.archive.access import NoArchiveError, full_workspace, open_archive
from dejavu.model import to_iso

from .fast_parser import Option
from .options import Agent, Instance, Json, JsonLines, Limit, Since, Until, Workspace, moment
from .output import line, note, paint, print_json, print_jsonl


def command(
    query: Annotated[
        list[str], Option(help='Words, or "a phrase"; names are split at case and _.')
    ],
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    role: Annotated[
        str | None, Option("--role", help="Only user, assistant, tool or system turns.")
    ] = None,
    tool: Annotated[str | None, Option("--tool", help="Only turns that use it.")] = None,
    path: Annotated[str | None, Option("--path", help="Only turns about this file.")] = None,
    exact: Annotated[
        bool, Option("--exact", help="The words as they stand, in everything.")
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Search what was said in all conversations."""
    words = " ".join(query)
    begun, ended = moment(since), moment(until)
    try:
        with open_archive() as archive:
            hits = archive.search(
                words,
                limit=limit,
                workspace=full_workspace(archive, workspace),
                agent=agent,
                role=role,
                instance=instance,
                tool=tool,
                path=path,
                exact=exact,
                since=begun,
                until=ended,
            )
    except NoArchiveError as error:
        note(f"dejavu: {error}")
        hits = []
    plain: list[dict[str, Any]] = [
        {**hit._asdict(), "role": str(hit.role), "at": to_iso(hit.at)} for hit in hits
    ]
    if jsonl:
        print_jsonl(plain)
    elif json:
        print_json({"query": words, "hits": plain})
    else:
        for hit in hits:
            when = (
                datetime.fromtimestamp(hit.at).astimezone().strftime("%Y-%m-%d") if hit.at else "-"
            )
            print(f"{paint(hit.conversation, '2')} #{hit.seq:<4} {when} {hit.agent:9} {hit.role}")
            print(f"    {line(hit.excerpt, 300)}")
        if not hits:
            note(f"nothing found for {words!r}")
