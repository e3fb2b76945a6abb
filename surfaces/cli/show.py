"""`dejavu show ID`: one conversation, to read or as JSON. Costs O(turns shown)."""

from typing import Annotated

import typer

from dejavu.record import conversation_to_plain, turn_to_plain

from ..compose import open_archive, resolve
from ..render import as_text
from .options import Json, JsonLines
from .output import paint, print_json, print_jsonl


def command(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A conversation's id, or its beginning; `last` is the newest."
        ),
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Long tool output and reasoning too.")
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Where each turn came from, byte by byte.")
    ] = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show one conversation."""
    with open_archive() as archive:
        conversation = archive.get(resolve(archive, wanted))
    if json:
        print_json(conversation_to_plain(conversation, turns=True, provenance=provenance))
    elif jsonl:
        print_jsonl(turn_to_plain(turn, provenance=provenance) for turn in conversation.turns)
    else:
        for text in as_text(conversation, paint=paint, full=full):
            print(text)
        if provenance:
            print()
            print(f"source: {conversation.source or 'none'}")
            for turn in conversation.turns:
                spans = ", ".join(f"{span.offset}+{span.length}" for span in turn.spans) or "-"
                print(f"{turn.seq:4} {turn.role:9} {turn.vector:6} bytes {spans}")
