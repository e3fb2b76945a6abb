"""When a session is over, by the clock of the test."""

import signal

from dejavu.capsule.loop import DRAIN_BYTES, DRAIN_LIMIT, DRAIN_QUIET, HANGUP_GRACE, ShutdownState


def ended(now: float = 10.0) -> ShutdownState:
    shutdown = ShutdownState()
    shutdown.exit(3, now)
    return shutdown


def test_an_agent_that_closed_its_terminal_is_over_when_all_is_written():
    shutdown = ended()
    assert not shutdown.is_complete(10.0, eof=True, pending=5)
    assert shutdown.is_complete(10.0, eof=True, pending=0)


def test_a_terminal_held_by_others_ends_with_their_silence():
    shutdown = ended()
    assert not shutdown.is_complete(
        10.0 + DRAIN_LIMIT * 2, eof=False, pending=0
    )  # not read to the end yet
    shutdown.on_drained()
    assert not shutdown.is_complete(10.0 + DRAIN_QUIET / 2, eof=False, pending=0)
    assert shutdown.is_complete(10.0 + DRAIN_QUIET * 1.01, eof=False, pending=0)


def test_others_who_talk_on_are_heard_for_a_while():
    shutdown = ended()
    shutdown.on_drained()
    shutdown.read(10, 10.0 + DRAIN_LIMIT)
    assert not shutdown.is_complete(10.0 + DRAIN_LIMIT, eof=False, pending=0)
    assert shutdown.is_complete(10.0 + DRAIN_LIMIT * 1.01, eof=False, pending=0)


def test_others_who_never_pause_are_heard_up_to_a_bound():
    shutdown = ended()
    shutdown.read(DRAIN_BYTES, 10.0)
    assert not shutdown.is_complete(10.0, eof=False, pending=0)
    shutdown.read(1, 10.0)
    assert shutdown.is_complete(10.0, eof=False, pending=0)


def test_what_came_before_the_exit_is_no_leftover():
    shutdown = ShutdownState()
    shutdown.read(DRAIN_BYTES * 2, 9.0)
    shutdown.on_drained()
    shutdown.exit(0, 10.0)
    assert not shutdown.is_complete(10.0, eof=False, pending=0)


def test_a_signal_after_the_end_ends_the_delivery():
    shutdown = ended()
    shutdown.abandoned = True
    assert shutdown.is_complete(10.0, eof=False, pending=99)


def test_a_hang_up_is_told_once_and_has_its_grace():
    shutdown = ShutdownState()
    assert not shutdown.hangup_ignored(5.0)
    assert shutdown.mark_hung_up(5.0)
    assert not shutdown.mark_hung_up(5.1)
    assert not shutdown.hangup_ignored(5.0 + HANGUP_GRACE / 2)
    assert shutdown.hangup_ignored(5.0 + HANGUP_GRACE)
    assert not shutdown.hangup_ignored(5.0 + HANGUP_GRACE)  # its terminal was closed just now
    assert shutdown.hangup_ignored(5.0 + HANGUP_GRACE * 2)
    shutdown.assume_killed()
    assert shutdown.status == 128 + signal.SIGHUP


def test_nobody_is_told_of_a_hang_up_after_the_exit():
    assert not ended().mark_hung_up(11.0)


def test_the_loop_sleeps_until_something_can_change():
    assert ShutdownState().timeout(eof=False) is None
    assert ended().timeout(eof=False) == DRAIN_QUIET * 200
    assert ended().timeout(eof=True) is None
    hung = ShutdownState()
    hung.mark_hung_up(1.0)
    assert hung.timeout(eof=False) == 200
