"""The tools: bounded, sanitised, paged, and a sentence for every fault."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.factories.archive import conversation

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.interfaces.mcp.answers import MAX_CHARACTERS, CallError, bounded
from dejavu.interfaces.mcp.event_tools import EventTools
from dejavu.interfaces.mcp.tools import Tools
from dejavu.model import Conversation, Role, Text, ToolCall, Turn, conversation_id
from dejavu.recall.rationale import explain
from dejavu.recall.verdicts import precision


@pytest.fixture
def tools(archived: list[Conversation]) -> Tools:
    return Tools("/work/retry")


def test_search_names_events_that_unwind(tools: Tools, archived: list[Conversation]) -> None:
    found = tools.search_memory("why does the retry_budget run dry?")
    assert found["behind"] == 0
    event = found["hits"][0]["event"]
    assert event.startswith(archived[1].id + "#")
    around = tools.unwind_from_event(event)
    assert "RetryBudget.tick" in around["text"]
    assert "grep -n tick" in around["text"]
    assert around["next"] is None


def test_a_workspace_of_its_own(tools: Tools, archived: list[Conversation]) -> None:
    listed = tools.list_conversations()["conversations"]
    assert [row["conversation"] for row in listed] == [archived[1].id]
    assert len(tools.list_conversations(everywhere=True)["conversations"]) == 2
    page = tools.list_conversations(everywhere=True, limit=1)
    assert page["next"] == 1
    assert tools.list_conversations(everywhere=True, offset=1, limit=1)["next"] is None
    assert tools.search_memory("clear me")["hits"] == []


def test_a_worktree_gets_what_was_said_in_the_other_clones_of_its_project(home: Path) -> None:
    held = conversation("s-9", "codex", "/clones/one", 1_795_000_000.0, Turn(
        role=Role.USER, parts=(Text("Which zeppelin is it?"),), at=1_795_000_000.0,
    ))  # fmt: skip
    other = msgspec.structs.replace(held, id="other", workspace="/clones/two")
    with Archive.open(home / ".local/share/dejavu/archive") as archive, archive.indexing():
        for one in (held, other):
            archive.put(msgspec.structs.replace(one, project="h/acme/shop"))
    tools = Tools("/clones/two")
    listed = tools.list_conversations()["conversations"]
    assert {row["conversation"] for row in listed} == {held.id, "other"}
    found = tools.search_conversations("zeppelin")["conversations"]
    assert {row["conversation"] for row in found} == {held.id, "other"}
    assert Tools("/elsewhere").search_conversations("zeppelin")["conversations"] == []


def test_timeline_and_reading(tools: Tools, archived: list[Conversation]) -> None:
    line = tools.get_session_timeline(archived[1].id)
    kinds = [row["kind"] for row in line["events"]]
    assert kinds == [
        "user_prompt", "assistant_reasoning", "assistant_text", "tool_call", "tool_result",
    ]  # fmt: skip
    assert tools.get_session_timeline(archived[1].id, limit=2)["next"] == 2
    read = tools.read_conversation(archived[0].id)
    assert "\x1b" not in read["text"]
    assert "<U+202E>" in read["text"]


def test_another_agents_thread(
    tools: Tools, archived: list[Conversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = tools.read_thread(archived[1].id)
    assert read["agent"] == archived[1].agent
    assert "user: Why does retry_budget" in read["text"]
    with pytest.raises(CallError, match="no session answers"):
        tools.read_thread("@nobody")


def test_context_is_fenced(tools: Tools) -> None:
    prompt = "why does the retry_budget tick run dry?"
    assert tools.get_memory_context(prompt)["context"].startswith("<memory-context nonce=")
    assert tools.get_memory_context("bake bread")["context"] == ""


def test_a_context_keeps_to_the_budget_of_the_settings(tools: Tools, home: Path) -> None:
    prompt = "why does the retry_budget tick run dry?"
    tools.remember(f"The retry_budget tick runs dry at night: {'the proxy eats it ' * 60}")
    whole = tools.get_memory_context(prompt)["context"]
    (home / ".config" / "dejavu").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "dejavu" / "config.toml").write_text("[recall]\nbudget = 1024\n")
    short = tools.get_memory_context(prompt)["context"]
    assert len(short.encode()) <= 1024 < len(whole.encode())


def test_memories_live_and_die(tools: Tools) -> None:
    kept = tools.remember("The retry budget is 10 per minute")
    assert tools.recall("retry budget")["memories"][0]["id"] == kept["id"]
    assert tools.confirm(kept["id"])["confidence"] == 0.6
    assert tools.reject(kept["id"])["confidence"] == 0.45
    assert tools.forget(kept["id"])["forgotten"] is True
    with pytest.raises(CallError):
        tools.forget(kept["id"])
    with pytest.raises(CallError, match="cannot be empty"):
        tools.remember("  ")


def test_a_memory_says_whether_it_is_sure_and_errors_name_no_command(tools: Tools) -> None:
    tools.remember("Carol reports to Ann since May", everywhere=True)
    found = tools.search_memory("who reports to Ann?")["memories"]
    assert [memory["sure"] for memory in found] == [True]
    for ask in (tools.get_session_timeline, tools.read_conversation, tools.confirm):
        with pytest.raises(CallError, match=r"; a search returns the ids$") as raised:
            ask("nowhere")
        assert "dejavu" not in str(raised.value)


def test_a_hit_is_judged_by_its_event(tools: Tools) -> None:
    event = tools.search_memory("why does the retry_budget run dry?")["hits"][0]["event"]
    assert tools.confirm(event) == {"event": event, "right": True, "given": True}
    assert tools.reject(event)["right"] is False
    with Archive.open(archive_location()) as archive:
        told = precision(archive, 0.0)
    assert (told.right, told.wrong) == (0, 1)  # the last word counts
    conversation = event.partition("#")[0]
    with pytest.raises(CallError, match="was never recalled"):
        tools.confirm(f"{conversation}#999")


def test_a_memory_holds_in_its_workspace_unless_it_is_said_to_hold_everywhere(
    tools: Tools,
) -> None:
    here = tools.remember("The retry budget is 10 per minute")["id"]
    all_over = tools.remember("Retry budget tests run with pytest", everywhere=True)["id"]
    other = Tools("/work/elsewhere")

    def ids(answer: dict[str, Any]) -> set[str]:
        return {row["id"] for row in answer["memories"]}

    assert ids(tools.recall("retry budget")) == {here, all_over}
    assert ids(other.recall("retry budget")) == {all_over}
    assert ids(other.search_memory("retry budget")) == {all_over}
    assert ids(other.recall("retry budget", everywhere=True)) == {here, all_over}
    below = Tools("/work/retry/deep/down")  # a folder of the workspace
    assert ids(below.recall("retry budget")) == {here, all_over}


def test_faults_are_sentences(tools: Tools) -> None:
    for call, argument in (
        (tools.unwind_from_event, "nobody#1"),
        (tools.unwind_from_event, "nobody#x"),
        (tools.get_session_timeline, "nobody"),
        (tools.read_conversation, "\x1b[2J"),
        (tools.confirm, "nobody"),
    ):
        with pytest.raises(CallError) as raised:
            call(argument)
        assert "\x1b" not in str(raised.value)


def test_a_turn_that_does_not_exist_is_refused(tools: Tools, archived: list[Conversation]) -> None:
    one = archived[1]
    with pytest.raises(CallError, match=f"^{one.id} has {one.turn_count} turns$"):
        tools.unwind_from_event(f"{one.id}#{one.turn_count + 1}")
    assert tools.unwind_from_event(f"{one.id}#{one.turn_count}")["text"]
    for call in (tools.unwind_from_event, tools.confirm):
        with pytest.raises(CallError, match=r"^'last' is not a turn"):
            call(f"{one.id}#last")


def test_before_anything_was_captured(home: Path) -> None:
    with pytest.raises(CallError, match="nothing was captured yet"):
        Tools("/w").read_conversation("x")


def test_pages_hold_together(home: Path) -> None:
    words = " ".join(f"word{number}" for number in range(9_000))
    identity = conversation_id("x", "local", "long")
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        said = (
            Turn(role=Role.USER, parts=(Text(words),)),
            Turn(role=Role.USER, parts=(Text("end"),)),
        )
        archive.put(Conversation(id=identity, agent="x", workspace="/w").with_turns(said))
    pages, offset = "", 0
    for _ in range(20):
        page = Tools("/w").read_conversation(identity, offset=offset)
        assert len(page["text"]) <= MAX_CHARACTERS
        pages += page["text"]
        if page["next"] is None:
            break
        offset = page["next"]
    assert pages == f"[1] user: {words}\n\n[2] user: end\n\n"


def test_bounds() -> None:
    answer = bounded({"a": ["x" * 50_000, "\x1b[2Jy"], "n": 1, "none": None})
    assert len(answer["a"][0]) <= MAX_CHARACTERS
    assert answer["n"] == 1


def test_a_rationale_is_an_event_of_its_turn(
    tools: Tools, archived: list[Conversation], home: Path
) -> None:
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert explain(archive).written == 1
    rows = tools.get_session_timeline(archived[1].id)["events"]
    kinds = [(row["event"].partition("#")[2], row["kind"]) for row in rows]
    assert kinds[3:5] == [("2", "tool_call"), ("2", "turn_rationale")]
    around = tools.unwind_from_event(f"{archived[1].id}#2", before=0, after=0)
    assert "turn_rationale: Because `RetryBudget.tick`" in around["text"]


def test_no_answer_holds_a_secret(tools: Tools, home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    password = "Xk9pQ2z7"
    one = Conversation(
        id=conversation_id("claude", "local", "leak"), agent="claude", workspace="/work/retry",
        title=f"deploy with {token}",
    ).with_turns(
        (
            Turn(role=Role.USER, parts=(Text(f"deploy the zeppelin with {token} please"),)),
            Turn(role=Role.ASSISTANT, parts=(ToolCall("c", "db", {"password": password}),)),
        )
    )  # fmt: skip
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(one)
    answers = [
        tools.search_memory("zeppelin deploy"),
        tools.get_memory_context("deploy the zeppelin with the token"),
        tools.unwind_from_event(f"{one.id}#1"),
        tools.get_session_timeline(one.id),
        tools.list_conversations(),
        tools.read_conversation(one.id),
        EventTools("/work/retry").searchMemory("zeppelin", sessionId=one.id),
        EventTools("/work/retry").unwindFromEvent(f"{one.id}#2"),
        EventTools("/work/retry").getSessionTimeline(one.id),
    ]
    assert "zeppelin" in repr(answers[0])
    assert "[redacted:github:" in repr(answers[2])
    for answer in answers:
        assert token[:14] not in repr(answer)
        assert password not in repr(answer)
