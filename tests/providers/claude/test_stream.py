"""Claude Code's own ways."""

from dejavu.model import Role
from dejavu.providers import STREAMS


def test_an_error_carries_what_the_api_said(play_stream, stream_lines):
    (turn,) = play_stream("claude", stream_lines("claude-error")).turns
    assert turn.role is Role.SYSTEM
    assert turn.parts[1].data["status"] == 400
    assert turn.native_id
    assert turn.model is None


def test_the_result_object_alone_is_a_stream():
    line = b'{"duration_ms":1,"session_id":"s1","type":"result","subtype":"success","result":"x"}\n'
    assert STREAMS["claude"].sniff(line) == 1


def test_ids_are_those_of_the_session_file(play_stream, stream_lines):
    turns = play_stream("claude", stream_lines("claude-tool")).turns
    assert all(len(turn.native_id or "") == 36 for turn in turns)
    assert turns[0].meta["message_id"].startswith("msg_")
