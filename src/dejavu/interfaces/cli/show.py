"""`dejavu show ID`: one conversation, as text or JSON. Costs O(turns shown).

What only one of the forms needs is imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive.access import open_archive, resolve
from dejavu.model import Conversation, NotFoundError, conversation_to_dict, turn_to_dict

from .output import one_line, print_json, print_jsonl, style

if TYPE_CHECKING:
    import typer

    from .options import ConversationId, Json, JsonLines


def command(
    conversation_id: ConversationId,
    full: Annotated[
        bool, typer.Option("--full", help="Show all reasoning and tool output.")
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Show the source and bytes of each turn.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Print the command that resumes it in its agent.")
    ] = False,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """Show one conversation."""
    with open_archive() as archive:
        identity = resolve(archive, conversation_id)
        if resume:
            _print_resume(archive.summary(identity))
            return
        conversation = archive.get(identity)
        sources: list[dict[str, Any]] = []
        differences: dict[str, dict[str, int]] = {}
        if provenance:
            from dejavu.ingest.merge.provenance import disagreements, sources_of

            sources = sources_of(archive, conversation.id)
            differences = disagreements(archive, conversation.id)
    if json:
        document = conversation_to_dict(conversation, turns=True, provenance=provenance)
        if provenance:
            document["provenance"] = {"sources": sources, "disagreement": differences}
        print_json(document)
    elif jsonl:
        print_jsonl(turn_to_dict(turn, provenance=provenance) for turn in conversation.turns)
    else:
        from dejavu.export.text import as_text

        for text in as_text(conversation, paint=style, full=full):
            print(text)
        if provenance:
            _print_provenance(conversation, sources, differences)


def _print_resume(summary: Conversation) -> None:
    """A line for a shell: `eval "$(dejavu show last --resume)"`."""
    from dejavu.providers.resume import resume_line

    command = resume_line(summary)
    if command is None:
        raise NotFoundError(f"no command is known that resumes a session of {summary.agent}")
    print(command)


def _print_provenance(
    conversation: Conversation,
    sources: list[dict[str, Any]],
    differences: dict[str, dict[str, int]],
) -> None:
    """The sources by number, what they do not agree on, and where each turn came from."""
    from dejavu.ingest.merge.parts import MENDED, SOURCE
    from dejavu.ingest.merge.provenance import describe_counts

    print()
    print(f"source: {one_line(conversation.source or 'none')}")
    for number, source in enumerate(sources, 1):
        print(
            f"[{number}] {source['vector']:6} {one_line(source['name'])}, {source['bytes']} bytes"
        )
    for vector, counts in differences.items():
        print(f"{vector} {describe_counts(counts)}")
    numbers = {source["key"]: number for number, source in enumerate(sources, 1)}
    for turn in conversation.turns:
        spans = ", ".join(f"{span.offset}+{span.length}" for span in turn.spans) or "-"
        source_number = numbers.get(str(turn.meta.get(SOURCE)), 1)
        repaired_from = turn.meta.get(MENDED)
        note = f", text from [{numbers.get(str(repaired_from), repaired_from)}]"
        print(
            f"{turn.seq:4} {turn.role:9} {turn.vector:6} [{source_number}] bytes {spans}"
            + (note if repaired_from else "")
        )
