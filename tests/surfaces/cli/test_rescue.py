from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.test_sync import claude_session
from tests.surfaces.conftest import Result


def test_a_tree_of_homes_is_archived(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    root = tmp_path / "fleet"
    for name in ("a", "b"):
        claude_session(root / name, "one")
    done = dejavu("rescue", str(root), "--json")
    assert done.code == 0
    assert done.json["homes"] == ["a", "b"]
    assert len(done.json["conversations"]) == 2
    assert {head["instance"] for head in dejavu("list", "--json").json} == {"a", "b"}


def test_nothing_there_is_said(dejavu: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = dejavu("rescue", str(tmp_path / "empty"))
    assert done.code == 0
    assert "no agent" in done.err
    assert dejavu("rescue", str(tmp_path / "nowhere")).code == 2
