"""`dejavu recall CONTEXT`: the memories and past turns that answer."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
import typer

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import to_iso
from dejavu.recall.factory import open_memory, open_recall, workspace_of

from .options import Json, Limit, Workspace
from .output import line, note, paint, print_json


def command(
    context: Annotated[list[str], typer.Argument(help="A prompt, or what it is about.")],
    limit: Limit = 5,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0.0, max=1.0, help="Least relevance of a memory.")
    ] = 0.2,
    min_confidence: Annotated[
        float, typer.Option("--min-confidence", min=0.0, max=1.0, help="Least confidence.")
    ] = 0.0,
    workspace: Workspace = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Show what was superseded, too.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history/--no-history", help="Look in past sessions, too.")
    ] = True,
    json: Json = False,
) -> None:
    """Recall memories, and the turns of past sessions that answer; the recall is logged."""
    words = " ".join(context)
    told: list[dict[str, Any]] = []
    hits: list[dict[str, Any]] = []
    notes: tuple[str, ...] = ()
    try:
        with open_archive(write=True) as archive:
            where = workspace_of(archive, workspace)
            memories = open_memory(archive).recall(
                words,
                limit=limit,
                threshold=threshold,
                min_confidence=min_confidence,
                workspace=where,
                superseded=superseded,
            )
            told = [msgspec.to_builtins(one) for one in memories]
            if history:
                answer = open_recall(archive).ask(words, limit, where)
                hits = [{**hit._asdict(), "at": to_iso(hit.at)} for hit in answer.hits]
                notes = answer.notes
    except NoArchiveError as error:
        note(f"dejavu: {error}")
    if json:
        print_json({"context": words, "memories": told, "hits": hits})
        return
    for one in told:
        print(f"{paint(one['id'], '2')} {one['score']:.2f} (confidence {one['confidence']})")
        print(f"    {line(one['text'], 300)}")
    for hit in hits:
        when = hit["at"][:10] if hit["at"] else "-"
        print(
            f"{paint(hit['conversation'], '2')} #{hit['seq']:<4} {when} {hit['agent']:9} "
            f"{hit['role']:9} {hit['score']:.2f} {','.join(hit['tiers'])}"
        )
        print(f"    {line(hit['excerpt'], 300)}")
    for name in notes:
        note(f"{name!r} is too common here to look by")
    if not told and not hits:
        note(f"nothing recalled for {words!r}")


def moment(at: float) -> str:
    """A local date and time."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
