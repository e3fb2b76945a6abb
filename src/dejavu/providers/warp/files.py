"""Warp: what was asked of its agent, in `warp.sqlite`.

The table `ai_queries` has prompts, results of actions, folders and models, a row an exchange. What
the agent answered is in `agent_tasks` in a packed form that is not read. (Schema:
`crates/persistence/migrations` of Warp.)

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Role, Text

from ..entry_parsers import Entries, RowEntries
from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.session_tables import Queries, QueryStore
from ..formats.entries import Entry, Session, first_str, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Home

_QUERIES = Queries(
    overview="SELECT conversation_id, count(*), max(start_ts), group_concat(output_status)"
    " FROM ai_queries GROUP BY conversation_id",
    messages="SELECT * FROM ai_queries WHERE conversation_id = ? ORDER BY start_ts, rowid",
    needs=("ai_queries.conversation_id", "ai_queries.input"),
)
_FILES = (
    ".local/state/warp-terminal/warp.sqlite",
    ".warp/warp.sqlite",
    "Library/Group Containers/2BBY89MBSN.dev.warp/Library/Application Support/dev.warp.Warp-Stable/warp.sqlite",
    "Library/Application Support/dev.warp.Warp-Stable/warp.sqlite",
)


class WarpParser(RowEntries):
    """One conversation."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """One exchange: what was asked, or what an action gave back."""
        parts: list[Part] = []
        for asked in as_dicts(decode_lenient(as_str(record.get("input")).encode())):
            query = as_dict(asked.get("Query"))
            if words := first_str(query, "text", "query"):
                parts.append(Text(words))
            for kind, value in asked.items():
                if kind != "Query":
                    parts.append(Extension(f"warp.{kind[:40]}", as_dict(value)))
        typed = any(isinstance(part, Text) for part in parts)
        at, native = time_of(record.get("start_ts")), as_str(record.get("exchange_id")) or None
        said = Entry(Role.USER if typed else Role.SYSTEM, tuple(parts), (), at, native)
        folder, model = as_str(record.get("working_directory")), as_str(record.get("model_id"))
        return [Session(workspace=folder, model=model), said]


class Warp(SessionDatabase):
    """Provider of `warp.sqlite`."""

    agent = "warp"
    parser_class = WarpParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders that may hold it; the first that does is looked into."""
        folders = [(home.path / file).parent for file in _FILES]
        return tuple(sorted(folders, key=lambda folder: not (folder / "warp.sqlite").is_file()))

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "warp.sqlite"
        return [QueryStore(path, queries=_QUERIES)] if path.exists() else []


PROVIDER = Warp()
