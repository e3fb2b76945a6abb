"""Amp up to early 2026: one JSON document a thread, rewritten whole.

Reads `threads/T-*.json` below the data folder, one source a thread. Later versions keep nothing on
disk but logs: `amp_export` asks Amp itself for theirs. Messages have no time but the prompts' own;
an answer's is that of the usage ledger's entry for it. Costs O(document) whenever it changed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..follow.document import FileCursor
from ..follow.stamp import file_stamp, modified_at
from ..formats.json_lines import as_dict, as_dicts, as_int, as_str
from ..parsing import MAIN, DocumentParser
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..session_files import SessionFileProvider

_ANSWER = {"output", "exitCode"}
_FAILED = frozenset({"error", "cancelled", "rejected-by-user", "blocked-on-user"})


class AmpParser(DocumentParser):
    """Turns from a thread document."""

    def document(self, value: Any, span: Span) -> None:
        """Take a thread."""
        document = as_dict(value)
        native = as_str(document.get("id")) or self.source.native_id or self.source.path.stem
        environment = as_dict(as_dict(document.get("env")).get("initial"))
        above, relation = _origin(document)
        head = self.head(
            native,
            parent=above,
            relation=relation,
            workspace=_workspace(environment),
            title=as_str(document.get("title")),
            started_at=from_iso(document.get("created")),
            agent_version=as_str(as_dict(environment.get("platform")).get("clientVersion")) or None,
        )
        thread = self.threads[MAIN] = ConversationBuilder(head)
        moments = _moments(document)
        for message in as_dicts(document.get("messages")):
            self._message(thread, message, moments, span)

    def _message(
        self,
        thread: ConversationBuilder,
        message: dict[str, Any],
        moments: dict[int, Any],
        span: Span,
    ) -> None:
        content: list[Part] = []
        results: list[Part] = []
        for block in as_dicts(message.get("content")):
            (results if block.get("type") == "tool_result" else content).append(self._part(block))
        number = as_int(message.get("messageId"))
        usage = as_dict(message.get("usage"))
        sent = as_dict(message.get("meta")).get("sentAt") or usage.get("timestamp")
        common: dict[str, Any] = {
            "at": from_iso(sent or moments.get(-1 if number is None else number)),
            "native_id": None if number is None else str(number),
            "spans": (span,),
        }
        if results:
            thread.append(Turn(role=Role.TOOL, parts=tuple(results), **common))
        role = {"user": Role.USER, "assistant": Role.ASSISTANT}.get(as_str(message.get("role")))
        if content:
            thread.append(
                Turn(
                    role=role or Role.SYSTEM,
                    parts=tuple(content),
                    model=as_str(usage.get("model")) or None,
                    usage=_usage(usage) if usage else None,
                    **common,
                )
            )

    def _part(self, block: dict[str, Any]) -> Part:
        kind = as_str(block.get("type"))
        if kind == "text":
            return Text(as_str(block.get("text")))
        if kind == "thinking":
            return Reasoning(as_str(block.get("thinking")))
        if kind == "tool_use":
            call = as_str(block.get("id")) or None
            return ToolCall(call, as_str(block.get("name")), block.get("input"))
        if kind == "tool_result":
            run = as_dict(block.get("run"))
            status = as_str(run.get("status"))
            reply = _reply(run)
            return ToolCallResponse(
                as_str(block.get("toolUseID")) or None, reply, status in _FAILED
            )
        source = as_dict(block.get("source"))
        if kind == "image" and "data" in source:
            return Blob(as_str(source.get("mediaType")) or None, as_str(source.get("data")))
        if kind not in ("redacted_thinking", "image", "summary"):
            self.drift[f"block/{kind}"] += 1
        return Extension(f"amp.{kind}", {k: v for k, v in block.items() if k != "type"})


def _reply(run: dict[str, Any]) -> Any:
    """What a tool gave: its output where it has one, else the result or the error as they are."""
    if (result := run.get("result")) is None:
        error = run.get("error")
        return as_dict(error).get("message") or error or run.get("status")
    answer = as_dict(result)
    return answer["output"] if "output" in answer and answer.keys() <= _ANSWER else result


def _origin(document: dict[str, Any]) -> tuple[str | None, Relation | None]:
    """The thread this one was started by, forked from or handed over from."""
    if main := as_str(document.get("mainThreadID")):
        return main, Relation.SUBAGENT
    for relationship in as_dicts(document.get("relationships")):
        if relationship.get("role") == "child" and relationship.get("type") in ("fork", "handoff"):
            relation = Relation.FORK if relationship["type"] == "fork" else Relation.RESUME
            return as_str(relationship.get("threadID")) or None, relation
    forked = as_str(document.get("originThreadID"))
    return forked or None, Relation.FORK if forked else None


def _workspace(environment: dict[str, Any]) -> str:
    """The first folder the thread was opened in."""
    for tree in as_dicts(environment.get("trees")):
        uri = urlsplit(as_str(tree.get("uri")))
        if uri.scheme == "file":
            return unquote(uri.path)
    return ""


def _moments(document: dict[str, Any]) -> dict[int, Any]:
    """When each answer came, by its message's number."""
    ledger = as_dicts(as_dict(document.get("usageLedger")).get("events"))
    return {
        number: event.get("timestamp")
        for event in ledger
        if (number := as_int(event.get("toMessageId"))) is not None
    }


def _usage(usage: dict[str, Any]) -> Usage:
    created = as_int(usage.get("cacheCreationInputTokens"))
    read = as_int(usage.get("cacheReadInputTokens"))
    total = as_int(usage.get("totalInputTokens"))
    fresh = as_int(usage.get("inputTokens"))
    if total is None and fresh is not None:
        total = fresh + (created or 0) + (read or 0)
    return Usage(
        input_tokens=total,
        output_tokens=as_int(usage.get("outputTokens")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=created,
    )


class Amp(SessionFileProvider):
    """Provider of `${AMP_DATA_DIR:-$XDG_DATA_HOME/amp}/threads`."""

    agent = "amp"
    parser_class = AmpParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Amp's data folder."""
        moved = bool(home.environ.get("AMP_DATA_DIR"))
        return (home.folder("AMP_DATA_DIR") if moved else home.xdg_data("amp"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each thread."""
        (root,) = self.roots(home)
        for path in sorted(root.glob("threads/T-*.json")):
            yield self.source(home, path, path.stem, Kind.WHOLE)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The document, if it changed, and if it is newer than what Amp's own program gave."""
        if since is not None:
            mark = msgspec.msgpack.decode(since, type=FileCursor)
            if not mark.inode and modified_at(file_stamp(source.path)) <= mark.mtime:
                return iter(())
        return super().follow(source, since)


PROVIDER = Amp()
