"""What the shell completes: ids, sessions, agents, projects and folders, read from this user's archive.

Completion must not wait or fail: whatever goes wrong, nothing is offered. Each costs O(what is
offered).
"""

from collections.abc import Callable, Iterator
from itertools import islice

from dejavu.model.plural import counted
from dejavu.redact.sanitise import sanitise

from ..filters import known_agents

_LIMIT = 30
"""Conversations offered, the newest first."""

Completion = list[tuple[str, str]]


def _quietly(offers: Callable[[str], Iterator[tuple[str, str]]]) -> Callable[[str], Completion]:
    def complete(incomplete: str) -> Completion:
        try:
            return [offer for offer in offers(incomplete) if offer[0].startswith(incomplete)]
        except Exception:
            return []  # a message here would land in the middle of the command line

    return complete


def _conversations(incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.archive.access import open_archive

    yield "last", "the newest conversation"
    with open_archive() as archive:
        matching = (summary for summary in archive.scan() if summary.id.startswith(incomplete))
        for summary in islice(matching, _LIMIT):
            yield (
                summary.id,
                sanitise(f"{summary.agent}: {summary.title or ''}", newlines=False)[:60],
            )


def _sessions(_incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.sessions.session_store import find_all

    for view in find_all():
        if view.live:
            description = f"{view.session.agent}, {view.state}"
            yield view.session.name, description
            if view.session.name != view.session.id:
                yield view.session.id, description


def _agents(_incomplete: str) -> Iterator[tuple[str, str]]:
    for agent in known_agents():
        yield agent, ""


def _projects(_incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.archive.access import open_archive

    with open_archive() as archive:
        for name, count in archive.counts().by_project.items():
            yield name, counted(count, "conversation")


def _workspaces(_incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.archive.access import open_archive

    with open_archive() as archive:
        for name, count in archive.counts().by_workspace.items():
            yield name, counted(count, "conversation")


def _instances(_incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.archive.access import open_archive

    with open_archive() as archive:
        for name in sorted({summary.instance for summary in archive.scan()}):
            yield name, ""


def _memories(_incomplete: str) -> Iterator[tuple[str, str]]:
    from dejavu.archive.access import open_archive
    from dejavu.recall import Memory

    with open_archive() as archive:
        for memory in Memory(archive).list(limit=_LIMIT):
            yield memory.id, sanitise(memory.text, newlines=False)[:60]


conversations = _quietly(_conversations)
sessions = _quietly(_sessions)
agents = _quietly(_agents)
projects = _quietly(_projects)
workspaces = _quietly(_workspaces)
instances = _quietly(_instances)
memories = _quietly(_memories)
