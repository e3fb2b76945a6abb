"""`dejavu recall TEXT`: the memories and past turns that answer a prompt. The recall is logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import to_iso
from dejavu.recall.factory import open_memory, open_recall, workspace_of

from ..filters import decoded
from .output import one_line, print_json, print_note, style

if TYPE_CHECKING:
    import typer

    from .options import Json, Limit, Workspace


def command(
    context: Annotated[list[str], typer.Argument(help="A prompt, or its topic.", metavar="TEXT")],
    limit: Limit = 5,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0.0, max=1.0, help="Lowest relevance of a memory.")
    ] = 0.2,
    min_confidence: Annotated[
        float,
        typer.Option("--min-confidence", min=0.0, max=1.0, help="Lowest confidence of a memory."),
    ] = 0.0,
    workspace: Workspace = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Also show superseded memories.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history/--no-history", help="Also search past conversations.")
    ] = True,
    json: Json = False,
) -> None:
    """Find memories and past turns for a prompt."""
    text = decoded(" ".join(context))
    memories: list[dict[str, Any]] = []
    hits: list[dict[str, Any]] = []
    notes: tuple[str, ...] = ()
    behind = 0
    try:
        with open_archive(write=True) as archive:
            folder = workspace_of(archive, None if workspace is None else decoded(workspace))
            recalled = open_memory(archive).recall(
                text,
                limit=limit,
                threshold=threshold,
                min_confidence=min_confidence,
                workspace=folder,
                superseded=superseded,
            )
            memories = [msgspec.to_builtins(memory) for memory in recalled]
            if history:
                answer = open_recall(archive).ask(text, limit, folder)
                hits = [{**hit._asdict(), "at": to_iso(hit.at)} for hit in answer.hits]
                notes, behind = answer.notes, answer.behind
    except NoArchiveError as error:
        print_note(f"dejavu: {error}")
    if behind:
        print_note(
            f"{behind} conversations are not in the recall index yet, which cannot be written"
        )
    if json:
        print_json({"context": text, "memories": memories, "hits": hits, "behind": behind})
        return
    for memory in memories:
        print(
            f"{style(memory['id'], '2')} {memory['score']:.2f} (confidence {memory['confidence']})"
        )
        print(f"    {one_line(memory['text'], 300)}")
    for hit in hits:
        when = hit["at"][:10] if hit["at"] else "-"
        print(
            f"{style(hit['conversation'], '2')} #{hit['seq']:<4} {when} {hit['agent']:9} "
            f"{hit['role']:9} {hit['score']:.2f} {','.join(hit['tiers'])}"
        )
        print(f"    {one_line(hit['excerpt'], 300)}")
    for word in notes:
        print_note(f"{word!r} occurs too often here to search by")
    if not memories and not hits and not behind:
        print_note(f"nothing recalled for {text!r}")
