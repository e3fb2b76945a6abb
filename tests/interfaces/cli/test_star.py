from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_a_star_comes_and_goes(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    name = archived[0].id
    done = dejavu("star", name[:8])
    assert (done.code, done.out, done.err) == (0, f"{name}\n", "1 conversation starred\n")
    assert [row["id"] for row in dejavu("list", "--starred", "--json").rows] == [name]
    assert "★ " in dejavu("list").out
    assert "★ starred" in dejavu("show", name).out
    assert "- Starred: yes" in dejavu("export", name, "--format", "md").out
    again = dejavu("star", name, "--json")
    assert again.json["changed"] == []
    assert dejavu("star", "--remove", name).err == "1 conversation unstarred\n"
    assert dejavu("list", "--starred", "--json").rows == []


def test_a_search_takes_it(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    dejavu("star", "last")
    hits = dejavu("search", "is:starred", "--json").json["hits"]
    assert {hit["conversation"] for hit in hits} == {archived[0].id}


def test_an_unknown_conversation(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("star", "nope").code == 3
