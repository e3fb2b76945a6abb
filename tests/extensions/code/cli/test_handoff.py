from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.model import Conversation, Role, Text, Turn, conversation_id


def test_a_brief_and_the_chain_in_lists(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    source = archived[1].id
    shown = dejavu("handoff", source, "--to", "codex", "--json").json
    assert shown["command"] == ["codex", shown["brief"]]
    assert "retry_budget" in shown["brief"]
    plain = dejavu("handoff", source, "--to", "codex")
    assert plain.out == shown["brief"] + "\n"
    assert f"dejavu code handoff {source} --to codex --start" in plain.err
    turn = Turn(role=Role.USER, parts=(Text(shown["brief"]),), at=1_796_000_000.0)
    follower = Conversation(
        id=conversation_id("codex", "local", "next"), agent="codex", native_id="next", title="t"
    ).with_turns((turn,))
    with Archive.open(archive_location()) as archive:
        archive.put(follower)
    listed = {one["id"]: one for one in dejavu("list", "--json").rows}
    assert listed[follower.id]["continues"] == source
    assert "continues" not in listed[source]
    assert f"↳ {source}" in dejavu("list").out


def test_what_is_refused(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    assert dejavu("handoff", "--to", "nosuch").code == 2
    assert dejavu("handoff", "nothing").code == 3
    assert dejavu("handoff", "--start").code == 2
    refused = dejavu("handoff", archived[1].id, "--to", "codex", "--start")
    assert refused.code == 3  # its folder is not on this machine
