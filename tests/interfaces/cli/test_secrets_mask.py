from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_it_does_what_the_old_name_did(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    now, before = dejavu("secrets", "mask", "--dry-run"), dejavu("redact", "--retro", "--dry-run")
    assert now == before
    assert (now.code, "1 conversation from screens checked, 0 would change" in now.err) == (
        0,
        True,
    )
    native = dejavu("secrets", "mask", "--native", "--dry-run")
    assert (native.code, "no secrets in agents' own text" in native.err) == (0, True)
