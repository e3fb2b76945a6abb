"""Receipts, from a program with a text field under the real wrapper."""

import os
import threading
import time
from pathlib import Path

import pytest
from tests.factories.field_agent import Start, prompting, taken
from tests.factories.waiting import until

from dejavu.capsule.control import send
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.delivery import NotAcceptedError, Receipt, deliver
from dejavu.sessions.field_text import FieldText

PASTE = "\n".join(f"line {number} of what is pasted" for number in range(60))


def field(view: sessions.SessionView) -> str:
    return FieldText(view.folder, "").look().text


def refused(view: sessions.SessionView, text: str, **options: object) -> Receipt:
    with pytest.raises(NotAcceptedError) as caught:
        deliver(view, text, **options)  # type: ignore[arg-type]
    return caught.value.receipt


@pytest.mark.parametrize("words", [(), ("hint",), ("breaks",)])
def test_a_prompt_is_accepted_and_arrives_once(
    field_agent: Start, tmp_path: Path, words: tuple[str, ...]
) -> None:
    view = field_agent(*words)
    receipt = deliver(view, "fix the parser")
    assert (receipt.typed, receipt.submitted, receipt.accepted, receipt.reason) == (
        True, True, True, "",
    )  # fmt: skip
    assert receipt.by in ("state", "screen")
    assert [text.strip() for text in taken(tmp_path)] == ["fix the parser"]


@pytest.mark.parametrize("words", [(), ("folds",)])
def test_a_paste_of_sixty_lines_arrives_whole(
    field_agent: Start, tmp_path: Path, words: tuple[str, ...]
) -> None:
    view = field_agent(*words)
    assert deliver(view, PASTE).accepted
    assert taken(tmp_path) == [PASTE]


def test_a_text_in_the_field_is_typed_and_not_entered(field_agent: Start, tmp_path: Path) -> None:
    view = field_agent()
    assert deliver(view, "later", enter=False) == Receipt(True, False, False)
    assert (field(view), taken(tmp_path)) == ("later", [])
    assert deliver(view, "").accepted, "Enter alone"
    assert taken(tmp_path) == ["later"]


def test_a_draft_is_not_added_to_and_may_be_waited_for(field_agent: Start, tmp_path: Path) -> None:
    view = field_agent()
    for letter in "half a thou":
        send(view.folder / "control", letter.encode())
    time.sleep(0.5)
    receipt = refused(view, "now")
    assert (receipt.typed, receipt.submitted, receipt.accepted) == (False, False, False)
    assert "half a thou" in receipt.reason
    assert "draft" in refused(view, "now", wait=True, timeout=0.6).reason
    assert (field(view), taken(tmp_path)) == ("half a thou", [])

    person = threading.Timer(1.0, lambda: send(view.folder / "control", b"\x15"))
    person.start()
    assert deliver(view, "now", wait=True, timeout=20).accepted
    person.join()
    assert taken(tmp_path) == ["now"]


