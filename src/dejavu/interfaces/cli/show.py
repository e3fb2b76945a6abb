"""`dejavu show ID`: one conversation, to read or as JSON. Costs O(turns shown)."""

from typing import Annotated, Any

import typer

from dejavu.archive.access import open_archive, resolve
from dejavu.export import as_text
from dejavu.ingest.merge.parts import MENDED, SOURCE
from dejavu.ingest.merge.provenance import disagreement, sentence, sources_of
from dejavu.model import Conversation, NotFoundError, conversation_to_dict, turn_to_dict
from dejavu.providers.resume import resume_line

from .options import Json, JsonLines
from .output import line, paint, print_json, print_jsonl


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
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Only the command that goes on with it in its agent."),
    ] = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show one conversation."""
    with open_archive() as archive:
        if resume:
            _show_resume(archive.summary(resolve(archive, wanted)))
            return
        conversation = archive.get(resolve(archive, wanted))
        sources = sources_of(archive, conversation.id) if provenance else []
        apart = disagreement(archive, conversation.id) if provenance else {}
    if json:
        plain = conversation_to_dict(conversation, turns=True, provenance=provenance)
        if provenance:
            plain["provenance"] = {"sources": sources, "disagreement": apart}
        print_json(plain)
    elif jsonl:
        print_jsonl(turn_to_dict(turn, provenance=provenance) for turn in conversation.turns)
    else:
        for text in as_text(conversation, paint=paint, full=full):
            print(text)
        if provenance:
            _show_provenance(conversation, sources, apart)


def _show_resume(head: Conversation) -> None:
    """A line for a shell: `eval "$(dejavu show last --resume)"`."""
    command = resume_line(head)
    if command is None:
        raise NotFoundError(f"no command is known that goes on with a session of {head.agent}")
    print(command)


def _show_provenance(
    conversation: Conversation, sources: list[dict[str, Any]], apart: dict[str, dict[str, int]]
) -> None:
    """The sources by number, what they do not agree on, and where each turn came from."""
    print()
    print(f"source: {line(conversation.source or 'none')}")
    for number, source in enumerate(sources, 1):
        print(f"[{number}] {source['vector']:6} {line(source['name'])}, {source['bytes']} bytes")
    for vector, counts in apart.items():
        print(f"{vector} {sentence(counts)}")
    numbers = {source["key"]: number for number, source in enumerate(sources, 1)}
    for turn in conversation.turns:
        spans = ", ".join(f"{span.offset}+{span.length}" for span in turn.spans) or "-"
        told = numbers.get(str(turn.meta.get(SOURCE)), 1)
        mended = turn.meta.get(MENDED)
        by = f", a text from [{numbers.get(str(mended), mended)}]" if mended else ""
        print(f"{turn.seq:4} {turn.role:9} {turn.vector:6} [{told}] bytes {spans}{by}")
