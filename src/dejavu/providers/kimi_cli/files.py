"""kimi-cli, Kimi's older command line (Python): a wire log and a context a session.

Reads `sessions/<hash of the folder>/<id>/` below `~/.kimi`: sessions and their sub-agents. The wire
log (`wire.jsonl`) has every event with its time and is only ever appended to; where it is missing
or says nothing, the model's context (`context.jsonl`, and the parts of it rotated away as
`context_N.jsonl`) is read instead.
"""

import os
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

from dejavu.model import UnreadableSessionError

from ..follow.append import open_plain, read_plain
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient, lines
from ..parsing import RecordParser
from ..protocol import Home, Source
from ..session_files import SessionFileProvider
from .parsers import KimiContextParser, KimiWireParser

_HEAD = 1 << 16


def _tells_all(wire: Path, context: Path) -> bool:
    """Whether a wire log begins where the session does.

    Some versions wrote events without their content, and a session older than the log has only its
    later part there: then the log lacks the first prompt of the context.
    """
    prompts = [_words(as_dict(as_dict(record.get("message")).get("payload")).get("user_input"))
            for record in _head(wire)]  # fmt: skip
    context_prompts = (
        _words(record.get("content")) for record in _head(context) if record.get("role") == "user"
    )
    first = next(
        (words for words in context_prompts if not words.lstrip().startswith("<system")), ""
    )
    return any(prompts) and (not first or first in prompts)


def _head(path: Path) -> list[dict[str, Any]]:
    """The records in the first 64 KiB of a log; none if it cannot be read."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            data = file.read(_HEAD)
    except (OSError, UnreadableSessionError):
        return []
    return [as_dict(decode_lenient(line)) for line, _, _ in lines(data)]


def _words(content: Any) -> str:
    return as_str(content) or "\n".join(as_str(block.get("text")) for block in as_dicts(content))


def _facts(source: Source) -> dict[str, Any]:
    """The title, from `state.json`, and the folder, by its hash in the list of folders."""
    path = source.path
    inside = "subagents" in path.parts
    session = path.parents[2] if inside else path.parent
    facts: dict[str, Any] = {"subagents": (session / "subagents").is_dir()}
    root = session.parent if path.parent.parent.name != "sessions" else path.parent
    try:
        if not inside:
            state = as_dict(decode_lenient(read_plain(session / "state.json")))
            facts["title"] = as_str(state.get("custom_title")) or as_str(state.get("title"))
    except OSError:
        pass
    try:
        document = as_dict(decode_lenient(read_plain(root.parents[1] / "kimi.json")))
    except (OSError, IndexError):
        return facts
    for folder in as_dicts(document.get("work_dirs")):
        digest = md5(as_str(folder.get("path")).encode(), usedforsecurity=False).hexdigest()
        if root.name == digest or root.name.endswith(f"_{digest}"):
            facts["workspace"] = as_str(folder.get("path"))
    return facts


class KimiCli(SessionFileProvider):
    """Provider of `~/.kimi/sessions`."""

    agent = "kimi-cli"

    def roots(self, home: Home) -> tuple[Path, ...]:
        """kimi-cli's folder."""
        return (home.folder("KIMI_SHARE_DIR", ".kimi"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session, each sub-agent and each rotated context."""
        (folder,) = self.roots(home)
        root = folder / "sessions"
        for path in sorted(root.glob("*/*.jsonl")):
            yield self.source(home, path, path.stem)
        for session in sorted(path_ for path_ in root.glob("*/*") if path_.is_dir()):
            yield from self._session(home, session, session.name)
            for agent in sorted(session.glob("subagents/*")):
                yield from self._session(home, agent, f"{session.name}/{agent.name}")

    def _session(self, home: Home, folder: Path, native: str) -> Iterator[Source]:
        wire, context = folder / "wire.jsonl", folder / "context.jsonl"
        rotated = sorted(folder.glob("context_*.jsonl"))
        if _tells_all(wire, [*rotated, context][0]):
            yield self.source(home, wire, native)
        elif context.is_file():
            yield self.source(home, context, native)
            for path in rotated:
                yield self.source(home, path, f"{native}/{path.stem}")

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the log it is."""
        return KimiWireParser if source.path.name == "wire.jsonl" else KimiContextParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Title and folder are next to the log."""
        return {**stored, **_facts(source)}


PROVIDER = KimiCli()
