"""Counts are what is there."""

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.model import Conversation, Role, Turn


def test_counts_by_agent_workspace_and_project(archive: Archive) -> None:
    for name, agent, workspace in (("a", "x", "/1"), ("b", "x", "/2"), ("c", "y", "/2")):
        project = "shop" if name == "c" else ""
        summary = Conversation(id=name, agent=agent, workspace=workspace, project=project)
        archive.put(summary.with_turns((Turn(role=Role.USER),) * 2))
    archive.commit(Batch({"s": [RawDelta(0, b"12345")]}))
    counts = archive.counts()
    assert (counts.conversations, counts.turns, counts.sources, counts.raw_bytes) == (3, 6, 1, 5)
    assert (counts.by_agent, counts.by_workspace) == ({"x": 2, "y": 1}, {"/2": 2, "/1": 1})
    assert counts.by_project == {"/1": 1, "/2": 1, "shop": 1}
    assert counts.log_entries == 3
    assert counts.stored_bytes == archive.backend.size() > 0
