"""What is known of stretches of keys is what was learned of them, however they overlap."""

from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive.backends.known_ranges import KnownRanges

keys = st.integers(0, 12).map(lambda number: b"%02d" % number)
ROWS = [(b"%02d" % number, b"x") for number in range(0, 13, 2)]


@given(st.lists(st.tuples(keys, keys), max_size=12), keys, keys)
def test_a_stretch_is_known_where_all_of_it_was_learned(
    learned: list[tuple[bytes, bytes]], low: bytes, high: bytes
) -> None:
    known = KnownRanges()
    met: set[bytes] = set()
    for start, stop in learned:
        known.learn(start, stop, [row for row in ROWS if start <= row[0] < stop])
        met.update(key for number in range(13) if start <= (key := b"%02d" % number) < stop)
    asked = {key for number in range(13) if low <= (key := b"%02d" % number) < high}
    start, stop, rows = known.below(high)
    if known.cover(low, high) and asked:
        assert asked <= met
        assert [row for row in rows if low <= row[0] < high] == [
            r for r in ROWS if low <= r[0] < high
        ]
    assert all(start <= key < stop for key, _ in rows)
    known.clear()
    assert not known.cover(b"00", b"12")


@given(
    st.lists(st.tuples(keys, keys), max_size=6),
    st.lists(st.tuples(keys, st.none() | st.just(b"y")), max_size=6),
)
def test_a_stretch_follows_what_is_written_in_it(
    learned: list[tuple[bytes, bytes]], changes: list[tuple[bytes, bytes | None]]
) -> None:
    known, rows = KnownRanges(), dict(ROWS)
    for start, stop in learned:
        known.learn(start, stop, [row for row in ROWS if start <= row[0] < stop])
    for key, value in changes:
        known.change(key, value)
        if value is None:
            rows.pop(key, None)
        else:
            rows[key] = value
    for number in range(13):
        low, high = b"%02d" % number, b"%02d" % (number + 1)
        if known.cover(low, high):
            found = [row for row in known.below(high)[2] if low <= row[0] < high]
            assert found == ([(low, rows[low])] if low in rows else [])
