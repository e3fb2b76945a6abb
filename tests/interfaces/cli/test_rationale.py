"""`dejavu rationale`: extracted without a command, shown for one conversation."""

from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_extracted_and_shown(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    found = dejavu("rationale", archived[1].id, "--json").json
    assert (found["written"], found["failed"], found["left"]) == (1, 0, False)
    assert found["rationales"][0]["by"] == "extract"
    assert "RetryBudget.tick" in dejavu("rationale", archived[1].id).out
    assert "already there" in dejavu("rationale").err


def test_a_failing_command_and_unknown_ids(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert "1 failed" in dejavu("rationale", "--command", "false").err
    assert dejavu("rationale", "nobody").code == 3


def test_a_conversation_without_a_reason_is_said_to_have_none(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    told = dejavu("memory", "why", archived[0].id)
    assert (told.code, told.out) == (0, "")
    assert f"no answer in {archived[0].id} gives a reason in its own words" in told.err
