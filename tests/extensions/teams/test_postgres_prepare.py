"""The server's own checksums and numbers are the program's; numbers are given once."""

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.postgres import Server

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import wrap
from dejavu.archive.records import Meta, pack, unpack
from dejavu.extensions.teams.postgres_knowledge import Numbers

numbers = st.integers(0, 1 << 40) | st.sampled_from(
    [0, 127, 128, 255, 256, 65_535, 65_536, 1 << 32]
)


def test_the_server_wraps_and_counts_as_the_program_does(server: Server, url: str) -> None:
    Archive.open(url).close()
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.cursor(binary=True)
        cursor.execute(f"set search_path to {url.rpartition('%3D')[2]}".encode())

        @settings(max_examples=60)
        @given(
            st.binary(min_size=1, max_size=9), st.binary(max_size=70_000), st.binary(max_size=300)
        )
        def wrapped(key: bytes, long: bytes, short: bytes) -> None:
            for value in (long, short):
                row = cursor.execute(
                    "select dejavu_wrapped(%b, %b), dejavu_unwrapped(%b, %b)",
                    (key, value, key, wrap(key, value)),
                ).fetchone()
                assert row == (wrap(key, value), value)

        @settings(max_examples=60)
        @given(numbers, numbers, st.integers(-3, 1 << 33), st.binary(min_size=16, max_size=16))
        def raised(turns: int, sequence: int, more: int, identity: bytes) -> None:
            meta = Meta(archive_id=identity, created_at=1.5, sequence=sequence, turns=turns + 3)
            row = cursor.execute(
                "select (dejavu_raised(%b, 'turns', %b::bigint)).*", (pack(meta), more)
            ).fetchone()
            assert row is not None
            assert row[0] == turns + 3
            meta.turns += more
            assert unpack(row[1], Meta) == meta

        wrapped()
        raised()
        for damaged in (
            b"",
            b"\x92",
            wrap(b"K", b"value")[:-1] + b"?",
            wrap(b"X", b"value"),
            b"\xc4\x05value",
        ):
            with pytest.raises(psycopg.Error) as told:
                cursor.execute("select dejavu_unwrapped(%b, %b)", (b"K", damaged))
            assert told.value.sqlstate in ("DV003", "2202E", "22003"), damaged


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=20))
def test_no_number_is_given_twice(steps: list[tuple[int, int]]) -> None:
    """`steps`: how many a change takes, and how many others were given before."""
    ours, last, given_out = Numbers(), 0, set[int]()
    for wanted, others in steps:
        last += others
        count = ours.to_reserve(wanted)
        ours.add(last, count)
        last += count
        assert ours.left >= wanted
        taken = set(range(ours.used + 1, ours.used + 1 + wanted))
        assert not taken & given_out
        given_out |= taken
        ours.used += wanted
        assert ours.last <= last
