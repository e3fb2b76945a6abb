"""Pi's messages."""

import json

from dejavu.model import Blob, Role, Text

START = {"type": "session", "id": "s1", "cwd": "/w"}


def ended(**message):
    return {"type": "message_end", "message": message}


def turns_of(play_stream, *events):
    return play_stream("pi", [json.dumps(one) for one in (START, *events)]).turns


def test_a_message_that_was_cut_off(play_stream, stream_lines):
    data = stream_lines("pi-think")
    cut = data[: data.rindex(b'{"type":"message_end"')]
    turns = play_stream("pi", cut).turns
    assert turns[-1].role is Role.ASSISTANT
    assert turns[-1].text == "No. **391 = 17 × 23**, so it is composite."


def test_what_was_said_before_an_error_is_kept(play_stream):
    said = [{"type": "text", "text": "Hel"}]
    turns = turns_of(play_stream, ended(role="assistant", content=said, errorMessage="cut off"))
    assert [(turn.role, turn.text) for turn in turns] == [
        (Role.ASSISTANT, "Hel"),
        (Role.SYSTEM, "cut off"),
    ]


def test_two_answers_are_two_turns(play_stream):
    one = ended(role="assistant", content="One", usage={"input": 3, "cacheRead": 2, "output": 1})
    turns = turns_of(play_stream, one, ended(role="assistant", content="Two"))
    assert [turn.text for turn in turns] == ["One", "Two"]
    assert turns[0].usage.input_tokens == 5


def test_images(play_stream):
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    (turn,) = turns_of(
        play_stream, ended(role="user", content=[{"type": "text", "text": "See"}, image])
    )
    assert turn.parts == (Text("See"), Blob("image/png", "aGk="))


def test_an_unknown_role_is_counted(play_stream):
    played = play_stream("pi", [json.dumps(START), json.dumps(ended(role="oracle"))])
    assert played.drift["message/oracle"] == 1
