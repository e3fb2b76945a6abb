"""`dejavu list`: the conversations, the newest first.

Costs O(rows shown): heads come from the archive's index, turns are never touched.
"""

import shutil
import sys
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Annotated

from dejavu.archive.access import NoArchiveError, full_workspace, open_archive
from dejavu.model import Conversation, conversation_to_dict

from .fast_parser import Option
from .options import Agent, Instance, Json, JsonLines, Limit, Since, Until, Workspace, moment
from .output import line, note, paint, print_json, print_jsonl


def command(
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    offset: Annotated[int, Option("--offset", min=0, help="Skip so many first.")] = 0,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """List conversations, the newest first."""
    begun, ended = moment(since), moment(until)
    try:
        with open_archive() as archive:
            found = archive.scan(
                workspace=full_workspace(archive, workspace),
                instance=instance,
                agent=agent,
                since=begun,
                until=ended,
                limit=offset + limit,
            )
            heads = list(islice(found, offset, None))
    except NoArchiveError as error:
        note(f"dejavu: {error}")
        heads = []
    if jsonl:
        print_jsonl(conversation_to_dict(head) for head in heads)
    elif json:
        print_json([conversation_to_dict(head) for head in heads])
    else:
        _table(heads)


def _table(heads: Iterable[Conversation]) -> None:
    shown = 0
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 160
    for head in heads:
        shown += 1
        at = head.ended_at or head.started_at or head.captured_at
        when = (
            datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M") if at else " " * 16
        )
        place = line(head.workspace.rstrip("/").rpartition("/")[2] or "-", 18)
        facts = f"{when}  {line(head.agent, 9):9} {place:18} {head.turn_count:4}"
        title = line(head.title or "(no title)", max(20, width - len(facts) - 20))
        print(f"{paint(head.id, '2')}  {facts}  {title}")
    if not shown:
        note("no conversation fits")
