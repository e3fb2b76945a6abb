"""Files that a person hands over: exports of chats, trajectories, transcripts in Markdown.

`form_of` tells from a file's first bytes what it is; `import_provider` reads it as any other source.
A form's name is used where an agent's does, so that what was imported can be parsed again. Looking
costs 64 KiB of the file, reading O(file).
"""

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from dejavu.model import UnreadableSessionError

from ..follow.append import open_plain
from ..follow.opaque import follow_opaque
from ..follow.stamp import stamp_of
from ..formats.long_lines import longest_line
from ..parsing import RecordParser, facts_of, restore
from ..protocol import Cursor, Home, Kind, Provider, RawDelta, Source
from ..registry import PROVIDERS

if TYPE_CHECKING:
    from zipfile import ZipFile

FORMS = {
    "atif": "formats.atif:AtifParser",
    "chatgpt": "imports.chatgpt:ChatGptParser",
    "claude-ai": "imports.claude_ai:ClaudeAiParser",
    "dejavu": "imports.own_export:OwnExportParser",
    "markdown": "imports.markdown:MarkdownParser",
}
"""The parser of each form."""

SKIPPED = "item passed over: "
"""How a parser's count of an item begins that holds no conversation; what follows says which."""

_PEEK = 1 << 16
_DATABASE = b"SQLite format 3\0"
_EDITOR_CHATS = "cursor-ide"  # whose chats a database most often holds
_CHATS = re.compile(rb'"mapping"\s*:\s*\{')
_CLAUDE = re.compile(rb'"chat_messages"\s*:\s*\[')
_OWN = re.compile(rb'\{\s*"id"\s*:\s*"[^"]*",\s*"workspace"\s*:\s*"')
_CHAT_SESSION = re.compile(rb'"requests"\s*:|"requesterUsername"')
_MEMBER = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")


def longest_export() -> int:
    """Bytes of a file that is handed over: exports of years are larger than any agent's records."""
    return max(512_000_000, longest_line())


class ImportedFile:
    """Provider of one form of files; it searches for none."""

    def __init__(self, form: str) -> None:
        self.agent = form
        module, _, name = FORMS[form].partition(":")
        self._reference = module, name

    def roots(self, home: Home) -> tuple[Path, ...]:  # noqa: ARG002 - files are handed over
        """None: files are handed over."""
        return ()

    def discover(self, home: Home) -> Iterator[Source]:  # noqa: ARG002 - files are handed over
        """None: files are handed over."""
        return iter(())

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The file, or the conversations in an archive, if it changed."""
        if source.path.suffix == ".zip":
            return _follow_zip(source.path, since)
        return follow_opaque(source.path, since, longest=longest_export())

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> RecordParser:
        """The form's parser."""
        module, name = self._reference
        make: type[RecordParser] = getattr(import_module(f"..{module}", __package__), name)
        stored = {} if state is None else facts_of(state)
        return restore(make(source, stored), state, restart=restart)


def import_provider(name: str) -> Provider | None:
    """The provider of an agent or of a form of handed-over files."""
    return ImportedFile(name) if name in FORMS else PROVIDERS.get(name)


def form_of(path: Path) -> str | None:
    """The form of a file or the agent that wrote it, told by its beginning; None if unknown.

    Raises:
        OSError, UnreadableSessionError: it may not be read.
    """
    with os.fdopen(open_plain(path), "rb") as file:
        head = file.read(_PEEK)
        if head.startswith(b"PK"):
            return _form_of_zip(file, path)
    if head.startswith(_DATABASE):
        return form_of_database(path)
    if path.suffix.lower() in (".md", ".markdown"):
        return "markdown"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"{", b"["):
        return None
    if b'"schema_version"' in head and b"ATIF" in head:
        return "atif"
    if _OWN.match(text):
        return "dejavu"
    return _form_of_json(head)


def is_plain_text(path: Path) -> bool:
    """Whether a file in Markdown has no heading of a speaker at its beginning: notes, a README.

    Raises:
        OSError, UnreadableSessionError: it may not be read.
    """
    if path.suffix.lower() not in (".md", ".markdown"):
        return False
    from .markdown import has_speakers  # of use to texts alone

    with os.fdopen(open_plain(path), "rb") as file:
        return not has_speakers(file.read(_PEEK).decode("utf-8", "replace"))


def form_of_database(path: Path) -> str:
    """Whose a database of an editor is: by which of its keys holds chats.

    Raises:
        OSError, UnreadableSessionError: it cannot be read.
    """
    from ..vscode_copilot.state_database import stored_sessions  # of use to databases alone

    older = source_of(path, _EDITOR_CHATS, "", None)
    return "vscode-copilot" if not older and stored_sessions(path) else _EDITOR_CHATS


def _form_of_json(head: bytes) -> str | None:
    if _CHATS.search(head):
        return "chatgpt"
    if _CLAUDE.search(head):
        return "claude-ai"
    return "vscode-copilot" if _CHAT_SESSION.search(head) else None


def _form_of_zip(file: IO[bytes], path: Path) -> str | None:
    with _opened(file, path) as archive:
        for name in sorted(filter(_MEMBER.search, archive.namelist())):
            with archive.open(name) as member:
                return _form_of_json(member.read(_PEEK))
    return None


@contextmanager
def _opened(file: IO[bytes], path: Path) -> "Generator[ZipFile]":
    """An archive, for as long as it is read.

    Raises:
        UnreadableSessionError: it is damaged.
    """
    from zipfile import ZipFile  # of use to archives alone

    try:
        with ZipFile(file) as archive:
            yield archive
    except UnreadableSessionError:
        raise
    except (
        Exception
    ) as error:  # zipfile lets a dozen kinds through: zlib's, lzma's, struct's, ValueError
        raise UnreadableSessionError(
            f"{path} is a damaged zip archive: {error}; export or copy it again"
        ) from error


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: size and time of the archive."""

    size: int = -1
    changed: int = 0


def _follow_zip(path: Path, since: Cursor | None) -> Iterator[RawDelta]:
    """The documents of conversations in an archive, one after the other as one list."""
    mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
    status = path.lstat()
    if stamp_of(status)[:2] == (mark.size, mark.changed):
        return
    documents: list[bytes] = []
    with os.fdopen(open_plain(path), "rb") as file, _opened(file, path) as archive:
        names = sorted(filter(_MEMBER.search, archive.namelist()))
        size = sum(archive.getinfo(name).file_size for name in names)
        if size > longest_export():
            raise UnreadableSessionError(
                f"{path} has conversations of {size >> 20} MB, more than `longest_line` under [sync]"
                " in config.toml; unpack it and import its conversations.json in parts"
            )
        for name in names:
            with archive.open(name) as member:
                documents.append(member.read(longest_export() + 1))
    data = documents[0] if len(documents) == 1 else b"[" + b",".join(documents) + b"]"
    cursor = msgspec.msgpack.encode(_Mark(*stamp_of(status)[:2]))
    yield RawDelta(0, data, cursor, reset=since is not None)


def source_of(path: Path, form: str, instance: str, workspace: str | None) -> list[Source]:
    """The sources that a file is: one, or one a session of a database.

    Raises:
        UnreadableSessionError: the database cannot be listed.
    """
    if form not in FORMS and (listed := getattr(PROVIDERS[form], "sources_in", None)) is not None:
        found: list[Source] = listed(path, instance, workspace)
        return found
    return [Source(form, path, instance, Kind.WHOLE, None, workspace, str(path))]
