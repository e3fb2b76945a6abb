"""CodeWhale, DeepSeek TUI before: a JSON document a session.

Reads `sessions/*.json` below `${CODEWHALE_HOME:-~/.codewhale}` and `~/.deepseek`. (Form:
`crates/tui/src/session_manager.rs`.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Relation

from ..entry_parsers import DocumentEntries
from ..formats.entries import Session, time_of
from ..formats.json_lines import as_dict, as_str


class CodeWhaleParser(DocumentEntries):
    """One session, one conversation."""

    def session(self, document: dict[str, Any]) -> Session:
        """Title, folder, model, beginning, and the session that this is a fork of."""
        meta = as_dict(document.get("metadata"))
        return Session(
            as_str(meta.get("title")),
            as_str(meta.get("workspace")),
            time_of(meta.get("created_at")),
            parent=as_str(meta.get("parent_session_id")),
            relation=Relation.FORK,
            model=as_str(meta.get("model")),
        )
