"""Claude Code: one JSONL file a session, lines appended; sub-agents in files of their own.

Reads `projects/` below `${CLAUDE_CONFIG_DIR:-~/.claude}`: sessions, their sub-agents, and what only the
neighbours of a session tell. Finding sessions costs a directory entry a file; looking for a fork
reads the heads of the neighbours once, when a session is new to us.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from dejavu.model import UnreadableSessionError

from ..conversation_builder import number
from ..find_paths import glob_below
from ..follow.append import open_plain, read_plain
from ..follow.stamp import Stamp, modified_at, stamp_of
from ..formats.json_lines import as_dict, as_str, decode_lenient, decode_struct, lines
from ..formats.long_lines import UNCHECKED
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider
from .parser import ClaudeParser

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEAD = 1 << 16  # bytes of a file that must show its first record with an id
_DESKTOP = ("Library", "Application Support", "Claude", "local-agent-mode-sessions")
_ALIKE = 4096  # bytes compared at the head and the end of two files of one name


def sessions(home: Home) -> Iterator[Source]:
    """A source for each session and each sub-agent below `home`."""
    paths_by_id: dict[str, list[Path]] = {}
    for root in dict.fromkeys(_projects_folders(home)):
        for project in _folders(root):
            for path in _files(project):
                paths_by_id.setdefault(_native(path), []).append(path)
    for native, paths in paths_by_id.items():
        for index, path in enumerate(_distinct(paths)):
            fixed = bool(native) and "*" not in native
            name = native if index == 0 else f"{native}@{path.parent.name}"
            yield Source(
                "claude", path, home.instance, Kind.APPEND, name if fixed else None,
                home.workspace, name,
            )  # fmt: skip


def roots(home: Home) -> tuple[Path, ...]:
    """The configuration's folder, the projects of an older version's, and the desktop's."""
    config, desktop = home.folder("CLAUDE_CONFIG_DIR", ".claude"), home.folder(None, *_DESKTOP)
    if home.environ.get("CLAUDE_CONFIG_DIR"):
        return config, desktop
    return config, home.folder(None, ".config", "claude", "projects"), desktop


def _projects_folders(home: Home) -> Iterator[Path]:
    config, *older, desktop = roots(home)
    yield config / "projects"
    yield from older
    if desktop.is_dir():
        yield from glob_below(desktop, "**/.claude/projects")


