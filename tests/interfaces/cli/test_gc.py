from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_tidying_keeps_everything(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("gc", "--json").json["orphans"] == 0
    assert dejavu("gc", "--compact").code == 0
    assert len(dejavu("list", "--json").json) == 2
    assert dejavu("verify").code == 0
