"""`dejavu memory find TEXT`: the memories and past exchanges that answer a prompt.

The recall is logged, where the archive can be written.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError
from dejavu.archive.namespace import SyncExtent
from dejavu.ingest.catch_up import open_current
from dejavu.model import ArchiveError, InvalidValueError, to_iso
from dejavu.model.conversation import turn_name
from dejavu.recall import Answer
from dejavu.recall.factory import open_recall, workspace_of
from dejavu.recall.history.retrievers import RETRIEVERS
from dejavu.recall.history.score_fusion import Merging, Strategy

from ..command_line.output import one_line, print_json, print_note, style
from ..command_line.parameters import Argument, Option
from ..filters import decoded
from ..recall_answer import PATIENCE, Recalled, RecalledExchange, WantedMemories, recall

if TYPE_CHECKING:
    from ..command_line.parameters import Json, Limit, Workspace


def command(
    context: Annotated[list[str], Argument(help="A prompt, or its topic.", metavar="TEXT")],
    limit: Limit = 5,
    threshold: Annotated[
        float, Option("--threshold", min=0.0, max=1.0, help="Lowest relevance of a memory.")
    ] = 0.2,
    min_confidence: Annotated[
        float,
        Option("--min-confidence", min=0.0, max=1.0, help="Lowest confidence of a memory."),
    ] = 0.0,
    workspace: Workspace = None,
    everywhere: Annotated[
        bool, Option("--everywhere", help="Search every project, not only this one.")
    ] = False,
    superseded: Annotated[
        bool, Option("--superseded", help="Also show superseded memories.")
    ] = False,
    history: Annotated[
        bool, Option("--history/--no-history", help="Also search past conversations.")
    ] = True,
    strategy: Annotated[
        str | None,
        Option(
            "--strategy",
            metavar="NAME",
            help="How to merge retrievers: weighted, union, intersection or short_circuit.",
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        Option(
            "--weight", metavar="NAME=N", help="Weight of a retriever, such as trigram=0.2; repeat."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find memories and past exchanges for a prompt."""
    text = decoded(" ".join(context))
    if not text.strip():
        raise InvalidValueError("the text is empty; give a prompt, or its topic")
    merging = _merging(strategy, weight or ())
    found = Recalled(text, [], Answer([]), [])
    extent: SyncExtent | None = None
    folder: str | None = None
    try:
        with _archive() as (archive, extent):
            if extent is not None:
                print_note(str(extent))
            folder = _scope(archive, workspace, everywhere)
            found = recall(
                archive, text, limit, folder, merging=merging, history=history, flat=json,
                wanted=WantedMemories(threshold, min_confidence, superseded),
            )  # fmt: skip
            if not found.logged:
                print_note("the archive cannot be written now: this recall is not in the log")
    except NoArchiveError as error:
        print_note(f"dejavu: {error}")
    if found.behind:
        print_note(found.behind)
    if json:
        print_json(found.document(extent))
    else:
        _print(found, scoped=folder is not None)
        if history:
            from ..command_line.offer_vectors import offer_vectors  # asked once

            offer_vectors()


def _merging(strategy: str | None, weights: Iterable[str]) -> Merging | None:
    """The strategy and the weights (`NAME=N`) asked for; None where the settings decide.

    Raises:
        InvalidValueError: there is no such strategy or retriever, or it is no weight.
    """
    named: dict[str, float] = {}
    try:
        for text in weights:
            name, _, number = text.partition("=")
            try:
                named[name] = float(number)
            except ValueError:
                raise ValueError(f"--weight {text!r} is not NAME=N, such as trigram=0.2") from None
        merging = Merging(cast("Strategy", strategy or "weighted"), named)
        merging.check([retriever.name for retriever in RETRIEVERS])
    except ValueError as error:
        raise InvalidValueError(str(error)) from error
    return merging if strategy or named else None


def _scope(archive: Archive, workspace: str | None, everywhere: bool) -> str | None:
    """The workspace to look in: the one asked for, or this folder's; None for all.

    A folder without history (a home, a new project) has nothing to ask for.

    Raises:
        InvalidValueError: one workspace is asked for, and all are.
    """
    if everywhere and workspace is not None:
        raise InvalidValueError("--everywhere and --workspace exclude each other")
    if workspace is not None:
        return workspace_of(archive, decoded(workspace))
    if everywhere:
        return None
    folder = str(Path.cwd())
    if (known := archive.workspace_around(folder)) is not None:
        return known
    engine = open_recall(archive)
    engine.catch_up(patience=PATIENCE)  # the index knows the projects, and may be of yesterday
    if engine.project_of(folder):
        return folder
    print_note("no conversations in this project: searched all projects")
    return None


@contextmanager
def _archive() -> Generator[tuple[Archive, SyncExtent | None]]:
    """The archive, for writing if it can be: a recall is logged, and what is new is indexed."""
    with ExitStack() as stack:
        try:
            current = stack.enter_context(open_current(print_note, write=True))
        except (ArchiveError, OSError):
            current = stack.enter_context(open_current(print_note))
        yield current


def _print(found: Recalled, *, scoped: bool) -> None:
    if found.doubt:
        print_note(found.doubt)
    for known in found.memories:
        memory = known.memory
        facts = f"{known.word:6} {memory.score:.2f} (confidence {memory.confidence})"
        print(f"{style(memory.id, '2')} {facts}")
        print(f"    {one_line(memory.text, 300)}")
    for one in found.shown:
        _print_hit(one)
    for sentence in found.common:
        print_note(sentence)
    if found.nothing:
        more = " in this project; --everywhere searches all" if scoped else ""
        print_note(f"{found.nothing}{more}")


def _print_hit(one: RecalledExchange) -> None:
    """An exchange: where it is, what was asked, what was answered or shown, what it replaces."""
    hit = one.hit
    when = (to_iso(hit.at) or "-")[:10]
    print(
        f"{style(f'{one_line(turn_name(hit.conversation, hit.seq)):21}', '2')} {when} "
        f"{one_line(hit.agent):9} {hit.role:9} {one.word:6} {hit.score:.2f} {','.join(hit.tiers)}"
    )
    for told in (*(one_line(text, 300) for text in one.texts), *one.changes):
        print(f"    {told}")
    if one.more:
        print(style(f"    {one.more} more in this conversation", "2"))
