"""What a session's conversation says of itself, as its turns come."""

from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
    conversation_id,
)
from dejavu.sessions.observer.status_publisher import ConversationFacts


def conversation(*turns: Turn) -> Conversation:
    identity = conversation_id("claude", "local", "n1")
    return Conversation(
        id=identity, agent="claude", native_id="n1", workspace="/w", agent_version="2.1.0"
    ).with_turns(turns)


def user(text: str, vector: Vector = Vector.NATIVE) -> Turn:
    return Turn(role=Role.USER, parts=(Text(content=text),), vector=vector)


def answer(text: str, tokens: int, vector: Vector = Vector.NATIVE) -> Turn:
    return Turn(
        role=Role.ASSISTANT, parts=(Text(content=text),), model="m-1", vector=vector,
        usage=Usage(input_tokens=10, output_tokens=tokens, cost=0.5),
    )  # fmt: skip


def test_the_last_words_are_read_on_and_tokens_are_counted_once(tmp_path: Path) -> None:
    facts = ConversationFacts(lambda text: text.replace("secret", "[gone]"))
    turns = [user("Fix the secret bug"), answer("Half an", 1)]
    with Archive.open(tmp_path / "a") as archive:
        archive.put(one := conversation(*turns))
        first = facts.read(archive, one.id)
        assert (first["last_words"], first["tokens"]) == ("Half an", {"input": 10, "output": 1})
        turns[1:] = [answer("Half an answer, whole now", 5), user("Thanks"), answer("Bye", 2)]
        archive.put(conversation(*turns))
        last = facts.read(archive, one.id)
        assert facts.read(archive, one.id) == last
    assert last == {
        "title": "Fix the [gone] bug", "turns": 4, "version": "2.1.0", "model": "m-1",
        "last_prompt": "Thanks", "last_words": "Bye", "tokens": {"input": 20, "output": 7},
        "cost": 1.0, "background": {},
    }  # fmt: skip


def test_long_texts_are_cut_and_none_is_of_the_screen(tmp_path: Path) -> None:
    facts = ConversationFacts(str)
    with Archive.open(tmp_path / "a") as archive:
        archive.put(one := conversation(user("p" * 9000), answer("a" * 9000 + "end", 1)))
        long = facts.read(archive, one.id)
        assert (len(long["last_prompt"]), len(long["last_words"])) == (500, 2000)
        assert long["last_words"].endswith("end")
        assert facts.read(archive, "aaaaaaaaaaaaaaaa") == {}
    with Archive.open(tmp_path / "b") as archive:
        shown = conversation(user("seen", Vector.SCREEN), answer("seen too", 1, Vector.SCREEN))
        archive.put(shown)
        assert "seen" not in str(ConversationFacts(str).read(archive, shown.id))


def test_calls_that_may_run_behind_the_conversation_are_named(tmp_path: Path) -> None:
    def call(number: str, name: str, **arguments: object) -> ToolCall:
        return ToolCall(id=number, name=name, arguments=arguments)

    facts = ConversationFacts(lambda text: text.replace("secret", "[gone]"))
    calls = (
        call("1", "Bash", command="npm run dev --key secret", run_in_background=True),
        call("2", "Bash", command="ls"),
        call("3", "Task", description="Read the parser", prompt="..."),
        call("4", "Task", description="Count the tests", prompt="..."),
    )
    done = tuple(ToolCallResponse(id=number, response="") for number in ("1", "2", "4"))
    turns = [user("Go"), Turn(role=Role.ASSISTANT, parts=calls), Turn(role=Role.TOOL, parts=done)]
    with Archive.open(tmp_path / "a") as archive:
        archive.put(one := conversation(*turns))
        assert facts.read(archive, one.id)["background"] == {
            "shell": ["npm run dev --key [gone]"], "agent": ["Read the parser"],
        }  # fmt: skip
