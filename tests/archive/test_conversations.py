"""Heads: by id and unique prefix, by place and date, moved when their dates move."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.model import (
    ArchiveError,
    Conversation,
    ConversationFilter,
    NotFoundError,
    Role,
    Text,
    Turn,
)


def conversation(name: str, at: float | None = None, **fields: object) -> Conversation:
    turn = Turn(role=Role.USER, parts=(Text(f"do {name}"),), at=at)
    whole = {"id": name, "agent": "x", "workspace": "/w", **fields}
    return Conversation(**whole).with_turns((turn,))  # type: ignore[arg-type]


def ids(archive: Archive, **wanted: object) -> list[str]:
    return [c.id for c in archive.scan(**wanted)]  # type: ignore[arg-type]


def test_by_place_and_date(archive: Archive) -> None:
    for name, at, place in (("a", 10, "1"), ("b", 30, "2"), ("c", 20, "1"), ("d", 40, "1")):
        archive.put(conversation(name, at, instance=place, workspace="/w" if name < "d" else "/v"))
    archive.put(conversation("e", None, agent="y"))
    assert ids(archive) == ["d", "b", "c", "a", "e"]
    assert ids(archive, newest_first=False) == ["e", "a", "c", "b", "d"]
    assert ids(archive, workspace="/w") == ["b", "c", "a", "e"]
    assert ids(archive, workspace="/w", instance="1") == ["c", "a"]
    assert ids(archive, instance="1") == ["d", "c", "a"]
    assert ids(archive, agent="y") == ["e"]
    assert ids(archive, since=20) == ["d", "b", "c"]
    assert ids(archive, until=20) == ["c", "a"]
    assert ids(archive, since=15, until=35, workspace="/w") == ["b", "c"]
    assert ids(archive, limit=2) == ["d", "b"]
    assert ids(archive, workspace="/nowhere") == []


def test_a_listing_holds_no_turns_but_title_and_count(archive: Archive) -> None:
    archive.put(conversation("a", 1))
    (summary,) = archive.scan()
    assert (summary.turns, summary.turn_count, summary.title) == ((), 1, "do a")
    assert archive.first_prompt("a") == "do a"


def test_the_first_prompts_of_many(archive: Archive) -> None:
    for name in ("a", "b"):
        archive.put(conversation(name, 1))
    assert archive.first_prompts(["b", "a", "gone"]) == {"a": "do a", "b": "do b"}


def test_a_folder_is_in_the_nearest_workspace_above_it(archive: Archive) -> None:
    archive.put(conversation("a", 1, workspace="/srv/shop"))
    archive.put(conversation("b", None, workspace="/srv/shop/web"))
    around = archive.workspace_around
    assert around("/srv/shop/web/src/deep") == "/srv/shop/web"
    assert around("/srv/shop/api") == around("/srv/shop") == "/srv/shop"
    assert around("/srv/shopping") is around("/srv") is None


def test_what_lasted_is_found_within(archive: Archive) -> None:
    archive.put(conversation("long", 100, started_at=10.0))
    assert ids(archive, since=50, until=60) == ["long"]
    assert ids(archive, until=9) == ids(archive, since=101) == []


def test_pages_join_without_a_seam(archive: Archive) -> None:
    from dejavu.archive import Batch, TurnUpdate

    archive.commit(
        Batch(updates=[TurnUpdate(conversation(f"n{n:04}", n % 7), 0, ()) for n in range(600)])
    )
    assert len(set(ids(archive))) == len(ids(archive)) == 600
    assert sorted(ids(archive, newest_first=False)) == sorted(ids(archive))


def test_moving_in_time_and_place_leaves_no_trace(archive: Archive) -> None:
    archive.put(conversation("a", 10))
    archive.put(conversation("a", 50, workspace="/elsewhere"))
    assert ids(archive, workspace="/w") == []
    assert ids(archive, workspace="/elsewhere") == ["a"]
    assert archive.backend.read(lambda txn: sum(1 for _ in txn.keys("order"))) == 3


def test_unique_prefixes(archive: Archive) -> None:
    for name in ("abc1", "abc2", "abd"):
        archive.put(conversation(name))
    assert archive.get("abd").id == archive.summary("abd").id == archive.resolve("abd") == "abd"
    assert archive.resolve("abc2") == "abc2"
    with pytest.raises(NotFoundError, match="not unique: abc1, abc2"):
        archive.get("abc")
    for name in ("zz", "", "x" * 600, "\udcff"):
        with pytest.raises(NotFoundError):
            archive.get(name)


@pytest.mark.parametrize("name", ["", "x" * 600, "a\0b", "\udcff"])
def test_what_cannot_be_an_id_is_refused(archive: Archive, name: str) -> None:
    with pytest.raises(ArchiveError, match="cannot be a conversation's id"):
        archive.put(conversation(name))
    assert archive.counts().conversations == 0


@settings(max_examples=25)  # each example makes an archive on disk
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.sampled_from("ab")), max_size=12)
)
def test_scan_is_a_filtered_sort(
    tmp_path_factory: pytest.TempPathFactory, puts: list[tuple[int, int, str]]
) -> None:
    model: dict[str, tuple[int, str]] = {}
    with Archive.open(tmp_path_factory.mktemp("summaries") / "archive") as archive:
        for name, at, place in puts:
            archive.put(conversation(str(name), at, workspace=place))
            model[str(name)] = (at, place)
        for place in "ab":
            assert sorted(ids(archive, workspace=place)) == sorted(
                n for n, v in model.items() if v[1] == place
            )
        dates = [model[name][0] for name in ids(archive)]
        assert dates == sorted(dates, reverse=True)
        assert len(dates) == len(model)


def test_what_has_no_time_is_listed_last(archive: Archive) -> None:
    for name, at, captured in (
        ("a", 5.0, None),
        ("b", None, 9e9),
        ("c", 7.0, None),
        ("d", None, 8e9),
    ):
        archive.put(Conversation(id=name, agent="x", started_at=at, captured_at=captured))
    assert [summary.id for summary in archive.scan()] == ["c", "a", "b", "d"]
    assert [summary.id for summary in archive.scan(limit=1)] == ["c"]
    assert [summary.id for summary in archive.scan(since=1.0)] == ["c", "a"]


def test_an_agents_own_id_and_a_count_back_name_a_conversation(archive: Archive) -> None:
    archive.put(conversation("a", 1, native_id="0b7e6c1a-5f0c"))
    archive.put(conversation("b", 2, native_id="0b7e6c1a-7777"))
    archive.put(conversation("c", 3, native_id='ses_"odd"'))
    archive.put(conversation("s", 4, source="cli/side"))
    assert archive.resolve("0b7e6c1a-5") == archive.resolve("0b7e6c1a-5f0c") == "a"
    assert archive.summary('ses_"o').id == "c"
    with pytest.raises(NotFoundError, match="not unique: a, b"):
        archive.resolve("0b7e6c1a")
    for name in ("0b7", "7e6c1a-5f0c"):  # too short, and no beginning
        with pytest.raises(NotFoundError, match="begins with"):
            archive.resolve(name)
    newest = ids(archive)
    assert [archive.resolve(name) for name in ("last", "last~1", "last~3")] == [
        newest[0], newest[1], newest[3],
    ]  # fmt: skip
    with pytest.raises(NotFoundError, match="no last~4: the oldest conversation is last~3"):
        archive.resolve("last~4")


def test_a_deleted_one_says_how_it_comes_back(archive: Archive) -> None:
    archive.put(conversation("abcd", 1))
    archive.maintenance.delete(("abcd",))
    told = "'abc' was deleted; `dejavu delete --undo abc`"
    if not archive.maintenance.keeps_deleted:  # on a server it is gone for good
        told = "begins with 'abc'"
    with pytest.raises(NotFoundError, match=told):
        archive.get("abc")


def test_words_of_the_title(archive: Archive) -> None:
    archive.put(conversation("a", 1, title="Fix the Retry budget"))
    archive.put(conversation("b", 2, title="Retry later"))
    for title, found in (("retry", ["b", "a"]), ("RETRY budget", ["a"]), ("zebra", [])):
        wanted = ConversationFilter(title=title)
        assert [one.id for one in archive.select(wanted)] == found
    both = ConversationFilter(title="retry").narrowed(ConversationFilter(title="later"))
    assert both is not None
    assert both.title == "later retry"
