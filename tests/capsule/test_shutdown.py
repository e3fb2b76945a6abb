"""When a session is over, by the clock of the test."""

import signal

from dejavu.capsule.shutdown import HANGUP_GRACE, LEFTOVER, LINGER, QUIET, Ending


def ended(now: float = 10.0) -> Ending:
    ending = Ending()
    ending.exit(3, now)
    return ending


def test_an_agent_that_closed_its_terminal_is_over_when_all_is_written():
    ending = ended()
    assert not ending.is_over(10.0, eof=True, pending=5)
    assert ending.is_over(10.0, eof=True, pending=0)


def test_a_terminal_held_by_others_ends_with_their_silence():
    ending = ended()
    assert not ending.is_over(10.0 + LINGER * 2, eof=False, pending=0)  # not read to the end yet
    ending.read_nothing()
    assert not ending.is_over(10.0 + QUIET / 2, eof=False, pending=0)
    assert ending.is_over(10.0 + QUIET * 1.01, eof=False, pending=0)


def test_others_who_talk_on_are_heard_for_a_while():
    ending = ended()
    ending.read_nothing()
    ending.read(10, 10.0 + LINGER)
    assert not ending.is_over(10.0 + LINGER, eof=False, pending=0)
    assert ending.is_over(10.0 + LINGER * 1.01, eof=False, pending=0)


def test_others_who_never_pause_are_heard_up_to_a_bound():
    ending = ended()
    ending.read(LEFTOVER, 10.0)
    assert not ending.is_over(10.0, eof=False, pending=0)
    ending.read(1, 10.0)
    assert ending.is_over(10.0, eof=False, pending=0)


def test_what_came_before_the_exit_is_no_leftover():
    ending = Ending()
    ending.read(LEFTOVER * 2, 9.0)
    ending.read_nothing()
    ending.exit(0, 10.0)
    assert not ending.is_over(10.0, eof=False, pending=0)


def test_a_signal_after_the_end_ends_the_delivery():
    ending = ended()
    ending.abandoned = True
    assert ending.is_over(10.0, eof=False, pending=99)


def test_a_hang_up_is_told_once_and_has_its_grace():
    ending = Ending()
    assert not ending.is_deaf(5.0)
    assert ending.hang_up(5.0)
    assert not ending.hang_up(5.1)
    assert not ending.is_deaf(5.0 + HANGUP_GRACE / 2)
    assert ending.is_deaf(5.0 + HANGUP_GRACE)
    assert not ending.is_deaf(5.0 + HANGUP_GRACE)  # its terminal was closed just now
    assert ending.is_deaf(5.0 + HANGUP_GRACE * 2)
    ending.give_up()
    assert ending.status == 128 + signal.SIGHUP


def test_nobody_is_told_of_a_hang_up_after_the_exit():
    assert not ended().hang_up(11.0)


def test_the_loop_sleeps_until_something_can_change():
    assert Ending().timeout(eof=False) is None
    assert ended().timeout(eof=False) == QUIET * 200
    assert ended().timeout(eof=True) is None
    hung = Ending()
    hung.hang_up(1.0)
    assert hung.timeout(eof=False) == 200
