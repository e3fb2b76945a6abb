"""Amp's own ways."""

import json

from dejavu.model import Reasoning


def test_results_are_the_objects_of_the_thread(play_stream, stream_lines):
    (response,) = play_stream("amp", stream_lines("amp-tool")).turns[2].parts
    assert response.response == {
        "output": "README.md\nhello.py\nmade_by_agent.txt\n",
        "exitCode": 0,
    }


def test_a_file_that_is_json_stays_text(play_stream):
    result = {"type": "tool_result", "tool_use_id": "c", "content": '{"name": "x"}'}
    line = {"type": "user", "session_id": "T-1", "message": {"content": [result]}}
    (turn,) = play_stream("amp", [json.dumps(line)]).turns
    assert turn.parts[0].response == '{"name": "x"}'


def test_thoughts_where_they_were_asked_for(play_stream):
    block = {"type": "thinking", "thinking": "Hm"}
    line = {"type": "assistant", "session_id": "T-1", "message": {"content": [block]}}
    (turn,) = play_stream("amp", [json.dumps(line)]).turns
    assert turn.parts == (Reasoning("Hm"),)
