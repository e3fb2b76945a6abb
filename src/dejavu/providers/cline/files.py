"""Cline: one JSON document a session, rewritten whole.

Reads `data/sessions/*/*.messages.json` below `${CLINE_DIR:-~/.cline}` (or where `CLINE_DATA_DIR`
and `CLINE_SESSION_DATA_DIR` point), and the tasks of its older versions
(`api_conversation_history.json`, there and in the editors' storage), sub-agents included. Title and
folder stand in a document beside it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import (
    Extension,
    Part,
    Relation,
    Role,
    Span,
    Text,
    ToolCallResponse,
    Turn,
    Usage,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..follow.append import read_plain
from ..formats import content_blocks as blocks
from ..formats.json_coerce import as_dict, as_dicts, as_int, as_list, as_str
from ..formats.json_lines import decode_lenient
from ..parsing import MAIN, DocumentParser
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
    """The session's id; a sub-agent's document lies beside that of its session."""
    stem, session = path.name.removesuffix(".messages.json"), path.parent.name
    return stem if stem == session else f"{session}/{stem}"


def _facts(source: Source) -> dict[str, Any]:
    """Title, folder and version, from the session's description or the list of tasks."""
    path = source.path
    native = path.name.removesuffix(".messages.json")
    if path.name.endswith(".messages.json"):
        document = _document(path.with_name(f"{native}.json"))
        if native != path.parent.name and not document:  # a sub-agent: where its session is
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


class ClineParser(DocumentParser):
    """One document, one conversation."""

    def document(self, value: Any, span: Span) -> None:
        """Take a session's document, or a task's list of messages."""
        document = as_dict(value)
        native = self.source.native_id or as_str(document.get("sessionId")) or self.source.path.stem
        facts = self.facts
        head = self.head(
            native,
            parent=native.rpartition("/")[0] or None,
            relation=Relation.SUBAGENT,
            title=as_str(facts.get("title")),
            workspace=as_str(facts.get("workspace")),
            started_at=from_iso(facts.get("began")),
            agent_version=as_str(facts.get("version")) or None,
        )
        thread = self.threads[MAIN] = ConversationBuilder(head)
        for message in as_dicts(document.get("messages") if document else value):
            self._message(thread, message, span)

    def _message(self, thread: ConversationBuilder, message: dict[str, Any], span: Span) -> None:
        message_parts, results = blocks.parts(message.get("content"), "cline", self._strange)
        common: dict[str, Any] = {
            "native_id": as_str(message.get("id")) or None,
            "at": from_iso(message.get("ts")),
            "spans": (span,),
        }
        if results:
            parts = tuple(_plainer(part) for part in results)
            thread.append(Turn(role=Role.TOOL, parts=parts, **common))
        if message.get("role") == "assistant":
            metrics = as_dict(message.get("metrics"))
            model = as_str(as_dict(message.get("modelInfo")).get("id")) or as_str(
                self.facts.get("model")
            )
            if message_parts:
                usage = _usage(metrics) if metrics else None
                turn = Turn(
                    role=Role.ASSISTANT,
                    parts=tuple(message_parts),
                    model=model or None,
                    usage=usage,
                    **common,
                )
                thread.append(turn)
        elif message_parts:
            typed = [typed_part for part in message_parts for typed_part in _typed(part)]
            role = Role.USER if any(not isinstance(p, Extension) for p in typed) else Role.SYSTEM
            thread.append(Turn(role=role, parts=tuple(typed), **common))

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1


def _typed(part: Part) -> Iterator[Part]:
    """A prompt without the envelope, and apart from it what the harness added."""
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


def _plainer(part: Part) -> Part:
    """A response without its envelope, where one command gave one result."""
    answers = as_dicts(part.response) if isinstance(part, ToolCallResponse) else []
    if isinstance(part, ToolCallResponse) and len(answers) == len(as_list(part.response)) == 1:
        answer = answers[0]
        if "result" in answer:
            failed = part.is_error or answer.get("success") is False
            return ToolCallResponse(part.id, answer["result"], failed)
    return part


def _usage(metrics: dict[str, Any]) -> Usage:
    read, written = as_int(metrics.get("cacheReadTokens")), as_int(metrics.get("cacheWriteTokens"))
    return Usage(
        input_tokens=(as_int(metrics.get("inputTokens")) or 0) + (read or 0) + (written or 0),
        output_tokens=as_int(metrics.get("outputTokens")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
    )


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
        """What stands beside the document is read anew each time."""
        return {**stored, **_facts(source)}


PROVIDER = Cline()
