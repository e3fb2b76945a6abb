"""Cline: one JSON document a session, rewritten whole.

Reads `data/sessions/*/*.messages.json` below `${CLINE_DIR:-~/.cline}` (or where `CLINE_DATA_DIR`
and `CLINE_SESSION_DATA_DIR` point), and the tasks of its older versions
(`api_conversation_history.json`, there and in the editors' storage), sub-agents included. Title and
folder are in another document of the same folder.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Role, Text, ToolCallResponse

from ..entry_parsers import DocumentEntries
from ..follow.append import read_plain
from ..formats.entries import Entry, usage_of
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str, decode_lenient
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider

_MOVED = "CLINE_DATA_DIR", "CLINE_SESSION_DATA_DIR"  # folders below the root that may be elsewhere
_CONFIG = (".config",), ("Library", "Application Support")  # of Linux, of macOS
_EDITORS = "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"
_STORAGE = "User", "globalStorage", "saoudrizwan.claude-dev"
_TYPED = re.compile(
    r"<(user_input|task|feedback|user_message)(?:\s[^>]*)?>\n?(.*?)\n?</\1>", re.DOTALL
)
_ADDED = re.compile(r"<environment_details>.*?</environment_details>", re.DOTALL)


def _folders(home: Home) -> tuple[Path, Path, list[Path]]:
    """Cline's data, its sessions, and where editors keep what its older versions wrote."""
    environ = home.environ
    root = home.folder("CLINE_DIR", ".cline") / "data"
    if environ.get("CLINE_DATA_DIR"):
        root = home.folder("CLINE_DATA_DIR")
    sessions = root / "sessions"
    if environ.get("CLINE_SESSION_DATA_DIR"):
        sessions = home.folder("CLINE_SESSION_DATA_DIR")
    editors = [
        home.folder(None, *config, editor, *_STORAGE) for config in _CONFIG for editor in _EDITORS
    ]
    return root, sessions, [*editors, home.folder(None, ".vscode-server", "data", *_STORAGE)]


def _native(path: Path) -> str:
    """The session's id; a sub-agent's document is in the folder of its session."""
    stem, session = path.name.removesuffix(".messages.json"), path.parent.name
    return stem if stem == session else f"{session}/{stem}"


def _facts(source: Source) -> dict[str, Any]:
    """Title, folder and version, from the session's description or the list of tasks."""
    path = source.path
    native = path.name.removesuffix(".messages.json")
    if path.name.endswith(".messages.json"):
        document = _document(path.with_name(f"{native}.json"))
        if native != path.parent.name and not document:  # a sub-agent's: the folder of its session
            document = {"cwd": _document(path.with_name(f"{path.parent.name}.json")).get("cwd")}
        meta = as_dict(document.get("metadata"))
        facts = {
            "title": as_str(meta.get("title")),
            "workspace": as_str(document.get("cwd")),
            "began": document.get("started_at") or document.get("created_at"),
            "version": as_str(as_dict(meta.get("sessionHistoryOrigin")).get("version")),
        }
    elif len(path.parents) > 2:
        history = path.parents[2] / "state" / "taskHistory.json"
        tasks = as_dicts(_value(history))
        task = next(
            (task_ for task_ in tasks if task_.get("id") == path.parent.name), as_dict(None)
        )
        facts = {
            "title": as_str(task.get("task")).partition("\n")[0][:80],
            "workspace": as_str(task.get("cwdOnTaskInitialization")),
            "began": task.get("ts"),
            "model": as_str(task.get("modelId")),
        }
    else:
        return {}
    return {name: fact for name, fact in facts.items() if fact}


def _value(path: Path) -> Any:
    try:
        return decode_lenient(read_plain(path))
    except OSError:
        return None


def _document(path: Path) -> dict[str, Any]:
    return as_dict(_value(path))


class ClineParser(DocumentEntries):
    """One document, one conversation: a session's, or the list of a task's messages."""

    version = 2

    def entries(self, record: dict[str, Any]) -> Iterator[Entry]:
        """One message; its results, and a prompt without what the harness added to it."""
        for one in self.message({**record, "usage": None, "model": None}):
            results = tuple(map(_unwrapped, one.results))
            if one.role is Role.ASSISTANT:
                model = as_str(as_dict(record.get("modelInfo")).get("id")) or None
                yield one._replace(
                    results=results, model=model, usage=usage_of(record.get("metrics"))
                )
            else:
                parts = tuple(typed for part in one.parts for typed in _typed(part))
                typed = any(not isinstance(part, Extension) for part in parts)
                yield one._replace(
                    role=Role.USER if typed else Role.SYSTEM, parts=parts, results=results
                )


def _typed(part: Part) -> Iterator[Part]:
    """A prompt without its envelope; what the harness added to it as an extension."""
    if not isinstance(part, Text):
        yield part
        return
    for added in _ADDED.findall(part.content):
        yield Extension("cline.context", {"content": added})
    rest = _ADDED.sub("", part.content)
    typed = [body for _, body in _TYPED.findall(rest)]
    words = "\n".join(typed) if typed else rest if rest == part.content else rest.strip()
    if words:
        yield Text(words)


def _unwrapped(part: Part) -> Part:
    """A response without its envelope, where one command gave one result."""
    answers = as_dicts(part.response) if isinstance(part, ToolCallResponse) else []
    if isinstance(part, ToolCallResponse) and len(answers) == len(as_list(part.response)) == 1:
        answer = answers[0]
        if "result" in answer:
            failed = part.is_error or answer.get("success") is False
            return ToolCallResponse(part.id, answer["result"], failed)
    return part


class Cline(SessionFileProvider):
    """Provider of `${CLINE_DIR:-~/.cline}/data`."""

    agent = "cline"
    parser_class = ClineParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Cline's own folders and the editors' storage."""
        moved = [home.folder(name) for name in _MOVED if home.environ.get(name)]
        return (home.folder("CLINE_DIR", ".cline"), *moved, *_folders(home)[2])

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session or task."""
        root, sessions, editors = _folders(home)
        paths = {_native(path): path for path in sessions.glob("*/*.messages.json")}
        for tasks in (root, *editors):
            for path in tasks.glob("tasks/*/api_conversation_history.json"):
                paths.setdefault(path.parent.name, path)
        for native, path in sorted(paths.items()):
            yield self.source(home, path, native, Kind.WHOLE)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The session above a sub-agent's; the description, read again each time."""
        above = (source.native_id or "").rpartition("/")[0]
        return {**stored, "parent": above, **_facts(source)}


PROVIDER = Cline()
