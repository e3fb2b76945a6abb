"""Amp's own ways."""

import json

from dejavu.record import Reasoning


def test_results_are_the_objects_of_the_thread(play, fixture):
    (response,) = play("amp", fixture("amp-tool")).turns[2].parts
    assert response.response == {
        "output": "README.md\nhello.py\nmade_by_agent.txt\n",
        "exitCode": 0,
    }


def test_a_file_that_is_json_stays_text(play):
    result = {"type": "tool_result", "tool_use_id": "c", "content": '{"name": "x"}'}
    line = {"type": "user", "session_id": "T-1", "message": {"content": [result]}}
    (turn,) = play("amp", [json.dumps(line)]).turns
    assert turn.parts[0].response == '{"name": "x"}'


def test_thoughts_where_they_were_asked_for(play):
    block = {"type": "thinking", "thinking": "Hm"}
    line = {"type": "assistant", "session_id": "T-1", "message": {"content": [block]}}
    (turn,) = play("amp", [json.dumps(line)]).turns
    assert turn.parts == (Reasoning("Hm"),)
