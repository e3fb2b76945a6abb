"""Announcements between an agent's own sequences: which are taken, where they stand, what ends them."""

import pytest

from dejavu.capsule.announcer import Announcer, is_announcement

BAR, NONE = b"\x1b]9;4;3\x1b\\", b"\x1b]9;4;0\x1b\\"
NOTICE = b"\x1b]777;notify;api: blocked;Run it?\x1b\\"
STATE = b"\x1b]1337;SetUserVar=dejavu_state=d29ya2luZw==\x1b\\"


@pytest.mark.parametrize(
    "data",
    [BAR, NOTICE, STATE, BAR + STATE + NOTICE, "\x1b]777;notify;a;Übernehmen 🎉?\x1b\\".encode()],
)
def test_whole_sequences_are_taken(data: bytes) -> None:
    assert is_announcement(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"text", BAR + b"x", BAR[:-1], b"\x1b]52;c;aGk=\x1b\\", b"\x1b]9;hello\x1b\\",
     b"\x1b]777;notify;a\x07;b\x1b\\", b"\x1b]777;notify;a\x1b[2J;b\x1b\\", b"\x1b]1337;File=x\x1b\\",
     b"\x1b]777;notify;a\xc2\x9cb\x1b\\", b"\x1b]777;notify;a\x9cb\x1b\\", b"\x1b]9;4;3\x07"],
)  # fmt: skip
def test_nothing_else_is(data: bytes) -> None:
    assert not is_announcement(data)


def test_they_wait_for_the_end_of_a_sequence_and_the_last_of_a_kind_is_said() -> None:
    announcer = Announcer(b"\x1b[m")
    assert announcer.put(BAR) == BAR
    assert announcer.output(b"\x1b]0;a tit") == b""
    assert announcer.put(NONE) == b""
    assert announcer.put(BAR + STATE) == b""
    assert announcer.output(b"le\x07") == BAR + STATE
    assert announcer.output(b"text") == b""
    assert announcer.close() == NONE + b"\x1b]1337;SetUserVar=dejavu_state=\x1b\\"


def test_an_agent_that_speaks_for_itself_keeps_it() -> None:
    announcer = Announcer(b"\x1b[m")
    announcer.put(BAR)
    assert announcer.output(b"\x1b]9;") == b""
    announcer.output(b"4;1;20\x07")
    assert announcer.put(NONE + NOTICE) == NOTICE
    assert announcer.close() == b""  # the bar is the agent's own by now
    announcer.output(b"\x1b]777;notify;x;y\x07")
    assert announcer.put(NOTICE) == b""


def test_nothing_is_said_inside_of_what_never_ended() -> None:
    announcer = Announcer(b"\x1b[m")
    announcer.put(BAR)
    announcer.output(b"\x1b]0;cut")
    assert announcer.close() == b""


STATUS = b"\x1b]21337;status=Working\xe2\x80\xa6;indicator=;status-color=;detail=\x1b\\"
ORCA = b'\x1b]9999;{"state": "working"}\x1b\\'


def through_tmux(data: bytes) -> bytes:
    return b"\x1bPtmux;" + data.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"


def test_a_hosts_own_words_go_through_tmux_and_are_taken_back() -> None:
    announcer = Announcer(b"\x1b[m")
    for one in map(through_tmux, (STATUS, ORCA)):
        assert is_announcement(one)
        assert announcer.put(one) == one
    back = b"\x1b]21337;status=;indicator=;status-color=;detail=\x1b\\"
    assert announcer.close() == through_tmux(back)
    announcer.output(through_tmux(STATUS))  # the agent says it itself
    assert announcer.close() == b""
    assert announcer.put(through_tmux(STATUS)) == b""


@pytest.mark.parametrize("inside", [BAR, NOTICE, STATUS + ORCA, b"\x1b]21337;a\x1b[2J\x1b\\"])
def test_nothing_else_goes_through_tmux(inside: bytes) -> None:
    assert not is_announcement(through_tmux(inside))
