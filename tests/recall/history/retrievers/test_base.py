"""A view collects what is known of every turn found, the telling kind first."""

from dejavu.archive import Archive
from dejavu.recall import Kind
from dejavu.recall.history.index import EventIndex
from dejavu.recall.history.retrievers.base import KIND_WEIGHT, SearchContext


def test_a_view_filters_and_folds(told: Archive) -> None:
    index = EventIndex(told)
    index.catch_up()
    searcher = index.searcher()
    assert searcher is not None
    context = SearchContext(told, index, searcher, ("workspace:/x",))
    found = context.find(context.any_of("text", {"paint": 1.0, "budget": 2.0}), 10)
    assert len(found) == len(context.documents) == 2
    scores = context.by_turn(found, lambda one: one.score)
    assert set(scores) == set(context.documents)
    assert context.frequency("text", "paint") == 2
    assert KIND_WEIGHT[Kind.PROMPT] > KIND_WEIGHT[Kind.RESULT]
