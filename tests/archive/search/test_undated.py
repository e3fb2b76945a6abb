"""A conversation without a date is of no known time: not of now, when it was captured."""

import time
from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.archive.access import open_archive
from dejavu.model import Conversation, Role, Text, Turn

NOW = time.time()


@pytest.fixture
def _archive(home: object) -> None:  # pyright: ignore[reportUnusedFunction] - used by name
    said = Turn(role=Role.USER, parts=(Text("the pond is deep"),))
    dated = Turn(role=Role.USER, parts=(Text("the pond is cold"),), at=NOW - 60)
    with open_archive(write=True) as archive:
        archive.put(Conversation(id="undated", agent="cursor", captured_at=NOW).with_turns((said,)))
        archive.put(Conversation(id="dated", agent="cursor").with_turns((dated,)))


@pytest.mark.usefixtures("_archive")
@pytest.mark.parametrize("times", [("--since", "2d"), ("--until", "2100-01-01")])
def test_an_undated_conversation_is_of_no_time_that_is_asked_for(
    times: tuple[str, str], dejavu: Callable[..., Result]
) -> None:
    assert [row["id"] for row in dejavu("list", "--json", *times).rows] == ["dated"]
    for more in ((), ("--exact",)):
        assert found(dejavu, *times, *more) == {"dated"}
        assert found(dejavu, *more) == {"dated", "undated"}
    figures = dejavu("stats", "--json").json
    assert figures["total"]["conversations"] == 2
    assert sum(month["conversations"] for month in figures["months"]) == 1


@pytest.mark.usefixtures("_archive")
def test_a_list_shows_no_date_for_it(dejavu: Callable[..., Result]) -> None:
    (row,) = (row for row in dejavu("list").out.splitlines() if row.startswith("undated"))
    assert time.strftime("%Y-", time.localtime(NOW)) not in row


def found(dejavu: Callable[..., Result], *options: str) -> set[str]:
    return {
        hit["conversation"] for hit in dejavu("search", "the pond", "--json", *options).json["hits"]
    }
