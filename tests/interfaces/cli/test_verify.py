from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_a_whole_archive(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    result = dejavu("verify", "--json")
    assert result.code == 0
    assert (result.json["clean"], result.json["turns"]) == (True, 6)
    assert "no damage found" in dejavu("verify").out


def test_no_archive_is_not_found(dejavu: Callable[..., Result]) -> None:
    assert dejavu("verify").code == 3