def _folders(root: Path) -> list[Path]:
    """The folders in `root`, in order; none if it is missing or closed to us."""
    try:
        with os.scandir(root) as entries:
            return sorted(Path(e.path) for e in entries if e.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _files(project: Path) -> Iterator[Path]:
    """The JSONL files of one project, its sessions' folders included."""
    try:
        with os.scandir(project) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in inside:
        if entry.is_dir(follow_symlinks=False):
            below = Path(entry.path) / "subagents"
            if below.is_dir():
                yield from sorted(glob_below(below, "**/*.jsonl"))
        elif entry.name.endswith(".jsonl"):
            yield Path(entry.path)


def _native(path: Path) -> str:
    """The session's id as its path tells it; with `*` where only the file can tell."""
    parts = path.parts
    if "subagents" in parts:
        at = len(parts) - 1 - parts[::-1].index("subagents")
        session, stem = parts[at - 1], path.stem.removeprefix("agent-")
        workflow = parts[at + 2] if parts[at + 1] == "workflows" and len(parts) > at + 3 else ""
        return f"{session}/{workflow}" if workflow and stem == "journal" else f"{session}/{stem}"
    return path.stem if _UUID.fullmatch(path.stem) else f"*{path.parent.name}/{path.stem}"


def _distinct(paths: list[Path]) -> list[Path]:
    """Files of one session, without those that another holds from its first byte on."""
    if len(paths) == 1:
        return paths
    distinct: list[Path] = []
    for path in sorted(paths, key=lambda path: (-path.stat().st_size, str(path))):
        if not any(_begins_with(longer, path) for longer in distinct):
            distinct.append(path)
    return sorted(distinct)


def _begins_with(longer: Path, path: Path) -> bool:
    try:
        size = path.stat().st_size
        with _opened(longer) as first, _opened(path) as second:
            for offset in (0, max(0, size - _ALIKE)):
                first.seek(offset)
                second.seek(offset)
                length = min(_ALIKE, size - offset)
                if first.read(length) != second.read(length):
                    return False
    except (OSError, UnreadableSessionError):
        return False
    return True


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(open_plain(path), "rb")


def facts(source: Source, stored: dict[str, Any]) -> dict[str, Any]:
    """What is known next to a source: a sub-agent's title, the session this one was forked from."""
    path = source.path
    if path.stem.startswith("agent-"):
        try:
            meta = decode_lenient(read_plain(path.with_suffix(".meta.json")))
        except OSError:
            return {}
        return {"title": as_str(as_dict(meta).get("description"))}
    known = "fork_of" in stored and not stored.get("still_copied")
    if known or not path.is_file() or source.native_id is None:
        return {}
    if parent := as_str(stored.get("fork_of")):
        parent_path = path.with_name(f"{parent}.jsonl")
        return _copy_of(path, parent, _own_from(path, parent_path)) if parent_path.is_file() else {}
    return _fork(path)


class _Id(msgspec.Struct, rename="camel"):
    uuid: str | None = None
    type: str | None = None


_DECODER = msgspec.json.Decoder(_Id)


class _Project(msgspec.Struct):
    """What is known of a project's sessions: each one's first id, and who shares one."""

    stamp: Stamp = ()
    first: dict[Path, str | None] = {}
    alike: dict[str, list[Path]] = {}


_projects: dict[Path, _Project] = {}


def _alike(path: Path) -> list[Path]:
    """The sessions next to `path` that begin with the same id as it does, itself among them.

    The heads of a project's files are read once, and again only those that told nothing yet.
    """
    folder = path.parent
    project = _projects.setdefault(folder, _Project())
    stamp = stamp_of(folder.stat())
    if stamp != project.stamp or project.first.get(path) is None:
        siblings = [path_ for path_ in folder.glob("*.jsonl") if _UUID.fullmatch(path_.stem)]
        project.first = {
            path_: project.first.get(path_) or _first_id(path_) for path_ in sorted(siblings)
        }
        project.alike, project.stamp = {}, stamp
        for path_, first in project.first.items():
            if first is not None:
                project.alike.setdefault(first, []).append(path_)
    return project.alike.get(project.first.get(path) or "", [])


def _written(path: Path) -> int:
    return modified_at(stamp_of(path.stat()))


def _fork(path: Path) -> dict[str, Any]:
    """The session whose beginning `path` repeats, and where its own records begin.

    A fork writes its parent's chain again, with the same ids and no word of where it came from.
    The copy lacks the bookkeeping between the parent's records, so of two files that
    begin alike the one with the longer beginning is the parent; else the one written to last is
    the fork.
    """
    best: tuple[int, str] | None = None
    for sibling in _alike(path):
        if sibling == path:
            continue
        own, theirs = _own_from(path, sibling), _own_from(sibling, path)
        if (theirs, -_written(sibling), path.stem) > (
            own, -_written(path), sibling.stem,
        ):  # fmt: skip
            best = max(best or (0, ""), (own, sibling.stem))
    if best is None:
        return {"fork_of": None}
    return _copy_of(path, best[1], best[0])


def _copy_of(path: Path, parent: str, own_from: int) -> dict[str, Any]:
    # Without its own record yet, more of the parent's may follow: look again then.
    still_copied = own_from >= path.stat().st_size
    return {"fork_of": parent, "own_from": own_from, "still_copied": still_copied}


def _first_id(path: Path) -> str | None:
    """The id of a session's first prompt or answer, if its head shows one."""
    try:
        descriptor = open_plain(path)
        try:
            data = os.pread(descriptor, _HEAD, 0)
        finally:
            os.close(descriptor)
    except (OSError, UnreadableSessionError):
        return None
    for line, _, _ in lines(data[: data.rfind(b"\n") + 1]):
        record = decode_struct(line, _DECODER)
        if record and record.uuid and record.type in ("user", "assistant"):
            return record.uuid
    return None


def _own_from(path: Path, parent: Path) -> int:
    """Where in `path` the first record with an id is that `parent` has not."""
    theirs: set[int] = set()
    with _opened(parent) as file:
        for line in _short_lines(file):
            record = decode_struct(line, _DECODER)
            if record and record.uuid:
                theirs.add(number(record.uuid))
    offset = 0
    with _opened(path) as file:
        for line in _short_lines(file):
            record = decode_struct(line, _DECODER)
            if record and record.uuid and number(record.uuid) not in theirs:
                return offset
            offset += len(line)
    return offset


def _short_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, in pieces of at most 4 MiB: no id is looked for in a longer one."""
    return iter(lambda: file.readline(UNCHECKED), b"")


class ClaudeCode(SessionFileProvider):
    """Provider of `${CLAUDE_CONFIG_DIR:-~/.claude}/projects`."""

    agent = "claude"
    parser_class = ClaudeParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Claude Code's folder, the one it had before, and the desktop's."""
        return roots(home)

    def discover(self, home: Home) -> Iterator[Source]:
        """Session files and sub-agents' files, one source each."""
        return sessions(home)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """A session new to us is compared with its neighbours, to see a fork."""
        return {**stored, **facts(source, stored)}


PROVIDER = ClaudeCode()
