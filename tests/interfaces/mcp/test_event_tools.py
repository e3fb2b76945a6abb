"""The tools of the `events` profile, each parameter of each."""

from pathlib import Path

import pytest
from tests.factories.archive import START, conversation

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.interfaces.mcp.answers import CallError
from dejavu.interfaces.mcp.event_tools import EventTools
from dejavu.model import Conversation, Role, Text, Turn, to_iso


@pytest.fixture
def tools(archived: list[Conversation]) -> EventTools:
    return EventTools("/work/retry")


def test_search_is_of_the_workspace_and_its_filters_hold(
    tools: EventTools, archived: list[Conversation]
) -> None:
    query = "why does the retry_budget run dry?"
    (first, *_) = tools.searchMemory(query)["events"]
    assert first["sure"] is True
    assert (first["sessionId"], first["eventId"].partition("#")[0]) == (archived[1].id,) * 2
    assert tools.searchMemory("clear me")["events"] == []
    for kind in ("user_prompt", "tool_call"):
        rows = tools.searchMemory("retry_budget tick", eventType=kind)["events"]
        assert {row["eventType"] for row in rows} <= {kind}
    for kind in ("user_prompt", "assistant_text"):  # of what was found, wherever the words stand
        rows = tools.searchMemory(query, eventType=kind)["events"]
        assert {row["eventType"] for row in rows} == {kind}
    last = max(turn.at or 0.0 for turn in archived[1].turns)
    assert tools.searchMemory(query, since=to_iso(last + 1) or "")["events"] == []
    assert tools.searchMemory(query, since="2000-01-01")["events"]
    assert len(tools.searchMemory("the", sessionId=archived[1].id, limit=1)["events"]) <= 1


def test_a_replaced_answer_says_by_what_and_is_not_sure(home: Path) -> None:
    Path(archive_location()).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Archive.open(archive_location()) as archive, archive.indexing():
        for name, at, asked, told in (
            ("old", START, "What does a membership cost?", "Membership costs 60 euros a year."),
            ("new", START + 86_400, "Note the vote on membership",
             "For membership it is 75 euros a year from now on."),
        ):  # fmt: skip
            said = [Turn(role=role, parts=(Text(text),), at=at)
                    for role, text in ((Role.USER, asked), (Role.ASSISTANT, told))]  # fmt: skip
            archive.put(conversation(name, "codex", "/work/club", at, *said))
    rows = EventTools("/work/club").searchMemory("what does the membership cost?")["events"]
    [newer] = [row for row in rows if "replaces" in row]
    [older] = [row for row in rows if "replaced_by" in row]
    assert older["replaced_by"].partition("#")[0] == newer["sessionId"]
    assert older["sure"] is False


def test_search_in_a_session_finds_its_events_wherever_it_was(
    tools: EventTools, archived: list[Conversation]
) -> None:
    rows = tools.searchMemory("clear me", sessionId=archived[0].id)["events"]
    assert {row["sessionId"] for row in rows} == {archived[0].id}
    assert rows[0]["score"] == 1.0
    assert tools.searchMemory("quaternion", sessionId=archived[0].id)["events"] == []


def test_context_stands_around_an_event_and_unwinding_ends_at_it(
    tools: EventTools, archived: list[Conversation]
) -> None:
    session = archived[1]
    assert session.turn_count > 1
    alone = tools.getMemoryContext(f"{session.id}#2", before=0, after=0)
    around = tools.getMemoryContext(f"{session.id}#2", before=1, after=0)
    assert (alone["text"].count("\n\n"), around["text"].count("\n\n")) == (1, 2)
    assert tools.unwindFromEvent(f"{session.id}#2", limit=1) == alone
    assert tools.unwindFromEvent(f"{session.id}#2", limit=2) == around
    assert tools.unwindFromEvent(f"{session.id}#1")["text"].startswith("[1] ")
    last = session.turn_count
    whole = tools.unwindFromEvent(f"{session.id}#{last}")
    assert whole["text"].startswith("[1] ")
    assert f"[{last}] " in whole["text"]
    assert (whole["truncated"], whole["next"]) == (False, None)
    for read in (tools.unwindFromEvent, tools.getMemoryContext):
        with pytest.raises(CallError, match=f"^{session.id} has {last} turns$"):
            read(f"{session.id}#{last + 1}")


def test_a_timeline_is_filtered_and_comes_in_pages(
    tools: EventTools, archived: list[Conversation]
) -> None:
    whole = tools.getSessionTimeline(archived[1].id)
    kinds = [row["eventType"] for row in whole["events"]]
    assert len(set(kinds)) > 2
    only = tools.getSessionTimeline(archived[1].id, eventType=kinds[-1])["events"]
    assert [row["eventType"] for row in only] == [kinds[-1]] * kinds.count(kinds[-1])
    cut = tools.getSessionTimeline(archived[1].id, limit=2)
    assert (cut["events"], cut["omitted"], cut["next"]) == (whole["events"][:2], len(kinds) - 2, 2)
    rest = tools.getSessionTimeline(archived[1].id, offset=cut["next"])
    assert cut["events"] + rest["events"] == whole["events"]
    assert (rest["omitted"], rest["next"]) == (0, None)
    between = tools.getSessionTimeline(archived[1].id, offset=1, limit=1)
    assert (between["omitted"], between["next"]) == (len(kinds) - 2, 2)
    past = tools.getSessionTimeline(archived[1].id, offset=len(kinds) + 5)
    assert (past["events"], past["omitted"], past["next"]) == ([], 0, None)


def test_bad_arguments_are_sentences(tools: EventTools, archived: list[Conversation]) -> None:
    with pytest.raises(CallError, match=r"^eventType 'speech' is none of user_prompt"):
        tools.searchMemory("x", eventType="speech")
    with pytest.raises(CallError, match="'whenever'"):
        tools.searchMemory("x", since="whenever")
    with pytest.raises(CallError):
        tools.unwindFromEvent("nobody#1")
    with pytest.raises(CallError):
        tools.getSessionTimeline("nobody")
