"""The filter of conversations and their turns: one value from the command line to the store.

`ConversationFilter` is what a list, a search or figures are limited to. `with_text` reads one
field as people write it: `agent` and `claude`, `after` and `2d`. Owns no clock and looks nothing up:
a workspace's short name is made whole by who has the archive.
"""

import re
from collections.abc import Iterator
from typing import Self

import msgspec

from .conversation import Conversation
from .errors import InvalidValueError
from .moments import parse_moment

FIELDS = {
    "role": "role", "agent": "agent", "tool": "tool", "instance": "instance",
    "machine": "instance", "workspace": "workspace", "in": "workspace", "project": "project",
    "path": "path", "file": "path",
    "since": "since", "after": "since", "until": "until", "before": "until",
}  # fmt: skip
"""The words that people write, and the field that each of them is."""
MARKS = ("starred", "tag")
"""The marks as fields of a form: `true` or `false`, and tags with commas between."""

_NAMES = ("workspace", "instance", "agent", "role", "tool")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SECONDS_OF_DAY = 86_400.0
_YES = frozenset(("true", "1", "yes", "on"))
_NO = frozenset(("false", "0", "no"))


class ConversationFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What conversations, or turns of them, are limited to; None means any.

    `since` and `until` are Unix seconds. `role`, `tool` and `path` are of turns: a list of
    conversations does not look at them. `title` has words that the title has, in any case. `side`:
    also what an agent's harness asked in the background (`Conversation.is_side`). `starred`, `tags`
    and `without_tags` are of the marks that people set: all of the tags, and none of the others.
    `project` is compared with `Conversation.place`: the whole name or parts of it in a row
    (`acme/shop` is `github.com/acme/shop`, and all folders of that), or after `=` exactly that name.
    """

    workspace: str | None = None
    project: str | None = None
    instance: str | None = None
    agent: str | None = None
    role: str | None = None
    tool: str | None = None
    path: str | None = None
    since: float | None = None
    until: float | None = None
    title: str | None = None
    side: bool = True
    starred: bool | None = None
    tags: frozenset[str] = frozenset()
    without_tags: frozenset[str] = frozenset()

    @property
    def is_timed(self) -> bool:
        """Whether it has a first or a last moment."""
        return self.since is not None or self.until is not None

    @property
    def is_backwards(self) -> bool:
        """Whether it ends before it begins, so that nothing can pass."""
        return self.since is not None and self.until is not None and self.since > self.until

    @property
    def needs_summary(self) -> bool:
        """Whether it asks for what only a summary says: a project, a title, a star, tags."""
        marked = self.starred is not None or bool(self.tags or self.without_tags)
        return marked or self.project is not None or self.title is not None

    def fits_summary(self, conversation: Conversation) -> bool:
        """Whether a conversation has the project, title, star and tags asked for."""
        own, title = set(conversation.tags), conversation.title.casefold()
        return (
            (self.project is None or is_project(self.project, conversation.place))
            and (self.starred is None or conversation.starred == self.starred)
            and all(word in title for word in _words(self.title))
            and self.tags <= own
            and not self.without_tags & own
        )

    def names(self) -> Iterator[tuple[str, str]]:
        """The fields that are names, as far as they are given: `("agent", "claude")`."""
        for kind in _NAMES:
            name: str | None = getattr(self, kind)
            if name is not None:
                yield kind, str(name)

    def between(self, at: float | None) -> bool:
        """Whether a moment is between `since` and `until`; an unknown one is not, where one is asked."""
        return (self.since is None or (at is not None and at >= self.since)) and (
            self.until is None or (at is not None and at <= self.until)
        )

    def replace(self, **fields: str | float | bool | frozenset[str] | None) -> Self:
        """The filter with other values in `fields`."""
        return msgspec.structs.replace(self, **fields)

    def narrowed(self, other: Self) -> Self | None:
        """What passes both; None where a name excludes the other's. `other` says the path, if it has one."""
        names = dict(self.names())
        for kind, name in other.names():
            if names.setdefault(kind, name) != name:
                return None
        project = _narrower(self.project, other.project)
        if project is None and None not in (self.project, other.project):
            return None
        if None not in (self.starred, other.starred) and self.starred != other.starred:
            return None
        sinces = [at for at in (self.since, other.since) if at is not None]
        untils = [at for at in (self.until, other.until) if at is not None]
        return self.replace(
            **names,
            path=self.path if other.path is None else other.path,
            project=project,
            title=" ".join(sorted({*_words(self.title), *_words(other.title)})) or None,
            since=max(sinces, default=None),
            until=min(untils, default=None),
            side=self.side and other.side,
            starred=self.starred if other.starred is None else other.starred,
            tags=self.tags | other.tags,
            without_tags=self.without_tags | other.without_tags,
        )

    def with_text(self, word: str, text: str, now: float, *, whole_days: bool = False) -> Self:
        """The filter with one field from its text; `word` is a key of `FIELDS` or one of `MARKS`.

        now: the present in Unix seconds. whole_days: until a day means its end.

        Raises:
            InvalidValueError: the text names no time, or says neither true nor false.
            KeyError: there is no such field.
        """
        if word == "tag":
            names = text.replace(",", " ").split()
            return self.replace(tags=self.tags | {name.lstrip("+#").casefold() for name in names})
        if word == "starred":
            if text.lower() not in _YES | _NO:
                raise InvalidValueError(f"starred: {text!r} is not true or false")
            return self.replace(starred=text.lower() in _YES)
        field = FIELDS[word]
        if field not in ("since", "until"):
            return self.replace(**{field: text})
        at = parse_moment(text, now)
        if at is None:
            raise InvalidValueError(
                f"{text!r} is not a time; try 2d, 3h, 1mo, yesterday or 2026-11-21"
            )
        if field == "until" and whole_days and _DAY.fullmatch(text):
            at += _SECONDS_OF_DAY
        return self.replace(**{field: at})


def _words(title: str | None) -> list[str]:
    return (title or "").casefold().split()


def is_project(wanted: str, name: str) -> bool:
    """Whether a project is the one meant: its name has these parts in a row, or is what follows `=`."""
    if wanted.startswith("="):
        return wanted[1:] == name
    return f"/{wanted.strip('/').lower()}/" in f"/{name.lower()}/".replace("\\", "/")


def _narrower(one: str | None, other: str | None) -> str | None:
    """The project that is in both; None where none is, or none is asked for."""
    if one is None or other is None:
        return one if other is None else other
    if is_project(other, one.removeprefix("=")):
        return one
    return other if is_project(one, other.removeprefix("=")) else None
