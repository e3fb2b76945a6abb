from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.model import (
    Conversation,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)
from dejavu.redact.conversation import redact_turn
from dejavu.sessions.observer.capture_policy import (
    SHORT,
    CapturePolicy,
    screen_conversation,
)

HEADER: dict[str, Any] = {
    "id": "20261121-1", "agent": "amp", "instance": "local", "workspace": "/w", "started_at": 5.0,
}  # fmt: skip


def _say(role: Role, text: str, vector: Vector = Vector.SCREEN) -> Turn:
    return Turn(role=role, parts=(Text(text),), vector=vector)


SEEN = (_say(Role.USER, "my SECRET?"), _say(Role.ASSISTANT, "no SECRET"))


def _policy(*, screen: bool) -> CapturePolicy:
    return CapturePolicy(
        screen_conversation(HEADER),
        screen=screen,
        redact=lambda text: text.replace("SECRET", "[x]"),
        agent="amp",
    )


@pytest.fixture
def archive(tmp_path: Path) -> Any:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def test_consent_and_no_trace_keeps_the_screen_redacted(archive: Archive) -> None:
    result = _policy(screen=True).keep(archive, [], SEEN, 9.0)
    assert (result.kept, result.turns) == ("screen", 2)
    whole = archive.get(result.conversation or "")
    assert whole.vectors == (Vector.SCREEN,)
    assert [turn.text for turn in whole.turns] == ["my [x]?", "no [x]"]
    assert whole.title == "my [x]?"


def test_keeping_again_doubles_nothing(archive: Archive) -> None:
    policy = _policy(screen=True)
    policy.keep(archive, [], SEEN[:1], 9.0)
    policy.keep(archive, [], SEEN, 10.0)
    (head,) = archive.scan()
    assert head.turn_count == 2


def test_without_consent_nothing_is_kept_and_the_way_in_is_named(archive: Archive) -> None:
    result = _policy(screen=False).keep(archive, [], SEEN, 9.0)
    assert result.kept == "none"
    assert "--screen" in result.note
    assert list(archive.scan()) == []


@pytest.mark.parametrize("screen", [True, False])
def test_nothing_is_said_of_a_short_run_without_a_prompt(archive: Archive, screen: bool) -> None:
    policy = _policy(screen=screen)
    assert policy.keep(archive, [], (), 5.0 + SHORT - 1).note == ""
    assert "nothing was kept" in policy.keep(archive, [], (), 5.0 + SHORT + 1).note


def test_a_trace_makes_the_screen_superfluous(archive: Archive) -> None:
    native = Conversation(id="n", agent="amp").with_turns(
        tuple(_say(turn.role, turn.text, Vector.NATIVE) for turn in SEEN)
    )
    archive.put(native)
    result = _policy(screen=True).keep(archive, [archive.summary("n")], SEEN, 9.0)
    assert (result.kept, result.conversation) == ("native", "n")
    assert archive.get("n").vectors == (Vector.NATIVE,)


def test_what_a_trace_lacks_is_completed_from_the_screen(archive: Archive) -> None:
    archive.put(
        Conversation(id="n", agent="amp").with_turns((_say(Role.USER, "first", Vector.NATIVE),))
    )
    seen = (_say(Role.USER, "first"), _say(Role.ASSISTANT, "1"), *SEEN)
    result = _policy(screen=True).keep(archive, [archive.summary("n")], seen, 9.0)
    assert result.kept == "native+screen"
    texts = [turn.text for turn in archive.get("n").turns]
    assert texts == ["first", "1", "my [x]?", "no [x]"]


def test_without_consent_a_short_trace_stays_short(archive: Archive) -> None:
    archive.put(
        Conversation(id="n", agent="amp").with_turns((_say(Role.USER, "first", Vector.NATIVE),))
    )
    _policy(screen=False).keep(archive, [archive.summary("n")], SEEN, 9.0)
    assert archive.get("n").turn_count == 1


def test_every_text_of_a_turn_is_redacted() -> None:
    turn = Turn(
        role=Role.ASSISTANT,
        parts=(
            Text("a S"),
            Reasoning("b S"),
            ToolCall("1", "S", {"k": ["S", {"d": "S"}], "n": 1}),
            ToolCallResponse("1", "S"),
            Extension("x.y", {"v": "S"}),
        ),
    )
    assert "S" not in repr(redact_turn(turn, lambda text: text.replace("S", "-")).parts)


def test_the_verdict_names_the_best_vector(archive: Archive) -> None:
    head = Conversation(id="s" * 16, agent="kimi", native_id="s-1")
    told = head.with_turns((_say(Role.USER, "why?", Vector.HOOK),))
    archive.put(told)
    seen = (_say(Role.USER, "why?"), _say(Role.ASSISTANT, "because"))
    assert _policy(screen=True).keep(archive, [told], (), 9.0).kept == "hook"
    assert _policy(screen=True).keep(archive, [told], seen, 9.0).kept == "hook+screen"
    (held,) = archive.scan()
    assert held.turn_count == 2
