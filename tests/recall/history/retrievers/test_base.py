"""A context filters by workspace, counts there, and keeps the best passage of an exchange."""

from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.recall.history.index import ExchangeIndex
from dejavu.recall.history.retrievers.base import SearchContext


def test_a_view_filters_and_folds(told: Archive) -> None:
    index = ExchangeIndex(told)
    index.catch_up()
    searcher = index.searcher()
    assert searcher is not None
    context = SearchContext(told, index, searcher, "/x")
    found = context.find(context.any_of(("text", {"paint": 1.0, "budget": 2.0})), 10)
    assert set(found) == set(context.documents)
    assert len(found) == 1
    assert (context.frequency("text", "paint"), context.frequency("text", "budget")) == (1, 0)
    assert context.rarity("text", "budget") > context.rarity("text", "paint")


def test_words_are_counted_in_the_workspace(archive: Archive) -> None:
    """A name in every exchange of one project says nothing there, however rare it is elsewhere."""
    for number in range(30):
        archive.put(session(f"a{number}", (USER, f"parser of part{number} works"), workspace="/a"))
        archive.put(session(f"b{number}", (USER, f"the walnut table {number}"), workspace="/b"))
        archive.put(session(f"c{number}", (USER, f"the walnut chair {number}"), workspace="/b"))
    archive.put(session("gold", (USER, "walnut parser"), workspace="/b"))
    index = ExchangeIndex(archive)
    index.catch_up()
    searcher = index.searcher()
    assert searcher is not None
    there = SearchContext(archive, index, searcher, "/b")
    assert there.rarity("text", "parser") > there.rarity("text", "walnut")
    everywhere = SearchContext(archive, index, searcher)
    assert everywhere.rarity("text", "parser") < there.rarity("text", "parser")
