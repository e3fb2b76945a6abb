"""Trees of JSON files."""

import shutil
from pathlib import Path

from dejavu.providers.opencode.stores import stores


def test_a_gate_opens_when_a_part_is_added_or_edited(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / "opencode", tmp_path, dirs_exist_ok=True)
    root = tmp_path / ".local" / "share" / "opencode"
    tree = stores(root)[0]
    gates = [tree.gate("ses_1")]
    part = root / "storage" / "part" / "msg_1" / "prt_9.json"
    part.write_text("{}")
    gates.append(tree.gate("ses_1"))
    (part.parent / ".oc-1.tmp").write_text("{")
    assert tree.gate("ses_1") == gates[-1]
    assert len(set(gates)) == 2
