"""`dejavu show ID --oneline`: one line a turn, with times. Costs O(turns)."""

from typing import Any

from dejavu.archive.access import open_archive, resolve
from dejavu.export.parts import call_summary, label_and_body
from dejavu.model import Text, ToolCall, Turn, to_iso
from dejavu.model.conversation import turn_number
from dejavu.recall import rationales

from .output import local_time, one_line, print_json, print_jsonl


def _gist(turn: Turn) -> str:
    for part in turn.parts:
        if isinstance(part, Text) and part.content.strip():
            return part.content.strip().splitlines()[0]
        if isinstance(part, ToolCall):
            return call_summary(part)
    return " · ".join(" ".join(label_and_body(part)).strip() for part in turn.parts[:2])


def print_timeline(conversation_id: str, *, json: bool, jsonl: bool) -> None:
    """Print a conversation with one line a turn."""
    with open_archive() as archive:
        conversation = archive.get(resolve(archive, conversation_id))
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
        print_json({"conversation": conversation.id, "timeline": rows, "next": None})
    else:
        for turn, row in zip(conversation.turns, rows, strict=True):
            when = local_time(turn.at, "%H:%M:%S")
            print(
                f"{turn_number(turn.seq):4}  {when}  {turn.role:9}  {one_line(row['summary'], 120)}"
            )
            if "rationale" in row:
                print(f"{'':16}{'why':9}  {one_line(row['rationale'], 300)}")
