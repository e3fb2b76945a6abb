"""What all streams share."""

import pytest

from dejavu.providers import STREAMS
from dejavu.providers.parsing import StaleStateError
from dejavu.providers.protocol import Parser

RUN = b'{"type":"thread.started","thread_id":"t1"}\n'


def test_a_parser_is_a_parser_of_providers(source_of):
    for agent, stream in STREAMS.items():
        assert isinstance(stream.parser(source_of(agent)), Parser)
        assert stream.agent == agent


def test_a_prompt_from_stdin_goes_before_argv(source_of):
    one = STREAMS["codex"].parser(source_of("codex"), argv=["codex", "exec", "A"], prompt="B")
    one.feed(RUN, 0)
    one.close()
    assert [turn.text for update in one.take() for turn in update.turns] == ["B"]


def test_argv_in_another_encoding_is_kept_as_far_as_it_goes(source_of):
    one = STREAMS["codex"].parser(source_of("codex"), argv=["codex", "exec", "caf\udce9"])
    one.feed(RUN, 0)
    one.close()
    assert [turn.text for update in one.take() for turn in update.turns] == ["caf?"]
    assert one.state()


def test_a_state_of_another_parser_is_refused(source_of):
    state = STREAMS["codex"].parser(source_of("codex"), argv=["codex", "exec", "A"]).state()
    with pytest.raises(StaleStateError):
        STREAMS["kimi"].parser(source_of("kimi"), state)


def test_restart_keeps_only_what_was_known_beside_the_bytes(source_of):
    one = STREAMS["codex"].parser(source_of("codex"), argv=["codex", "exec", "A"])
    one.feed(RUN, 0)
    again = STREAMS["codex"].parser(source_of("codex"), one.state(), restart=True)
    again.close()
    (update,) = again.take()
    assert [turn.text for turn in update.turns] == ["A"]
    assert update.conversation.native_id == "stream:run-1"
