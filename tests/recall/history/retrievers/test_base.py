"""A view collects what is known of every turn found, the telling kind first."""

from dejavu.archive import Archive
from dejavu.recall import Kind
from dejavu.recall.history.index import EventIndex
from dejavu.recall.history.retrievers.base import KIND_WEIGHT, View


def test_a_view_filters_and_folds(told: Archive) -> None:
    index = EventIndex(told)
    index.catch_up()
    searcher = index.searcher()
    assert searcher is not None
    view = View(told, index, searcher, ("workspace:/x",))
    found = view.find(view.any_of("text", {"paint": 1.0, "budget": 2.0}), 10)
    assert len(found) == len(view.met) == 2
    scores = view.by_turn(found, lambda one: one.score)
    assert set(scores) == set(view.met)
    assert view.frequency("text", "paint") == 2
    assert KIND_WEIGHT[Kind.PROMPT] > KIND_WEIGHT[Kind.RESULT]
