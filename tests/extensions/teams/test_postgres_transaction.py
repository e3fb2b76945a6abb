"""PostgreSQL answers every question as LMDB does, within a transaction and after it."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import Reader, Writer
from dejavu.extensions.teams import postgres_reader
from dejavu.extensions.teams.postgres_reader import PostgresReader
from dejavu.extensions.teams.postgres_transaction import PostgresWriter

few = [b"a", b"ab", b"abc", b"b", b"ba", b"bb", b"c", b"\0", b"\xff", b"\xff\xff", b""]
names = st.sampled_from(few) | st.binary(max_size=2)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), names, st.binary(max_size=9)),
        st.tuples(st.just("delete"), names, st.just(b"")),
        st.tuples(st.just("flush"), st.just(b""), st.just(b"")),
        st.tuples(st.just("items"), names, names),
        st.tuples(st.just("back"), names, names),
        st.tuples(st.just("keys"), names, names),
        st.tuples(st.just("get"), names, names),
        st.tuples(st.just("expect"), names, names),
        st.tuples(st.just("ends"), names, names),
        st.tuples(st.just("span"), names, names),
    ),
    max_size=30,
)


def answers(txn: Reader, given: list[tuple[str, bytes, bytes]]) -> list[object]:
    """What each step gives; the table of states is empty in a fresh archive."""
    told: list[object] = []
    for what, one, two in given:
        if what == "put" and isinstance(txn, Writer):
            txn.put("states", one or b"-", two)
        elif what == "delete" and isinstance(txn, Writer):
            told.append(txn.delete("states", one or b"-"))
        elif what == "flush" and isinstance(txn, PostgresWriter):
            txn.flush()
        elif what == "items":
            told.append(list(txn.items("states", one, two or None)))
        elif what == "back":
            told.append(list(txn.items("states", one, two or None, reverse=True)))
            told.append(next(txn.items("states", one, two or None, reverse=True), None))
        elif what == "keys":
            told.append(list(txn.keys("states", one)))
            told.append(list(txn.under("states", one)))
        elif what == "get":
            told.append(txn.get("states", one or b"-"))
        elif what == "expect":
            txn.expect("states", [one or b"-", two or b"-"])
        elif what == "ends":
            txn.expect_ends("states", [one, two])
        elif what == "span":
            txn.expect_spans("states", [(b"", min(one, two), max(one, two)), (b"b", b"b", b"c")])
    return told


def test_it_answers_as_lmdb_does(url: str, tmp_path: Path) -> None:
    with Archive.open(url) as theirs, Archive.open(tmp_path / "lmdb") as ours:

        @settings(max_examples=40)
        @given(steps, steps)
        def compare(
            changes: list[tuple[str, bytes, bytes]], questions: list[tuple[str, bytes, bytes]]
        ) -> None:
            stores = (theirs.backend, ours.backend)
            one, two = (s.write(lambda txn: answers(txn, changes)) for s in stores)
            assert one == two
            one, two = (s.read(lambda txn: answers(txn, questions)) for s in stores)
            assert one == two

        compare()


def test_what_is_known_of_a_stretch_ends_where_it_is_written(url: str) -> None:
    def ends(txn: Reader) -> list[bytes | None]:
        back = (txn.items("states", name, name + b"~", reverse=True) for name in (b"a", b"b"))
        forward = (txn.items("states", name, name + b"~") for name in (b"a", b"b"))
        return [next((key for key, _ in found), None) for found in (*back, *forward)]

    def change(txn: Writer) -> list[list[bytes | None]]:
        assert isinstance(txn, PostgresWriter)
        txn.expect_ends("states", [b"a", b"b"])
        told = [ends(txn)]
        for key in (b"a1", b"a3"):
            txn.put("states", key, b"")
        told.append(ends(txn))
        txn.flush()
        told.append(ends(txn))
        txn.expect_ends("states", [b"a", b"b"])
        txn.delete("states", b"a3")
        told.append(ends(txn))
        txn.flush()
        return [*told, ends(txn)]

    with Archive.open(url) as archive:
        none, both, one = [None] * 4, [b"a3", None, b"a1", None], [b"a1", None, b"a1", None]
        assert archive.backend.write(change) == [none, both, both, one, one]
        assert archive.backend.read(ends) == one


def test_long_ranges_come_in_pages_of_bounded_size(url: str) -> None:
    held = [(b"%05d" % n, bytes([n % 256]) * (40_000 if n % 7 == 0 else 9)) for n in range(1_200)]

    def fill(txn: Writer) -> None:
        for key, value in held:
            txn.put("states", key, value)

    def look(txn: Reader) -> tuple[list[object], ...]:
        assert isinstance(txn, PostgresReader)
        forward = list(txn.items("states", b"00003", b"01100"))
        back = list(txn.items("states", b"00003", b"01100", reverse=True))
        assert txn._size <= postgres_reader.KEPT
        return list(forward), list(back), list(txn.keys("states"))

    with Archive.open(url) as archive:
        archive.backend.write(fill)
        forward, back, keys = archive.backend.read(look)
        assert forward == held[3:1_100] == back[::-1]
        assert keys == [key for key, _ in held]


def test_much_is_written_in_portions(url: str) -> None:
    def fill(txn: Writer) -> None:
        for n in range(60):
            txn.put("states", b"%d" % n, bytes(500_000))

    with Archive.open(url) as archive:
        archive.backend.write(fill)
        found = archive.backend.read(lambda txn: sum(len(v) for _, v in txn.items("states")))
        assert found == 60 * 500_000
