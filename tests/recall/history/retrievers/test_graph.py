"""Graph: one step along the imports of the named file, and not out of the workspace."""

from pathlib import Path

from tests.recall.conftest import ASSISTANT, session

from dejavu.archive import Archive
from dejavu.model import ToolCall, Turn
from dejavu.recall import Recall


def test_imports_lead_to_the_turns_that_touched_them(archive: Archive, tmp_path: Path) -> None:
    root = tmp_path / "w"
    (root / "app").mkdir(parents=True)
    (root / "app" / "main.py").write_text("import os\nfrom app.ledger import Ledger\n")
    turn = Turn(role=ASSISTANT, parts=(ToolCall("1", "Edit", {"file_path": "app/ledger.py"}),))
    archive.put(session("a", turn, workspace=str(root)))
    recall = Recall(archive, tiers=["graph"])
    (hit,) = recall.search("what about app/main.py", workspace=str(root), floor=0.0)
    assert hit.tiers == ("graph",)
    assert recall.search("what about app/main.py", floor=0.0) == []
