from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.session_files import claude_session


def test_reparse_says_what_it_did(dejavu: Callable[..., Result], home: Path) -> None:
    claude_session(home, "one")
    dejavu("sync")
    assert dejavu("reparse", "--json").json == {
        "sources": 1, "changed": [], "left": [], "failed": [],
    }  # fmt: skip
    assert "1 source parsed" in dejavu("reparse").out
