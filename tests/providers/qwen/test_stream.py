"""Qwen Code's own ways."""


def test_lines_of_one_response_are_one_turn(play_stream, stream_lines):
    turns = play_stream("qwen", stream_lines("qwen-tool")).turns
    assert [len(turn.parts) for turn in turns] == [2, 1, 1]
    assert turns[0].usage.output_tokens == 16


def test_version_and_folder_are_known(play_stream, stream_lines):
    head = play_stream("qwen", stream_lines("qwen-tool")).head
    assert head.agent_version == "0.24.4"
    assert head.workspace == "/home/someone/project"
