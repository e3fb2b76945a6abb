"""Filters as people write them, for the command line and the HTTP interface.

`parse_time` reads times; the others refuse a filter that can match nothing, with a suggestion:
nothing found and nothing there are different answers. The check of names costs O(conversations)
and is made only where nothing was found.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dejavu.config import clock
from dejavu.model import ConversationFilter, InvalidValueError, NotFoundError
from dejavu.model.conversation_filter import FIELDS, MARKS
from dejavu.model.moments import parse_moment

if TYPE_CHECKING:
    from dejavu.archive import Archive


def parse_time(text: str, *, now: float | None = None) -> float:
    """Unix seconds from `2d`, `3h`, `now`, `today`, `yesterday` or an ISO date (default: local).

    Raises:
        InvalidValueError: the text is none of these.
    """
    at = parse_moment(text, clock.now() if now is None else now)
    if at is None:
        raise InvalidValueError(f"{text!r} is not a time; try 2d, 3h, 1mo, yesterday or 2026-11-21")
    return at


def check_file(path: Path) -> None:
    """Refuse what cannot be read as a file; pipes and devices can.

    Raises:
        InvalidValueError: a folder, or nothing is there.
    """
    if path.is_dir():
        raise InvalidValueError(f"{path} is a folder, not a file")
    if not path.exists():
        raise InvalidValueError(f"{path}: no such file")


def decoded(text: str) -> str:
    """A word of the command line as text: bytes that are not UTF-8 become U+FFFD.

    Python keeps such bytes as lone surrogates, which no archive and no index can hold.
    """
    return os.fsencode(text).decode("utf-8", "replace")


def read_filter(texts: Mapping[str, str | None], *, side: bool = False) -> ConversationFilter:
    """The filter in fields that were sent as text; None says nothing.

    Raises:
        InvalidValueError: a time is none.
    """
    wanted, now = ConversationFilter(side=side), clock.now()
    for field, text in texts.items():
        if text is not None and field in (*FIELDS, *MARKS):
            wanted = wanted.with_text(field, text, now)
    return wanted


def check_range(wanted: ConversationFilter, *, prefix: str = "--") -> None:
    """Raise InvalidValueError where `since` comes after `until`; `prefix` is of their names."""
    if wanted.is_backwards:
        raise InvalidValueError(
            f"{prefix}since is after {prefix}until: there is no time between them"
        )


def resolve_filter(archive: "Archive", wanted: ConversationFilter) -> ConversationFilter:
    """The filter with its workspace as the archive has it. Raises as `resolve_workspace`."""
    return wanted.replace(workspace=resolve_workspace(archive, wanted.workspace))


def resolve_workspace(archive: "Archive", wanted: str | None) -> str | None:
    """The workspace meant by `wanted`: itself, an absolute folder, or the end of a known one.

    Raises:
        InvalidValueError: no conversation was held in it, or several workspaces end so.
    """
    from dejavu.archive.access import full_workspace

    try:
        return full_workspace(archive, wanted)
    except NotFoundError as error:
        names = {name: name for name in archive.counts().by_workspace}
        if any(name.endswith("/" + (wanted or "").strip("/")) for name in names):  # several fit
            raise InvalidValueError(str(error)) from None
        names |= {name.rpartition("/")[2]: name for name in names}
        near = _nearest(wanted or "", names)
        hint = f"; did you mean {names[near]!r}?" if near else ""
        raise InvalidValueError(f"{error}{hint}") from None


def check_names(
    archive: "Archive | None", *, agent: str | None = None, instance: str | None = None
) -> None:
    """Refuse an agent or instance that is unknown here; for where nothing was found.

    An agent is known if Déjà Vu reads it or the archive has a conversation of it.

    Raises:
        InvalidValueError: the name is not known; the text names one that is near.
    """
    if agent is None and instance is None:
        return
    agents, instances = set(known_agents()), set[str]()
    for summary in archive.scan() if archive is not None else ():
        agents.add(summary.agent)
        instances.add(summary.instance)
    if agent is not None and agent not in agents:
        raise InvalidValueError(f"unknown agent {agent!r}{_near(agent, agents)}")
    if instance is not None and archive is not None and instance not in instances:
        raise InvalidValueError(f"unknown instance {instance!r}{_near(instance, instances)}")


def known_agents() -> list[str]:
    """The ids of every agent that Déjà Vu knows by name, sorted."""
    from dejavu.providers import agents

    return sorted(agents())


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """`; did you mean 'sync'?`, or nothing where no known word is near."""
    near = _nearest(word, choices)
    return f"; did you mean {near!r}?" if near else ""


def _near(word: str, choices: Iterable[str]) -> str:
    return did_you_mean(word, choices) or f"; known: {', '.join(sorted(choices))}"


def _nearest(word: str, choices: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # only a wrong word needs it

    known = list(choices)
    alike = [choice for choice in known if choice[:2] == word[:2]]  # beginnings are seldom mistyped
    near = get_close_matches(word, alike, n=1, cutoff=0.5) or get_close_matches(word, known, n=1)
    return next(iter(near), None)
