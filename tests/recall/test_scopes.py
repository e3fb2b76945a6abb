"""Nothing of one workspace is shown in another without the switch: every surface that answers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dejavu.archive.access import open_archive
from dejavu.interfaces.mcp.event_tools import EventTools
from dejavu.interfaces.mcp.tools import Tools
from dejavu.model import Conversation, Role, Text, Turn, conversation_id
from dejavu.recall import Memory, Recall, inject
from dejavu.recall.rationale import explain

QUESTION = "why is the osprey throttle low?"


def told(workspace: str, name: str) -> Conversation:
    answer = f"The osprey throttle is low because {name} asked for it, for the tests of the month. "
    return Conversation(
        id=conversation_id("claude", "local", name), agent="claude", workspace=workspace,
        title=f"{name} throttle",
    ).with_turns(
        (
            Turn(role=Role.USER, parts=(Text(f"the osprey throttle of {name}?"),), at=1.0),
            Turn(role=Role.ASSISTANT, parts=(Text(answer * 2),), at=2.0),
        )
    )  # fmt: skip


@pytest.fixture
def two_projects(home: Path) -> None:
    with open_archive(write=True) as archive:
        archive.put(told("/work/ours", "ours"))
        archive.put(told("/work/theirs", "THEIRS"))
        memory = Memory(archive)
        memory.remember("The osprey throttle of ours is 5", workspace="/work/ours")
        memory.remember("The osprey throttle of THEIRS is 7", workspace="/work/theirs")
        explain(archive)


def surfaces() -> dict[str, Callable[[], object]]:
    tools, events = Tools("/work/ours"), EventTools("/work/ours")

    def library() -> object:
        with open_archive(write=True) as archive:
            memories = Memory(archive).recall(QUESTION, workspace="/work/ours")
            return [Recall(archive).search(QUESTION, workspace="/work/ours"), memories]

    def block() -> object:
        with open_archive(write=True) as archive:
            recall = Recall(archive)
            recall.catch_up()
            return inject(archive, QUESTION, workspace="/work/ours", limit=10)

    return {
        "library": library,
        "block": block,
        "search_memory": lambda: tools.search_memory(QUESTION),
        "recall": lambda: tools.recall(QUESTION),
        "get_memory_context": lambda: tools.get_memory_context(QUESTION),
        "list_conversations": lambda: tools.list_conversations(),
        "searchMemory": lambda: events.searchMemory(QUESTION),
    }


@pytest.mark.parametrize("name", sorted(surfaces()))
def test_what_is_theirs_stays_there(name: str, two_projects: None) -> None:
    shown = json.dumps(surfaces()[name](), default=str)
    assert "ours" in shown
    assert "THEIRS" not in shown


def test_the_switch(two_projects: None) -> None:
    assert "THEIRS" in json.dumps(Tools("/work/ours").search_memory(QUESTION, everywhere=True))


def test_a_memory_of_the_agents_holds_in_its_workspace(two_projects: None) -> None:
    Tools("/work/ours/deep").remember("The kestrel valve is ours")
    assert "kestrel" not in json.dumps(Tools("/work/theirs").recall("kestrel valve"))
    assert "kestrel" in json.dumps(Tools("/work/ours").recall("kestrel valve"))
