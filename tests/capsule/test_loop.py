"""Listeners that fail are let go and noted; the others never notice."""

import select

from dejavu.capsule import Event, Exit, Keys
from dejavu.capsule.loop import SinkDispatcher


class Keeper:
    """A sink that keeps what it was told; fails at the `fails`-th event."""

    def __init__(self, fails: int = -1) -> None:
        self.seen: list[Event] = []
        self.closed = False
        self.fails = fails

    def event(self, event: Event) -> None:
        if len(self.seen) == self.fails:
            raise OSError("disk full")
        self.seen.append(event)

    def close(self) -> None:
        if self.fails == 0:
            raise RuntimeError
        self.closed = True


class Waiter(Keeper):
    """A sink that is a peer too."""

    def __init__(self, fd: int, *, breaks: bool = False) -> None:
        super().__init__()
        self.fd, self.breaks, self.served, self.left = fd, breaks, 0, False
        self.deadline: float | None = None

    def poll_fds(self) -> list[tuple[int, int]]:
        return [(self.fd, select.POLLIN)]

    def ready(self, fd: int) -> None:
        if self.breaks:
            raise BrokenPipeError("gone")
        self.served += 1

    def abort(self) -> None:
        self.left = True


def test_one_that_fails_is_let_go_and_the_others_hear_everything() -> None:
    good, bad = Keeper(), Keeper(fails=1)
    dispatcher = SinkDispatcher([bad, good])
    for number in range(3):
        dispatcher.emit(Exit(0.0, number))
    assert (len(good.seen), len(bad.seen)) == (3, 1)
    assert dispatcher.notes == ["Keeper was dropped: disk full"]


def test_closing_survives_a_sink_that_cannot() -> None:
    good, bad = Keeper(), Keeper(fails=0)
    dispatcher = SinkDispatcher([bad, good])
    dispatcher.close()
    assert good.closed
    assert dispatcher.notes == ["Keeper was dropped: RuntimeError"]


def test_whoever_waits_for_a_descriptor_is_served() -> None:
    one, two = Waiter(7), Waiter(8)
    dispatcher = SinkDispatcher([one])
    dispatcher.add(two)
    assert dispatcher.poll_fds() == {7: select.POLLIN, 8: select.POLLIN}
    dispatcher.ready(8)
    assert (one.served, two.served) == (0, 1)


def test_a_broken_peer_is_dismissed_with_a_note() -> None:
    broken = Waiter(7, breaks=True)
    dispatcher = SinkDispatcher([broken])
    dispatcher.ready(7)
    assert (broken.left, dispatcher.poll_fds()) == (True, {})
    assert dispatcher.notes == ["Waiter was dropped: gone"]
    dispatcher.emit(Exit(0.0, 0))
    assert broken.seen == []


def test_everyone_is_dismissed_once() -> None:
    one, two = Waiter(7), Waiter(8)
    dispatcher = SinkDispatcher([one, two])
    dispatcher.abort_all()
    assert one.left
    assert two.left
    assert dispatcher.poll_fds() == {}


def test_keys_reach_only_the_sinks_that_take_them() -> None:
    taker, other, bad = Keeper(), Keeper(), Keeper(fails=0)
    taker.takes_keys = bad.takes_keys = True  # type: ignore[attr-defined]
    dispatcher = SinkDispatcher([bad, other, taker])
    dispatcher.emit_keys(Keys(1.0, b"x"))
    assert taker.seen == [Keys(1.0, b"x")]
    assert other.seen == []
    assert len(dispatcher.notes) == 1
