"""One filter: read from text in one place, narrowed by another, asked of moments."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Conversation, ConversationFilter, InvalidValueError
from dejavu.model.conversation_filter import FIELDS
from dejavu.model.moments import parse_moment

NOW = 1_795_000_000.0
NAMES = st.none() | st.sampled_from(("a", "b"))
TIMES = st.none() | st.integers(0, 9).map(float)
FILTERS = st.builds(
    ConversationFilter,
    workspace=NAMES, instance=NAMES, agent=NAMES, role=NAMES, tool=NAMES, since=TIMES, until=TIMES,
    side=st.booleans(), starred=st.none() | st.booleans(), tags=st.frozensets(st.sampled_from("xyz")),
    without_tags=st.frozensets(st.sampled_from("xyz")),
    title=st.none() | st.sampled_from(("Retry", "retry budget")),
)  # fmt: skip


@pytest.mark.parametrize("word", sorted(FIELDS))
def test_every_word_sets_its_field(word: str) -> None:
    text = "2026-01-02T00:00:00Z" if FIELDS[word] in ("since", "until") else "x"
    made = ConversationFilter().with_text(word, text, NOW)
    changed = {name for name in FIELDS.values() if getattr(made, name) is not None}
    assert changed == {FIELDS[word]}


def test_until_a_day_means_its_end_where_that_is_asked() -> None:
    plain = ConversationFilter().with_text("before", "2026-01-02", NOW).until
    whole = ConversationFilter().with_text("before", "2026-01-02", NOW, whole_days=True).until
    assert plain is not None
    assert whole == plain + 86_400
    moment = "2026-01-02T10:00:00Z"
    assert ConversationFilter().with_text(
        "until", moment, NOW, whole_days=True
    ) == ConversationFilter().with_text("until", moment, NOW)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="'whenever' is not a time"):
        ConversationFilter().with_text("since", "whenever", NOW)


@given(FILTERS, FILTERS)
def test_narrowed_is_both(one: ConversationFilter, other: ConversationFilter) -> None:
    both, turned = one.narrowed(other), other.narrowed(one)
    assert both == turned
    clash = any(dict(one.names()).get(kind, name) != name for kind, name in other.names())
    clash = clash or {one.starred, other.starred} == {True, False}
    assert (both is None) == clash
    if both is not None:
        for at in (None, *map(float, range(10))):
            assert both.between(at) == (one.between(at) and other.between(at))
        assert dict(both.names()) == {**dict(one.names()), **dict(other.names())}
        assert both.side == (one.side and other.side)
        for tags in ((), ("x",), ("x", "y"), ("y", "z")):
            for starred in (False, True):
                held = Conversation(id="c", agent="a", tags=tags, starred=starred)
                assert both.fits_summary(held) == (
                    one.fits_summary(held) and other.fits_summary(held)
                )


def test_a_project_is_known_by_parts_of_its_name() -> None:
    held = Conversation(id="c", agent="a", project="github.com/acme/shop/packages/api")
    for name in ("acme/shop", "Shop", "github.com/acme", "packages/api", "/shop/"):
        assert ConversationFilter(project=name).fits_summary(held)
    for name in ("hop", "acme/api", "github.com/acme/shop/packages/api/x"):
        assert not ConversationFilter(project=name).fits_summary(held)
    short, long = ConversationFilter(project="shop"), ConversationFilter(project="acme/shop")
    assert short.narrowed(long) == long.narrowed(short) == long
    assert short.narrowed(ConversationFilter(project="other")) is None
    assert short.narrowed(ConversationFilter()) == ConversationFilter().narrowed(short) == short


def test_a_folder_in_no_repository_is_its_own_project_and_an_equals_sign_asks_for_one_alone() -> (
    None
):
    notes = Conversation(id="c", agent="a", workspace="/home/ann/notes")
    other = Conversation(id="d", agent="a", workspace=r"C:\Users\ann\notes")
    for held in (notes, other):
        assert ConversationFilter(project="notes").fits_summary(held)
        assert ConversationFilter(project=f"={held.place}").fits_summary(held)
    below = Conversation(id="e", agent="a", project="acme/shop/api")
    assert ConversationFilter(project="acme/shop").fits_summary(below)
    assert not ConversationFilter(project="=acme/shop").fits_summary(below)
    exact, parts = ConversationFilter(project="=acme/shop"), ConversationFilter(project="shop")
    assert exact.narrowed(parts) == parts.narrowed(exact) == exact
    assert exact.narrowed(ConversationFilter(project="=acme/shop/api")) is None


def test_it_knows_when_nothing_can_pass() -> None:
    assert ConversationFilter(since=2.0, until=1.0).is_backwards
    assert not ConversationFilter(since=1.0, until=1.0).is_backwards
    assert not ConversationFilter(since=1.0).is_backwards


def test_a_days_name_is_the_last_one_before_today() -> None:
    local = datetime.fromtimestamp(NOW).astimezone()
    for back in range(1, 8):
        then = local - timedelta(days=back)
        at = parse_moment(then.strftime("%A"), NOW)
        assert at is not None
        assert datetime.fromtimestamp(at).astimezone().date() == then.date()
