from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.archive.access import open_archive
from dejavu.archive.backends.transaction import Writer
from dejavu.model import Conversation


def test_a_whole_archive(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    result = dejavu("verify", "--json")
    assert result.code == 0
    assert (result.json["clean"], result.json["turns"]) == (True, 6)
    assert "no damage found" in dejavu("verify").out


def test_no_archive_is_not_found(dejavu: Callable[..., Result]) -> None:
    assert dejavu("verify").code == 3


def test_damage_is_named_and_repaired_as_far_as_it_can_be(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    """These conversations have no raw: the turns of the damaged one are kept, the others whole."""
    hurt, *others = archived
    with open_archive(write=True) as archive:

        def damage(txn: Writer) -> None:
            stored = txn.stored("summaries", hurt.id.encode()) or b""
            txn.put_stored("summaries", hurt.id.encode(), stored[:-1] + b"?")

        archive.backend.write(damage)
    found = dejavu("verify", "--json")
    assert (found.code, found.json["damaged"]) == (4, {hurt.id: "restore"})
    assert dejavu("list").code == 4
    repaired = dejavu("verify", "--repair")
    assert repaired.code == 4
    assert f"{hurt.id}: what could be read was kept" in repaired.err
    assert "replaced-" in repaired.err
    assert all(dejavu("show", other.id).code == 0 for other in [hurt, *others])
