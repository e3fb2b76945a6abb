from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.factories.sessions import header

from dejavu.archive import Archive
from dejavu.model import (
    ArchiveError,
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
from dejavu.sessions.observer import capture_policy, screen_merge
from dejavu.sessions.observer.capture_policy import (
    SHORT,
    CapturePolicy,
    first_screen_notice,
    screen_conversation,
)


def _say(role: Role, text: str, vector: Vector = Vector.SCREEN) -> Turn:
    return Turn(role=role, parts=(Text(text),), vector=vector)


SEEN = (_say(Role.USER, "my SECRET?"), _say(Role.ASSISTANT, "no SECRET"))


def _policy(*, screen: bool) -> CapturePolicy:
    return CapturePolicy(
        screen_conversation(header()),
        screen=screen,
        redact=lambda text: text.replace("SECRET", "[x]"),
        agent="amp",
        folder=None,
    )


def _turns(count: int, start: int = 0) -> tuple[Turn, ...]:
    """Prompts and answers as a screen shows them, one a second."""
    return tuple(
        msgspec.structs.replace(
            _say(Role.ASSISTANT if seq % 2 else Role.USER, f"text {seq} SECRET"),
            seq=seq, at=100.0 + seq,
        )
        for seq in range(start, start + count)
    )  # fmt: skip


def _texts(archive: Archive, name: str) -> list[str]:
    return [turn.text for turn in archive.get(name).turns]


@pytest.fixture
def archive(tmp_path: Path) -> Any:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


def test_consent_and_no_trace_keeps_the_screen_redacted(archive: Archive) -> None:
    result = _policy(screen=True).finish(archive, [], SEEN, 9.0)
    assert (result.kept, result.turns) == ("screen", 2)
    whole = archive.get(result.conversation or "")
    assert whole.vectors == (Vector.SCREEN,)
    assert [turn.text for turn in whole.turns] == ["my [x]?", "no [x]"]
    assert whole.title == "my [x]?"


def test_keeping_again_doubles_nothing(archive: Archive) -> None:
    policy = _policy(screen=True)
    policy.write(archive, SEEN[:1])
    policy.write(archive, SEEN)
    policy.finish(archive, [], SEEN, 10.0)
    (head,) = archive.scan()
    assert head.turn_count == 2


def test_without_consent_nothing_is_kept_and_the_way_in_is_named(archive: Archive) -> None:
    result = _policy(screen=False).finish(archive, [], SEEN, 9.0)
    assert result.kept == "none"
    assert "--screen" in result.note
    assert list(archive.scan()) == []


@pytest.mark.parametrize("screen", [True, False])
def test_nothing_is_said_of_a_short_run_without_a_prompt(archive: Archive, screen: bool) -> None:
    policy = _policy(screen=screen)
    assert policy.finish(archive, [], (), 5.0 + SHORT - 1).note == ""
    assert "nothing was kept" in policy.finish(archive, [], (), 5.0 + SHORT + 1).note


def test_a_trace_makes_the_screen_superfluous(archive: Archive) -> None:
    native = Conversation(id="n", agent="amp").with_turns(
        tuple(_say(turn.role, turn.text, Vector.NATIVE) for turn in SEEN)
    )
    archive.put(native)
    result = _policy(screen=True).finish(archive, [archive.summary("n")], SEEN, 9.0)
    assert (result.kept, result.conversation) == ("native", "n")
    assert archive.get("n").vectors == (Vector.NATIVE,)


def test_what_a_trace_lacks_is_completed_from_the_screen(archive: Archive) -> None:
    archive.put(
        Conversation(id="n", agent="amp").with_turns((_say(Role.USER, "first", Vector.NATIVE),))
    )
    seen = (_say(Role.USER, "first"), _say(Role.ASSISTANT, "1"), *SEEN)
    result = _policy(screen=True).finish(archive, [archive.summary("n")], seen, 9.0)
    assert result.kept == "native+screen"
    texts = [turn.text for turn in archive.get("n").turns]
    assert texts == ["first", "1", "my [x]?", "no [x]"]


def test_without_consent_a_short_trace_stays_short(archive: Archive) -> None:
    archive.put(
        Conversation(id="n", agent="amp").with_turns((_say(Role.USER, "first", Vector.NATIVE),))
    )
    _policy(screen=False).finish(archive, [archive.summary("n")], SEEN, 9.0)
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
    assert _policy(screen=True).finish(archive, [told], (), 9.0).kept == "hook"
    assert _policy(screen=True).finish(archive, [told], seen, 9.0).kept == "hook+screen"
    (held,) = archive.scan()
    assert held.turn_count == 2


def test_settled_turns_are_written_once_and_those_behind_them_may_change(archive: Archive) -> None:
    policy, turns = _policy(screen=True), _turns(10)
    policy.write(archive, turns[:6])
    policy.settle(turns[:4])
    policy.write(archive, (*turns[4:6], *turns[6:8]))
    policy.settle(turns[4:6])
    result = policy.finish(archive, [], turns[6:], 200.0)
    assert (result.kept, result.turns) == ("screen", 10)
    assert _texts(archive, result.conversation or "") == [f"text {n} [x]" for n in range(10)]


def test_a_screen_just_cleared_takes_nothing_away(archive: Archive) -> None:
    policy, turns = _policy(screen=True), _turns(6)
    policy.settle(turns[:2])
    policy.write(archive, turns[2:])
    policy.write(archive, turns[2:3])
    policy.write(archive, ())
    result = policy.finish(archive, [], (), 200.0)
    assert (result.kept, result.turns) == ("screen", 6)


def test_turns_that_begin_anew_replace_those_of_the_other_screen(archive: Archive) -> None:
    policy = _policy(screen=True)
    policy.settle(_turns(6))
    policy.write(archive, _turns(2, 6))
    other = tuple(msgspec.structs.replace(turn, meta={"other": True}) for turn in _turns(12))
    policy.settle(other[:9])
    result = policy.finish(archive, [], other[9:], 200.0)
    assert archive.get(result.conversation or "").turns[3].meta == {"other": True}
    assert result.turns == archive.summary(result.conversation or "").turn_count == 12


def test_an_archive_that_refuses_loses_nothing(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_policy, "LIMIT", 100)
    policy, turns = _policy(screen=True), _turns(30)

    def refuse(*_: object) -> None:
        raise ArchiveError("full")

    with monkeypatch.context() as patch:
        patch.setattr(Archive, "commit", refuse)
        for start in (0, 10):
            policy.settle(turns[start : start + 10])
            with pytest.raises(ArchiveError):
                policy.write(archive, turns[start + 10 :])
    policy.settle(turns[20:25])
    result = policy.finish(archive, [], turns[25:], 200.0)
    assert _texts(archive, result.conversation or "") == [f"text {n} [x]" for n in range(30)]


@pytest.mark.parametrize("whole", [10_000, 0])
def test_of_what_a_log_has_nothing_waits_and_what_it_lacks_is_put_between(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    monkeypatch.setattr(screen_merge, "WHOLE", whole)
    shown = _turns(40)
    lacks = {20, 21, 36, 37}
    own = tuple(
        msgspec.structs.replace(turn, vector=Vector.NATIVE)
        for turn in shown
        if turn.seq not in lacks
    )
    archive.put(Conversation(id="n", agent="amp").with_turns(own))
    policy = _policy(screen=True)
    for start in range(0, 30, 10):
        policy.settle(shown[start : start + 10])
        policy.defer(archive, [archive.summary("n")])
    assert [turn.seq for turn in policy._deferred] == [20, 21]
    result = policy.finish(archive, [archive.summary("n")], shown[30:], 200.0)
    assert (result.kept, result.turns) == ("native+screen", 40)
    assert [text.split()[1] for text in _texts(archive, "n")] == [str(n) for n in range(40)]
    assert [turn.seq for turn in archive.turns("n") if turn.vector is Vector.SCREEN] == [
        *sorted(lacks)
    ]


def test_old_exchanges_drawn_again_are_no_news_of_a_long_log(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen_merge, "WHOLE", 0)
    own = tuple(
        msgspec.structs.replace(
            turn, vector=Vector.NATIVE, parts=(Text(f"a text of some length, number {turn.seq}"),)
        )
        for turn in _turns(10)
    )
    archive.put(Conversation(id="n", agent="amp").with_turns(own))
    again = tuple(
        msgspec.structs.replace(turn, vector=Vector.SCREEN, at=(turn.at or 0) + 90_000)
        for turn in own[:4]
    )
    result = _policy(screen=True).finish(archive, [archive.summary("n")], again, 90_200.0)
    assert (result.kept, result.turns) == ("native", 10)


def test_a_log_that_comes_late_takes_over_what_was_settled(archive: Archive) -> None:
    policy, turns = _policy(screen=True), _turns(8)
    policy.settle(turns[:4])
    policy.write(archive, turns[4:6])
    own = msgspec.structs.replace(turns[0], vector=Vector.NATIVE)
    archive.put(Conversation(id="n", agent="amp").with_turns((own,)))
    result = policy.finish(archive, [archive.summary("n")], turns[4:], 200.0)
    assert (result.kept, result.conversation) == ("native+screen", "n")
    (summary,) = archive.scan()
    assert (summary.id, summary.turn_count) == ("n", 8)


def test_that_screen_text_is_kept_is_said_once(home: Path) -> None:
    assert "(said once)" in first_screen_notice("amp")
    assert first_screen_notice("amp") == ""
    assert "scripted" in first_screen_notice("demo")
