"""Records of a store as a stream of lines: what is new is appended, what changed starts over."""

import pytest

from dejavu.providers.follow.records import follow_records


class Followed:
    """A store whose records are set, and what was followed of it."""

    def __init__(self) -> None:
        self.cursor: bytes | None = None
        self.raw = b""
        self.reads = 0

    def follow(self, stamp: int, *records: bytes) -> bool:
        """Follow it as it stands now; whether it started over."""

        def read() -> tuple[bytes, ...]:
            self.reads += 1
            return records

        reset = False
        for delta in follow_records((stamp,), read, self.cursor):
            if delta.reset:
                self.raw, reset = b"", True
            assert delta.offset == len(self.raw)
            self.raw += delta.data
            self.cursor = delta.cursor
        return reset


def test_what_is_new_is_appended() -> None:
    store = Followed()
    assert not store.follow(1, b"a", b"b")
    assert not store.follow(2, b"a", b"b", b"c")
    assert store.raw == b"a\nb\nc\n"


def test_nothing_is_read_while_the_store_stands() -> None:
    store = Followed()
    store.follow(1, b"a")
    store.follow(1, b"a")
    assert store.reads == 1


@pytest.mark.parametrize("after", [(b"a", b"x", b"c"), (b"a",), (b"b", b"a")])
def test_what_changed_starts_over(after: tuple[bytes, ...]) -> None:
    store = Followed()
    store.follow(1, b"a", b"b")
    assert store.follow(2, *after)
    assert store.raw == b"\n".join(after) + b"\n"
    assert not store.follow(3, *after, b"new")
    assert store.raw.endswith(b"\nnew\n")


def test_a_long_session_comes_in_pieces() -> None:
    store = Followed()
    records = [b"%d" % place + b"x" * 300_000 for place in range(9)]
    store.follow(1, *records)
    assert store.raw == b"\n".join(records) + b"\n"
    assert not store.follow(2, *records, b"y")
    assert store.follow(3, *records[:4], b"z", *records[5:])
