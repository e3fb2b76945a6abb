"""What a provider is: finds an agent's own traces, follows them, and turns their bytes into turns.

A provider finds the `Source`s below a `Home` (a user's folder, or a restored container's), reads
their bytes as `RawDelta`s and parses those into `TurnUpdate`s. Nothing is ever written into an
agent's folder.

The three steps are apart so that the archive can keep raw bytes as the system of record:

    provider.discover(home)          -> Source ...     costs a stat a file
    provider.follow(source, cursor)  -> RawDelta ...      bytes that are new since that cursor
    provider.parser(source, state)   -> Parser         feed it those bytes, take its updates

A source's *raw stream* is what `follow` gave, end to end: the file itself for files, a log of the
rows read for databases. A parser depends on that stream and on the *facts* it found next to the
source (a title in a side file, the parent of a fork), which its state keeps, so the archive can
parse its own raw again when the agent's files are long gone.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from dejavu.config.paths import user_home
from dejavu.model import RawDelta, TurnUpdate
from dejavu.model.blake2 import blake2b

__all__ = ["Cursor", "Home", "Kind", "Parser", "Provider", "RawDelta", "Source", "TurnUpdate"]

Cursor = bytes
"""How far a source was read: opaque, msgpack; hand back what a `RawDelta` gave."""


class Kind(StrEnum):
    """How a source grows, and so how it is followed."""

    APPEND = "append"
    """Lines are added at the end; read from an offset."""
    WHOLE = "whole"
    """A small file that is rewritten; read whole when it changed."""
    DATABASE = "database"
    """Rows that are added and edited; read by watermark into a log of rows."""
    SIDE_FILE = "beside"
    """A file that a session log points to; it is read with the log and has no turns."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where agents keep their folders: a user's home, or one restored from a container.

    `environ` holds the variables that move agents' folders (their own, and `XDG_DATA_HOME` ...); it
    is empty for a restored home. `workspace` is given where the operator
    named one; else each conversation's own working folder is taken. `project`: what the machine says
    of itself (a container's label), for folders that the settings do not name.
    """

    path: Path
    environ: Mapping[str, str]
    instance: str = "local"
    workspace: str | None = None
    project: str = ""

    @classmethod
    def own(cls, instance: str = "local") -> "Home":
        """The home of the user who runs us, with their environment."""
        return cls(user_home(), os.environ, instance)

    def folder(self, variable: str | None, *default: str) -> Path:
        """The folder `variable` names, or `default` below this home."""
        named = self.environ.get(variable, "") if variable else ""
        return Path(named).expanduser() if named else self.path.joinpath(*default)

    def relocated(self, variable: str, *path: str) -> Path:
        """`path` below the home that `variable` names instead of the user's, or below this one."""
        named = self.environ.get(variable, "")
        return (Path(named).expanduser() if named else self.path).joinpath(*path)

    def file(self, variable: str) -> Path | None:
        """The file `variable` names, if it names one."""
        named = self.environ.get(variable, "")
        return Path(named).expanduser() if named else None

    def holds(self, path: Path) -> bool:
        """Whether a file is in this home when links of folders are followed; of one's own home always.

        A restored home may be of someone else, who may have linked an agent's folder to ours.
        """
        if self.environ:
            return True
        return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(self.path))

    def xdg_data(self, name: str) -> Path:
        """`name` below the XDG data folder."""
        return self.folder("XDG_DATA_HOME", ".local", "share") / name


@dataclass(frozen=True, slots=True)
class Source:
    """One trace of one agent.

    `native_id` is the conversation's id in the agent's words, where the path alone tells it.
    `name` tells sources of one agent and instance apart when the native id does not, `variant` the
    forms of one session apart where its agent changed the form while we followed it.
    `extra_paths` are other files and folders that change in place of `path`; of a folder only its
    own times count.
    """

    agent: str
    path: Path
    instance: str
    kind: Kind
    native_id: str | None = None
    workspace: str | None = None
    name: str = ""
    variant: str = ""
    extra_paths: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """A stable id, at most 60 characters: the same after the folder above was renamed.

        Variants have the key of the first form, a dot, and their own name.
        """
        named = self.name or self.native_id or str(self.path)
        seed = f"{self.agent}\0{self.instance}\0{named}".encode("utf-8", "surrogateescape")
        key = f"{self.agent}-{blake2b(seed, digest_size=16).hexdigest()}"
        return f"{key}.{self.variant}" if self.variant else key


@runtime_checkable
class Parser(Protocol):
    """Turns a source's raw stream into updates; remembers only what later bytes may change."""

    drift: Counter[str]
    """What was not understood: `type` of a record, and `type key.path` down to three keys."""

    def feed(self, data: bytes, offset: int) -> None:
        """Take the bytes at `offset` of the raw stream; an offset of 0 starts over.

        `data` ends where a `RawDelta` ended. Never raises on bad records: they are counted.
        """
        ...

    def take(self) -> tuple[TurnUpdate, ...]:
        """What changed since it was last asked."""
        ...

    def state(self) -> bytes:
        """What `Provider.parser` needs to go on from here (msgpack)."""
        ...


@runtime_checkable
class Provider(Protocol):
    """One agent's traces."""

    @property
    def agent(self) -> str:
        """The agent's name, as everything else calls it."""
        ...

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders it looks into, whether they exist or not; none if they may be anywhere."""
        ...

    def discover(self, home: Home) -> Iterator[Source]:
        """Yield every session file below `home`; none of a folder that is missing or unreadable."""
        ...

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """What is new since that cursor (None: everything); nothing at all if it is unchanged.

        Raises:
            OSError: the file vanished or may not be read; what was archived stays.
            UnreadableSessionError: it is no trace of this agent; names the file and the place.
        """
        ...

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> Parser:
        """A parser at the start of the stream, or where `state` left off.

        `restart` takes from `state` only the facts found next to the source, to parse the archive's
        own raw again from offset 0.

        Raises:
            StaleStateError: another version of the parser wrote `state`; parse the raw again.
        """
        ...


def search_roots(provider: Provider, home: Home) -> set[Path]:
    """The provider's roots, without the home itself and what is above it.

    A variable may name such a folder; too much else is below it to be walked or watched.
    """
    return {path for path in provider.roots(home) if not home.path.is_relative_to(path)}
