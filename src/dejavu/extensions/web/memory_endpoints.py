"""Questions to memory over HTTP, and verdicts on what it found.

Each does what the command of its name does: the answer is the document of `dejavu memory find --json`,
and what was shown is logged, where the archive can be written.
"""

from collections.abc import Mapping
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.ingest.catch_up import catch_up
from dejavu.interfaces.filters import read_filter, resolve_filter
from dejavu.interfaces.recall_answer import Recalled, recall, workspace_in
from dejavu.model import InvalidValueError
from dejavu.recall import Answer
from dejavu.recall.verdicts import judge

from .endpoint import ARCHIVE, Endpoint, Parameter

_SCOPE = ("project", "workspace")
_MOST = 100


def asked_in(archive: Archive, texts: Mapping[str, str | None]) -> str | None:
    """The folder that a question's `workspace` or `project` names; None for everywhere.

    Raises:
        InvalidValueError: no conversation was held in that folder.
        NotFoundError: none was held in that project.
    """
    wanted = read_filter({name: texts.get(name) or None for name in _SCOPE})
    return workspace_in(archive, resolve_filter(archive, wanted))


def find_memories(q: str, limit: int, **texts: str | None) -> dict[str, Any]:
    """The memories and past exchanges that answer a question, ranked; `texts` say where to look."""
    if not q.strip():
        raise InvalidValueError("q: empty; give a question, or its topic")
    with ARCHIVE:
        try:
            with open_archive() as archive:
                extent = catch_up(archive, patience=0.3).extent
                found = recall(archive, q, limit, asked_in(archive, texts), flat=True)
        except NoArchiveError:
            return Recalled(q, [], Answer([]), []).document()
    return found.document(extent)


def judge_memory(id: str, right: bool) -> dict[str, Any]:  # noqa: A002 - the body's own name
    """Confirm or reject a memory, or a hit that was shown, as the commands of these names do."""
    with ARCHIVE, open_archive() as archive:
        judged = judge(archive, id, right=right)
    return {
        "id": judged.id, "right": right,
        "given": None if judged.hit is None else judged.hit.given,
        "confidence": None if judged.memory is None else judged.memory.confidence,
    }  # fmt: skip


MEMORY_ENDPOINTS = (
    Endpoint(
        "GET", "/v1/memory", "Memories and past exchanges that answer a question, the best first.",
        find_memories, "Recalled",
        (Parameter("q", "A question, or its topic.", required=True),
         Parameter("project", "A project with all its clones, such as acme/shop."),
         Parameter("workspace", "A folder, or its end."),
         Parameter("limit", "At most so many.", "integer", 10, least=1, most=_MOST)),
        errors=(404, 503),
    ),
    Endpoint(
        "POST", "/v1/memory/verdict",
        "Say whether a memory was right, or a hit that was shown answered.",
        judge_memory, "Verdict",
        body=(Parameter("id", "A memory's id, or a hit as CONVERSATION#TURN (from 1).",
                        required=True),
              Parameter("right", "true confirms it, false rejects it.", "boolean",
                        required=True)),
        errors=(404, 503),
    ),
)  # fmt: skip
