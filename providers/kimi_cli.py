"""kimi-cli, Kimi's older command line (Python): a wire log and a context a session.

Takes `sessions/<hash of the folder>/<id>/` below `~/.kimi`; gives sessions and their sub-agents.
The wire log (`wire.jsonl`) has every event with its time and is only ever appended to; where it is
missing or says nothing, the model's context (`context.jsonl`, and the parts of it rotated away as
`context_N.jsonl`) is read instead.
"""

from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

from .api import Cursor, Delta, Home, Kind, Source
from .append import follow_append
from .kimi_cli_parsers import KimiContextParser, KimiWireParser
from .parsing import RecordParser, facts_of
from .records import plain
from .shapes import mapping, rows, text

_HEAD = 1 << 16


class KimiCli:
    """Provider of `~/.kimi/sessions`."""

    agent = "kimi-cli"

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session, each sub-agent and each rotated context."""
        root = home.folder("KIMI_SHARE_DIR", ".kimi") / "sessions"
        for path in sorted(root.glob("*/*.jsonl")):
            yield self._source(home, path, path.stem)
        for folder in sorted(one for one in root.glob("*/*") if one.is_dir()):
            yield from self._session(home, folder, folder.name)
            for agent in sorted(folder.glob("subagents/*")):
                yield from self._session(home, agent, f"{folder.name}/{agent.name}")

    def _session(self, home: Home, folder: Path, native: str) -> Iterator[Source]:
        wire, context = folder / "wire.jsonl", folder / "context.jsonl"
        if _speaks(wire):
            yield self._source(home, wire, native)
        elif context.is_file():
            yield self._source(home, context, native)
            for path in sorted(folder.glob("context_*.jsonl")):
                yield self._source(home, path, f"{native}/{path.stem}")

    def _source(self, home: Home, path: Path, native: str) -> Source:
        return Source(self.agent, path, home.instance, Kind.APPEND, native, home.workspace)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[Delta]:
        """Lines appended."""
        return follow_append(source.path, since)

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> RecordParser:
        """A parser for the log it is; title and folder stand beside it."""
        facts = {} if state is None else facts_of(state)
        kind = KimiWireParser if source.path.name == "wire.jsonl" else KimiContextParser
        parser = kind(source, {**facts, **_facts(source)})
        if state is not None and not restart:
            parser.resume(state)
        return parser


def _speaks(wire: Path) -> bool:
    """Whether a wire log has prompts in it; some versions wrote events without their content."""
    try:
        with wire.open("rb") as file:
            return b'"user_input"' in file.read(_HEAD)
    except OSError:
        return False


def _facts(source: Source) -> dict[str, Any]:
    """The title, from `state.json`, and the folder, by its hash in the list of folders."""
    path = source.path
    inside = "subagents" in path.parts
    session = path.parents[2] if inside else path.parent
    facts: dict[str, Any] = {"subagents": (session / "subagents").is_dir()}
    root = session.parent if path.parent.parent.name != "sessions" else path.parent
    try:
        if not inside:
            state = mapping(plain((session / "state.json").read_bytes()))
            facts["title"] = text(state.get("custom_title")) or text(state.get("title"))
    except OSError:
        pass
    try:
        known = mapping(plain((root.parents[1] / "kimi.json").read_bytes()))
    except (OSError, IndexError):
        return facts
    for folder in rows(known.get("work_dirs")):
        digest = md5(text(folder.get("path")).encode(), usedforsecurity=False).hexdigest()
        if root.name == digest or root.name.endswith(f"_{digest}"):
            facts["workspace"] = text(folder.get("path"))
    return facts
