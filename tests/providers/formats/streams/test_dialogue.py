"""Conversations put together while an agent speaks."""

from dejavu.model import Relation, Role, Span, Text, ToolCallResponse, conversation_id
from dejavu.providers.formats.streams.dialogue import MORE, DialogueParser

SPAN = Span(0, 1)


class Told(DialogueParser):
    """A trace told by hand."""

    def record(self, line, span):
        raise AssertionError("nothing is fed here")


def told(source_of, **facts):
    return Told(source_of("claude"), facts)


def say(parser, text):
    parser.answer(SPAN).add(Text(text))


def texts(parser):
    return {u.conversation.native_id: [turn.text for turn in u.turns] for u in parser.take()}


def test_held_back_until_it_has_a_name(source_of):
    parser = told(source_of, prompt="Ask")
    say(parser, "Hello")
    assert parser.take() == ()
    again = told(source_of)
    again.resume(parser.state())
    again.name("s1", workspace="/w")
    (update,) = again.take()
    assert update.conversation.id == conversation_id("claude", "local", "s1")
    assert update.conversation.workspace == "/w"
    assert [turn.text for turn in update.turns] == ["Ask", "Hello"]


def test_the_trace_knows_the_prompt_better_than_argv(source_of):
    parser = told(source_of, prompt="Ask")
    parser.name("s1")
    parser.fail("a warning before the prompt", SPAN)
    assert texts(parser) == {"s1": ["Ask", "a warning before the prompt"]}
    parser.add_prompt([Text("Ask\n\nwith a file")], SPAN)
    say(parser, "Hello")
    assert texts(parser) == {"s1": ["Ask\n\nwith a file", "a warning before the prompt", "Hello"]}
    parser.add_prompt([Text("Ask")], SPAN)
    assert texts(parser) == {"s1": ["Ask"]}


def test_conversations_may_alternate(source_of):
    parser = told(source_of)
    for name, text in (("s1", "a"), ("s2", "b"), ("s1", "a and more"), ("s3", "c"), ("s2", "b!")):
        parser.name(name)
        say(parser, text)
    assert texts(parser) == {"s1": ["a and more"], "s2": ["b!"], "s3": ["c"]}


def test_sub_agents_have_threads_of_their_own(source_of):
    parser = told(source_of)
    parser.answer(SPAN, sub="task1").add(Text("from below"))
    parser.name("s1")
    say(parser, "from above")
    updates = {update.conversation.native_id: update.conversation for update in parser.take()}
    below = updates["s1/task1"]
    assert below.parent == updates["s1"].id
    assert below.relation is Relation.SUBAGENT


def test_messages_are_told_apart_by_id_or_by_what_comes_between(source_of):
    parser = told(source_of)
    parser.name("s1")
    parser.answer(SPAN, "m1").add(Text("one"))
    parser.answer(SPAN, "m1").add(Text("two"))
    parser.answer(SPAN, "m2").add(Text("three"))
    parser.append(Role.TOOL, [ToolCallResponse("c", "out")], SPAN)
    parser.answer(SPAN).add(Text("four"))
    parser.answer(SPAN).add(Text("five"))
    assert texts(parser) == {"s1": ["one\n\ntwo", "three", "", "four\n\nfive"]}


def test_an_error_told_twice_is_one_turn(source_of):
    parser = told(source_of)
    parser.name("s1")
    say(parser, "No luck")
    parser.fail("No luck", SPAN, status=400)
    parser.fail("No luck", SPAN)
    (update,) = parser.take()
    (turn,) = update.turns
    assert turn.role is Role.SYSTEM
    assert turn.parts[1].data == {"message": "No luck", "status": 400}
    parser.add_prompt([Text("Again")], SPAN)
    parser.fail("No luck", SPAN)
    assert texts(parser) == {"s1": ["Again", "No luck"]}


def test_hostile_types_do_not_fill_the_memory(source_of):
    parser = told(source_of)
    for number in range(20_000):
        parser.unknown(f"type-{number}", b'{"a":1}')
    assert len(parser.drift) < 10_000
    assert parser.drift[MORE] > 10_000
