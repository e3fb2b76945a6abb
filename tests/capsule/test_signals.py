"""Signals are noted, taken once, and left as they were found."""

import os
import select
import signal

from dejavu.capsule.signals import SignalWatcher

WANTED = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP)


def test_they_wake_the_loop_and_are_taken_once():
    with SignalWatcher(WANTED) as signals:
        assert signals.take() == []
        for number in (signal.SIGUSR2, signal.SIGUSR1, signal.SIGUSR2):
            os.kill(os.getpid(), number)
        assert select.select([signals.fd], [], [], 10)[0]
        assert signals.take() == [signal.SIGUSR1, signal.SIGUSR2]
        assert signals.take() == []
        assert not select.select([signals.fd], [], [], 0)[0]


def test_a_storm_of_them_blocks_nobody():
    with SignalWatcher(WANTED) as signals:
        for _ in range(70_000):  # more than the wake-up pipe holds
            os.kill(os.getpid(), signal.SIGUSR1)
        assert signals.take() == [signal.SIGUSR1]
        assert signals.take() == []


def test_one_can_be_forgotten():
    with SignalWatcher(WANTED) as signals:
        os.kill(os.getpid(), signal.SIGUSR1)
        signals.discard(signal.SIGUSR1)
        assert signals.take() == []


def test_handlers_come_back():
    before = [signal.getsignal(number) for number in WANTED]
    with SignalWatcher(WANTED):
        assert [signal.getsignal(number) for number in WANTED] != before
    assert [signal.getsignal(number) for number in WANTED] == before


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with SignalWatcher(WANTED) as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signals.take() == []
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
