"""Resuming a conversation from the page: what that would do, and doing it.

Looking writes nothing. What the agent lost is put back only if the request names as many files as
there are then: what was not shown is not written. The session starts detached.
"""

from typing import Any

from dejavu.archive.access import open_archive, resolve
from dejavu.model import ConfigError, InvalidValueError
from dejavu.services.resumption import Resumption, check_place, resumption
from dejavu.services.undelete.carry_out import carry_out
from dejavu.sessions.serialize import session_to_dict
from dejavu.sessions.start_session import start

from .endpoint import ARCHIVE, Endpoint, Parameter


def show_resume(conversation: str) -> dict[str, Any]:
    """How a conversation would be resumed here, and what would be put back first."""
    with ARCHIVE, open_archive() as archive:
        found = resumption(archive, resolve(archive, conversation))
    check_place(found)
    _check_refused(found)
    steps = found.plan.needed if found.plan is not None else ()
    return {
        "conversation": found.conversation.id, "agent": found.conversation.agent,
        "folder": found.folder, "command": found.command,
        "restores": [str(step.path) for step in steps],
    }  # fmt: skip


def resume_conversation(conversation: str, restores: int) -> dict[str, Any]:
    """Resume a conversation in a detached session, as `dejavu resume` does in a terminal."""
    with ARCHIVE, open_archive() as archive:
        found = resumption(archive, resolve(archive, conversation))
        check_place(found)
        _check_refused(found)
        count = len(found.plan.needed) if found.plan is not None else 0
        if count != restores:
            raise InvalidValueError(f"restores: {count} files would be put back, not {restores}")
        if found.plan is not None:
            carry_out(found.plan)
    return session_to_dict(start(found.command, workspace=found.folder or None))


def _check_refused(found: Resumption) -> None:
    if found.plan is not None and found.plan.refused:
        raise ConfigError(f"its files differ: see `dejavu undelete {found.conversation.id}`")


RESUME_ENDPOINTS = (
    Endpoint(
        "GET", "/v1/conversations/{conversation}/resume",
        "How a conversation would be resumed here; `restores` lists what would be put back first.",
        show_resume, "Resumption", errors=(404, 500, 503),
    ),
    Endpoint(
        "POST", "/v1/conversations/{conversation}/resume",
        "Resume a conversation in a detached session.",
        resume_conversation, "Session",
        body=(Parameter("restores", "How many files, as listed, may be put back first.",
                        "integer", 0, most=10**6),),
        errors=(404, 500, 503),
    ),
)  # fmt: skip
