"""Which conversation a request goes on with."""

import msgspec

from dejavu.model import Blob, Extension, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.wire import Item, ModelRequest
from dejavu.providers.formats.wire.conversation_matcher import (
    LANES,
    ConversationMatcher,
    Lane,
    digest,
    new_items,
    reply_told,
)

MAIN = {"system": ("You are an agent",), "tools": ({"name": "Bash"}, {"name": "Read"})}
SIDE = {"system": ("You keep memories",), "tools": ({"name": "Save"},)}


def user(*texts):
    return Item(Role.USER, tuple(Text(text) for text in texts))


def assistant(*texts):
    return Item(Role.ASSISTANT, tuple(Text(text) for text in texts))


def told(lanes, items, answer="", session="s1", **setting):
    asked = ModelRequest(items=tuple(items), **(setting or MAIN))
    lane = lanes.lane(asked, session, "spool")
    fresh = [part.content for item in new_items(lane, asked.items) for part in item.parts]
    if answer:
        reply_told(lane, (Text(answer),))
    return lane, fresh


def test_only_what_is_new_is_told():
    lanes = ConversationMatcher()
    talk = [user("a")]
    for prompt, answer in (("a", "A"), ("b", "B"), ("c", "C")):
        lane, fresh = told(lanes, talk, answer)
        assert fresh == [prompt]
        assert lane.sub == ""
        talk += [assistant(f" {answer}\n"), user(chr(ord(prompt) + 1))]


def test_the_same_words_again_are_new_words():
    lanes = ConversationMatcher()
    told(lanes, [user("go on")], "ok")
    assert told(lanes, [user("go on"), assistant("ok"), user("go on")], "ok")[1] == ["go on"]
    talk = [user("go on"), assistant("ok"), user("go on"), assistant("ok"), user("go on")]
    assert told(lanes, talk)[1] == ["go on"]


def test_reminders_that_come_and_go_repeat_nothing():
    lanes = ConversationMatcher()
    told(lanes, [user("reminder", "a")], "A")
    assert told(lanes, [user("a"), assistant("A"), user("reminder", "b")], "B")[1] == ["b"]


def test_a_prompt_that_failed_and_is_joined_to_the_next_is_told_once():
    lanes = ConversationMatcher()
    assert told(lanes, [user("a\n\nb")])[1] == ["a\n\nb"]
    assert told(lanes, [user("a\n\nb\n\nc")])[1] == ["c"]
    assert told(lanes, [user("a\n\nb\n\nc\n\nd")], "D")[1] == ["d"]
    talk = [user("a\n\nb\n\nc\n\nd"), assistant("D")]
    assert told(lanes, [*talk, user("d\n\ne")], "E")[1] == ["d\n\ne"], "d was answered"


def test_a_retry_is_the_same_lane_and_tells_nothing():
    lanes = ConversationMatcher()
    first = told(lanes, [user("a")])[0]
    again, fresh = told(lanes, [user("a")], "A")
    assert again is first
    assert fresh == []


def test_what_is_asked_on_the_side_branches_off():
    lanes = ConversationMatcher()
    main = told(lanes, [user("a")], "A")[0]
    side, fresh = told(lanes, [user("a"), assistant("A"), user("save it")], "saved", **SIDE)
    assert side is not main
    assert side.sub
    assert fresh == ["save it"]
    assert told(lanes, [user("a"), assistant("A"), user("b")], "B")[0] is main
    talk = [user("a"), assistant("A"), user("b"), assistant("B"), user("save that")]
    again, fresh = told(lanes, talk, **SIDE)
    assert again is side
    assert fresh == ["save that"]


def test_a_title_without_tools_is_never_the_conversation():
    lanes = ConversationMatcher()
    title = told(lanes, [user("a")], system=("You name things",))[0]
    main = told(lanes, [user("a")], "A")[0]
    assert title.sub
    assert main.sub == ""


def test_a_title_by_a_forced_tool_is_none_either():
    lanes = ConversationMatcher()
    asked = ModelRequest(items=(user("a"),), tools=({"name": "set_title"},), forced=True)
    assert lanes.lane(asked, "s1", "spool").sub
    assert told(lanes, [user("a")], "A")[0].sub == ""


def test_the_session_goes_on_after_a_compaction():
    lanes = ConversationMatcher()
    main = told(lanes, [user("a")], "A")[0]
    assert told(lanes, [user("in short: a, A"), user("b")])[0] is main
    assert told(lanes, [user("look")], system=("You explore",), tools=({"name": "Grep"},))[0].sub


def test_without_ids_another_beginning_is_another_conversation():
    lanes = ConversationMatcher()
    one = told(lanes, [user("a")], "A", session=None)[0]
    other = told(lanes, [user("b")], "B", session=None)[0]
    assert one.session != other.session
    assert not other.sub
    side = told(lanes, [user("judge this")], session=None, **SIDE)[0]
    assert side.session == other.session
    assert side.sub


def test_a_mode_of_the_harness_is_asked_aside():
    lanes = ConversationMatcher()
    main = told(lanes, [user("a")], "A")[0]
    mode = user("[SUGGESTION MODE: what comes next?]")
    aside, fresh = told(lanes, [user("a"), assistant("A"), mode], "b")
    assert aside.sub == "aside"
    assert fresh == ["[SUGGESTION MODE: what comes next?]"]
    lane, fresh = told(lanes, [user("a"), assistant("A"), user("b")], "B")
    assert lane is main
    assert fresh == ["b"]


def test_sessions_never_mix():
    lanes = ConversationMatcher()
    told(lanes, [user("a")], "A", session="s1")
    lane, fresh = told(lanes, [user("a"), assistant("A"), user("b")], session="s2")
    assert lane.session == "s2"
    assert fresh == ["a", "A", "b"]


def test_lanes_survive_a_round_trip_and_are_bounded():
    lanes = ConversationMatcher()
    for number in range(LANES + 20):
        told(lanes, [user(f"a{number}")], "A", session=f"s{number}")
    kept = lanes.dump()
    assert len(kept) == LANES
    again = ConversationMatcher([msgspec.convert(lane, Lane) for lane in kept])
    talk = [user(f"a{LANES}"), assistant("A"), user("b")]
    assert told(again, talk, session=f"s{LANES}")[1] == ["b"]


def test_digests_know_what_is_said_not_how_it_is_marked():
    assert digest(Role.USER, Text("a ")) == digest(Role.USER, Text("a"))
    assert digest(Role.USER, Text("a")) != digest(Role.ASSISTANT, Text("a"))
    assert digest(Role.ASSISTANT, ToolCall("c1", "x", {})) == digest(
        Role.ASSISTANT, ToolCall("c1", "x", {"a": 1})
    )
    assert digest(Role.ASSISTANT, ToolCall(None, "x", {"a": 1, "b": 2})) == digest(
        Role.ASSISTANT, ToolCall(None, "x", {"b": 2, "a": 1})
    )
    assert digest(Role.TOOL, ToolCallResponse("c1", "x")) == digest(
        Role.TOOL, ToolCallResponse("c1", "y")
    )
    assert digest(Role.ASSISTANT, Reasoning("Hm")) == ""
    assert len({digest(Role.USER, Blob(None, "a")), digest(Role.USER, Extension("a", {}))}) == 2
