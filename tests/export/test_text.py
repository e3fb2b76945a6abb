from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.text import as_text
from dejavu.model import Conversation, Role, Text, Turn


def plain(text: str, _code: str) -> str:
    return text


@given(st.text(st.characters()), st.text(st.characters()))
def test_nothing_captured_can_act_on_the_terminal(title: str, content: str) -> None:
    whole = Conversation(id="x", agent="a", title=title).with_turns(
        (Turn(role=Role.USER, parts=(Text(content),)),)
    )
    out = "\n".join(as_text(whole, paint=plain))
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in out)


def test_prompts_and_answers_are_told_apart() -> None:
    whole = Conversation(id="x", agent="a").with_turns(
        (
            Turn(role=Role.USER, parts=(Text("one\ntwo"),)),
            Turn(role=Role.ASSISTANT, parts=(Text("yes"),)),
        )
    )
    assert list(as_text(whole, paint=plain))[2:] == ["", "❯ one", "  two", "", "● yes"]
