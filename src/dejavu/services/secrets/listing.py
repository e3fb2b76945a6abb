"""The list of secrets in an archive: one entry a secret, what to rotate first at the top.

What a tool printed or a person typed was sent to a model's vendor, so every secret in a turn is out of
your hands; the order says which one matters most. First what opens an account at a provider, then
keys and passwords, then what expires or signs one request; within these what an agent's own file
still holds, then the latest. O(hits), and the agents' files that hold some.

Tested in: tests/services/secrets/test_secrets.py
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from dejavu.archive import Archive
from dejavu.model import Conversation, NotFoundError, conversation_to_dict, to_iso
from dejavu.redact import RULES
from dejavu.redact.conversation import redact_conversation

from .find import Hit
from .scan import Scan

_VENDORS = {rule.name: rule.vendor for rule in RULES if rule.vendor}
_SHORT_LIVED = {"jwt", "signature", "openai-session"}
_CONFUSED = {"assignment", "bearer", "basic", "option", "prefixed", "auth-header"}
"""Kinds that a name or a place gives away, not a form: some are placeholders or test data."""


class Place(msgspec.Struct, kw_only=True, frozen=True):
    """Where a secret is. `seq` None: in the raw of the conversation's source, in no turn."""

    conversation: str
    title: str
    agent: str
    workspace: str
    seq: int | None
    role: str | None
    vector: str | None
    at: float | None
    count: int
    source: str | None
    """The agent's own file."""
    in_file: bool | None
    """Whether that file holds it now; None where there is no file to look into."""


@dataclass(slots=True)
class Secret:
    """One secret, wherever it is."""

    kind: str
    digest: str
    last: str
    places: list[Place] = field(default_factory=list[Place])

    @property
    def vendor(self) -> str:
        """Who issued it; empty where its form does not say."""
        return _VENDORS.get(self.kind, "")

    @property
    def first_at(self) -> float | None:
        """When it was seen first, Unix seconds."""
        return min((p.at for p in self.places if p.at is not None), default=None)

    @property
    def last_at(self) -> float | None:
        """When it was seen last, Unix seconds."""
        return max((p.at for p in self.places if p.at is not None), default=None)

    @property
    def in_file(self) -> bool | None:
        """Whether a file of an agent's still holds it; None if no file could be looked into."""
        answers = {place.in_file for place in self.places}
        return True if True in answers else False if False in answers else None

    @property
    def urgency(self) -> int:
        """3 opens an account at a provider, 2 a key or password, 1 a guess, 0 expires soon."""
        if self.kind in _SHORT_LIVED:
            return 0
        if self.vendor:
            return 3
        return 1 if self.kind in _CONFUSED else 2

    def to_dict(self, rank: int) -> dict[str, object]:
        """Return the shape of `dejavu secrets list --json`."""
        return {
            "rank": rank, "kind": self.kind, "vendor": self.vendor or None, "last": self.last,
            "digest": self.digest, "urgency": self.urgency, "in_file": self.in_file,
            "first_at": to_iso(self.first_at), "last_at": to_iso(self.last_at),
            "places": [
                {**msgspec.to_builtins(place), "at": to_iso(place.at)} for place in self.places
            ],
        }  # fmt: skip


def listed(archive: Archive, scan: Scan, *, agent: str | None = None) -> list[Secret]:
    """Return every secret that a scan found, what to rotate first at the top."""
    secrets: dict[tuple[str, str], Secret] = {}
    for hit, place in _places(archive, scan):
        if agent is None or place.agent == agent:
            known = secrets.setdefault(
                (hit.kind, hit.digest), Secret(hit.kind, hit.digest, hit.last)
            )
            known.places.append(place)
    return sorted(
        secrets.values(),
        key=lambda one: (-one.urgency, one.in_file is not True, -(one.last_at or 0.0), one.digest),
    )


def _places(archive: Archive, scan: Scan) -> Iterator[tuple[Hit, Place]]:
    """Yield every hit with its place: turns, then what is in raw alone."""
    seen: set[tuple[str, str]] = set()
    files: dict[str, list[tuple[str, frozenset[str] | None]]] = {}
    summaries: dict[str, Conversation | None] = {}

    def summary_of(conversation: str) -> Conversation | None:
        if conversation not in summaries:
            try:
                # A title is a prompt's first line, and may hold the secret itself.
                summaries[conversation] = redact_conversation(
                    archive.summary(conversation), scan.redactor.redact
                )
                files[conversation] = list(_files(archive, scan, conversation))
            except NotFoundError:
                summaries[conversation] = None
        return summaries[conversation]

    for (conversation, seq), turn in sorted(scan.turns.items()):
        summary = summary_of(conversation)
        for hit in turn.hits if summary is not None else ():
            seen.add((conversation, hit.digest))
            source, in_file = _in_file(files[conversation], hit.digest)
            yield hit, _place(
                summary, hit, seq=seq, role=turn.role, vector=turn.vector, at=turn.at,
                source=source, in_file=in_file,
            )  # fmt: skip
    for key, raw in sorted(scan.raw.items()):
        for conversation in archive.sources.conversations(key) if raw.hits else ():
            summary = summary_of(conversation)
            if summary is None:
                continue
            for hit in raw.hits:
                if (conversation, hit.digest) in seen:
                    continue
                seen.add((conversation, hit.digest))
                source, in_file = _in_file(files[conversation], hit.digest)
                yield hit, _place(
                    summary, hit, seq=None, role=None, vector=None, at=summary.ended_at,
                    source=source, in_file=in_file,
                )  # fmt: skip


def _place(summary: Conversation | None, hit: Hit, **more: object) -> Place:
    fields = {} if summary is None else conversation_to_dict(summary)
    named = {name: fields.get(name, "") for name in ("title", "agent", "workspace")}
    return msgspec.convert(
        {"conversation": fields.get("id", ""), "count": hit.count, **named, **more}, Place
    )


def _files(
    archive: Archive, scan: Scan, conversation: str
) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield the agent's files of a conversation, with the digests of the secrets in each."""
    for key in archive.sources.of(conversation):
        path = scan.path_of(key)
        if path is not None and path.is_absolute():
            yield str(path), scan.file_digests(path)


def _in_file(
    files: list[tuple[str, frozenset[str] | None]], digest: str
) -> tuple[str | None, bool | None]:
    """Return the file that holds a secret, or the first there is, and whether it does."""
    for path, digests in files:
        if digests is not None and digest in digests:
            return path, True
    readable = [path for path, digests in files if digests is not None]
    return (readable[0], False) if readable else (files[0][0] if files else None, None)
