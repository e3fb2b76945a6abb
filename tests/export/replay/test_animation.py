from dejavu.export.replay.animation import APART, animate
from dejavu.export.replay.playback import Frame
from dejavu.scrapers import State
from dejavu.screen import Snapshot


def _frame(at: float, text: str, state: State = State.UNKNOWN) -> Frame:
    return Frame(1, True, at, 0, Snapshot.from_rows([text], 10), state, "", ())


def _told(*frames: Frame) -> list[tuple[str, float]]:
    return [
        (picture.snapshot.rows[0].strip(), round(picture.seconds, 3)) for picture in animate(frames)
    ]


def test_a_picture_stays_until_the_next_and_the_last_one_to_be_read() -> None:
    assert _told(_frame(0.0, "a"), _frame(0.5, "b"), _frame(1.7, "c")) == [
        ("a", 0.5),
        ("b", 1.2),
        ("c", 3.0),
    ]


def test_long_waits_are_cut() -> None:
    assert _told(_frame(0.0, "a"), _frame(3600.0, "b"))[0] == ("a", 2.0)


def test_flicker_gives_way_but_the_end_of_it_is_kept() -> None:
    frames = [_frame(APART * n / 10, str(n)) for n in range(31)]
    told = _told(*frames)
    assert len(told) <= 4
    assert told[-1][0] == "30"
    assert sum(seconds for _, seconds in told[:-1]) <= APART * 3.1


def test_what_looks_alike_is_one_picture() -> None:
    again = _frame(1.0, "a", State.IDLE)
    assert _told(_frame(0.0, "a"), again, _frame(1.5, "b")) == [("a", 1.5), ("b", 3.0)]


def test_nothing_gives_nothing() -> None:
    assert _told() == []
