from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

from dejavu.providers import agents


def test_every_agent_with_what_lies_here(dejavu: Callable[..., Result], home: Path) -> None:
    session = home / ".grok" / "sessions" / "%2Fwork" / "one" / "updates.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}\n")
    rows = {row["agent"]: row for row in dejavu("agents", "--json").rows}
    assert set(rows) == set(agents())
    assert rows["grok"]["sessions"] == 1
    assert rows["grok"]["bytes"] == 3
    assert rows["grok"]["observed"] is True
    assert rows["warp"]["observed"] is False
    assert rows["claude"]["tested_version"]
    assert rows["claude"]["retention_days"] == 30
    assert rows["windsurf"]["vectors"] == []
    assert [row["agent"] for row in dejavu("agents", "--here", "--json").rows] == ["grok"]
    lines = dejavu("agents").out.splitlines()
    assert len([line for line in lines if not line.startswith(" ")]) == len(agents()) + 1
    assert lines[1].split()[:2] == ["grok", "1"]


def test_what_the_agent_will_delete_is_said(dejavu: Callable[..., Result], home: Path) -> None:
    session = home / ".claude" / "projects" / "p" / "one.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}\n")
    assert "deletes its history after 30 days" in dejavu("agents", "claude").out
    assert dejavu("agents", "claude", "--json").rows[0]["purge_at"]


def test_a_name_that_is_none_is_refused(dejavu: Callable[..., Result]) -> None:
    assert dejavu("agents", "gosse").code == 2
