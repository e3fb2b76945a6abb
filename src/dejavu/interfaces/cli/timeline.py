"""`dejavu timeline ID`: one line a turn, with times, to see what happened when."""

from datetime import datetime
from typing import Annotated, Any

import typer

from dejavu.archive.access import open_archive, resolve
from dejavu.export.parts import call_summary, label_and_body
from dejavu.model import Text, ToolCall, Turn, to_iso
from dejavu.recall import rationales

from .options import Json, JsonLines
from .output import line, print_json, print_jsonl


def _gist(turn: Turn) -> str:
    for part in turn.parts:
        if isinstance(part, Text) and part.content.strip():
            return part.content.strip().splitlines()[0]
        if isinstance(part, ToolCall):
            return call_summary(part)
    return " · ".join(" ".join(label_and_body(part)).strip() for part in turn.parts[:2])


def command(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A conversation's id, or its beginning; `last` is the newest."
        ),
    ],
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show what happened when in one conversation."""
    with open_archive() as archive:
        conversation = archive.get(resolve(archive, wanted))
        why = rationales(archive, conversation.id, 0, conversation.turn_count)
    rows: list[dict[str, Any]] = [
        {
            "seq": turn.seq,
            "at": to_iso(turn.at),
            "role": str(turn.role),
            "summary": _gist(turn)[:160],
            **({"rationale": why[turn.seq].text} if turn.seq in why else {}),
        }
        for turn in conversation.turns
    ]
    if jsonl:
        print_jsonl(rows)
    elif json:
        print_json({"conversation": conversation.id, "timeline": rows})
    else:
        for turn, row in zip(conversation.turns, rows, strict=True):
            when = "        "
            if turn.at is not None:
                when = datetime.fromtimestamp(turn.at).astimezone().strftime("%H:%M:%S")
            print(f"{turn.seq:4}  {when}  {turn.role:9}  {line(row['summary'], 120)}")
            if "rationale" in row:
                print(f"{'':16}{'why':9}  {line(row['rationale'], 300)}")
