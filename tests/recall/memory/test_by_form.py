"""A denial that shares a word replaces nothing; an order turned round is kept and named."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.recall import Memory
from dejavu.recall.memory.by_form import exchanged, may_replace, surely_replaces
from dejavu.recall.memory.conflicts import pair_similarity
from dejavu.recall.memory.reversal import POSSIBLE, SURE, Likeness, reverses
from dejavu.recall.memory.similarity import SAME, similarity

PAIRS = tomllib.loads(Path(__file__).with_name("conflicts.toml").read_text("utf-8"))


def of(kind: str) -> list[list[str]]:
    return [pair for half in PAIRS.values() for pair in half[kind]]


def read_alike(old: str, new: str, cosine: float) -> Likeness:
    """Two texts that the model takes for one."""
    left, right = old.split(), new.split()
    return Likeness(cosine, left, right, [[1.0] * len(right)] * len(left))


@pytest.mark.parametrize(("old", "new"), of("apart"))
def test_a_denial_with_one_word_in_common_supersedes_nothing(old: str, new: str) -> None:
    assert not surely_replaces(old, new)
    assert not surely_replaces(new, old)


def test_what_shares_only_a_subject_is_hardly_named() -> None:
    assert sum(may_replace(old, new) for old, new in of("apart")) <= 1


@pytest.mark.parametrize(("old", "new"), of("denied"))
def test_what_denies_all_of_the_older_supersedes_it(old: str, new: str) -> None:
    assert surely_replaces(old, new)
    assert reverses(old, new, read_alike(old, new, 0.99)) == SURE


@pytest.mark.parametrize(("old", "new"), of("turned"))
def test_an_order_turned_round_is_two_memories_and_named(old: str, new: str) -> None:
    alike = read_alike(old, new, 0.99)
    assert similarity(old, new) < SAME
    assert pair_similarity(old, new, 0.99, read_alike) < SAME
    assert may_replace(old, new)
    assert may_replace(new, old)
    assert not surely_replaces(old, new)
    assert POSSIBLE <= reverses(old, new, alike) < SURE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The tests are run before the release in CI",
            "In CI, the tests are run before the release",
        ),
        ("Before the tests, run the linter in CI", "In CI, run the linter before the tests"),
        ("The client calls the server", "The server calls the client"),
        ("The parser is owned by Ann", "Ann owns the parser"),
    ],
)
def test_both_of_these_may_hold(old: str, new: str) -> None:
    assert not may_replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Photos go through Thumbor", "We replaced Thumbor with imgproxy"),
        ("We no longer use Pulumi", "Networks are set up with Pulumi"),
        ("Nina maintains the search service", "The search service is maintained by Olaf"),
        ("The gateway is signed by the lab", "The gateway is signed by the lab no longer on Macs"),
        ("The exporter supports CSV", "The exporter no longer supports CSV for guests"),
        ("The lab uses Zotero", "The lab uses Obsidian"),
        ("Nina likes figs", "Nina likes dates"),
        ("The runner needs Perl", "The runner needs Ruby"),
    ],
)
def test_an_unsure_one_is_named(old: str, new: str) -> None:
    assert may_replace(old, new)
    assert not surely_replaces(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Uploads over 9 MB are refused", "We refuse uploads over 9 MB"),
        ("The queue is drained nightly", "The queue is behind a proxy"),
        ("The parcel hook is signed", "The parcel hook is handled at once"),
    ],
)
def test_another_predicate_is_no_other_value(old: str, new: str) -> None:
    assert not surely_replaces(old, new)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A backup takes an hour", "Backup takes an hour", True),
        ("A must sign", "Must sign", False),
        ("Ask team A", "Ask team", False),
        ("Mails go to US", "Mails go to us", False),
        ("lint -> test -> ship", "ship -> lint -> test", False),
    ],
)
def test_a_capital_may_be_a_name(one: str, other: str, *, same: bool) -> None:
    assert (similarity(one, other) >= SAME) == same


NAMES = st.sampled_from(["A", "B", "IT", "US", "Ann", "Redis", "the parser", "our plan", "stage C"])
ORDERS = st.sampled_from(
    ["must start before", "runs after", "is faster than", "reports to", "is owned by", "replaces"]
)


@given(NAMES, ORDERS, NAMES)
def test_turned_arguments_are_never_already_known(one: str, order: str, other: str) -> None:
    first, second = f"{one} {order} {other}", f"{other} {order} {one}"
    if one != other:
        assert similarity(first, second) < SAME
        assert exchanged(first, second)


def test_the_older_stays_and_is_recalled(archive: Archive) -> None:
    memory = Memory(archive)
    older = memory.remember("Parcels are weighed in grams")
    memory.remember("Parcels no longer need a label")
    assert memory.get(older.id).superseded_by is None
    first = memory.remember("A must ship before B")
    second = memory.remember("B must ship before A")
    assert second.id != first.id
    assert memory.may_replace == ((first.id, POSSIBLE),)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_read(old: str, new: str) -> None:
    surely_replaces(old, new)
    may_replace(old, new)
    assert not exchanged(old, old)