def test_what_is_not_seen_in_its_field_is_not_entered(
    field_agent: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.sessions.delivery._TYPED", 1.0)
    receipt = refused(field_agent("deaf"), "fix it")
    assert (receipt.typed, receipt.submitted, receipt.accepted) == (False, False, False)
    assert "not seen" in receipt.reason
    assert taken(tmp_path) == []


def test_enter_follows_only_where_the_text_still_stands_alone(
    field_agent: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = field_agent()

    def type_between(folder: Path, name: str) -> None:
        send(folder / "control", b"!" if name == "seen" else b"")
        end = time.monotonic() + 10
        while name == "seen" and field(view) != "fix it!" and time.monotonic() < end:
            time.sleep(0.05)

    monkeypatch.setattr("dejavu.sessions.delivery.touch", type_between)
    receipt = refused(view, "fix it")
    assert (receipt.typed, receipt.submitted, receipt.accepted) == (True, False, False)
    assert "screen changed" in receipt.reason
    assert taken(tmp_path) == []


def test_what_an_agent_drops_is_submitted_and_not_accepted(
    field_agent: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.sessions.delivery._TAKEN", 2.0)
    receipt = refused(field_agent("swallows"), "fix it")
    assert (receipt.typed, receipt.submitted, receipt.accepted) == (True, True, False)
    assert "nothing shows" in receipt.reason


def test_a_working_agent_takes_a_text_or_is_waited_for(field_agent: Start, tmp_path: Path) -> None:
    view = field_agent("works")
    assert deliver(view, "the first one").accepted
    assert deliver(view, "the second one, meanwhile").accepted
    until(lambda: sessions.find("field").state == "working")
    assert "turn" in refused(view, "the third one", queue=True, timeout=0.5).reason
    assert taken(tmp_path) == ["the first one", "the second one, meanwhile"]


def test_a_text_counts_as_work_before_that_is_seen(field_agent: Start, tmp_path: Path) -> None:
    view = field_agent()
    sessions.touch(view.folder, "sent")
    assert "turn" in refused(view, "the next one", queue=True, timeout=0.5).reason
    long_ago = time.time() - 60
    os.utime(view.folder / "sent", (long_ago, long_ago))
    assert deliver(view, "the next one", queue=True, timeout=0.5).accepted
    assert taken(tmp_path) == ["the next one"]


def test_the_end_of_the_turn_before_does_not_count_for_a_text_that_was_dropped(
    field_agent: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = field_agent("drops")
    assert deliver(view, "the first one").accepted
    monkeypatch.setattr("dejavu.sessions.delivery._TAKEN", 5.0)
    receipt = refused(view, "the second one, meanwhile")
    assert (receipt.submitted, receipt.accepted, receipt.by) == (True, False, "")
    assert sessions.find("field").status.finished_at, "the first turn has ended"
    assert taken(tmp_path) == ["the first one"]
    assert deliver(view, "the third one").accepted
    assert taken(tmp_path) == ["the first one", "the third one"]


def test_a_text_of_which_the_field_still_shows_a_part_has_not_left_it(
    field_agent: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.sessions.delivery._TAKEN", 2.0)
    receipt = refused(
        field_agent("spills"), "fix the parser\nand then count the words of each line"
    )
    assert (receipt.typed, receipt.submitted, receipt.accepted) == (True, False, False)
    assert taken(tmp_path) == []


def test_a_program_that_no_rules_know_takes_texts_one_by_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dejavu.sessions.delivery._TYPED", 2.0)
    monkeypatch.setattr("dejavu.sessions.delivery._TAKEN", 5.0)
    with prompting(tmp_path) as view:
        for text in ("echo one", "no", "no"):
            receipt = deliver(view, text)
            assert receipt == Receipt(True, True, True, by="screen")
        assert deliver(view, "hide").accepted
        until(lambda: "hidden:" in "".join(FieldText(view.folder, "").look().around))
        receipt = refused(view, "unseen")
        assert (receipt.typed, receipt.submitted, receipt.accepted) == (False, False, False)
        assert "taken out again" in receipt.reason
        deliver(view, "seen", force=True)
        until(lambda: len(taken(tmp_path)) == 5)
    assert taken(tmp_path) == ["echo one", "no", "no", "hide", "seen"]


def test_line_breaks_without_pastes_are_refused(field_agent: Start, tmp_path: Path) -> None:
    view = field_agent("plain")
    assert "bracketed" in refused(view, "one\ntwo").reason
    assert deliver(view, "one").accepted
    assert taken(tmp_path) == ["one"]


def test_what_cannot_be_typed_and_who_has_ended(field_agent: Start) -> None:
    view = field_agent()
    with pytest.raises(InvalidValueError):
        deliver(view, "a\x1bb")
    send(view.folder / "control", b"\x03")
    while sessions.with_liveness(view).live:
        time.sleep(0.05)
    with pytest.raises(NotFoundError):
        deliver(sessions.with_liveness(view), "fix it")
