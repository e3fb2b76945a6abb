"""The command on a program with a text field; receipts are tested in tests/sessions/test_delivery.py."""

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.field_agent import Start, taken
from tests.factories.sessions import start

from dejavu.capsule.control import send
from dejavu.sessions import send_input as keys


def test_words_are_handed_over_and_the_receipt_says_so(
    dejavu: Callable[..., Result], field_agent: Start, tmp_path: Path
) -> None:
    field_agent()
    done = dejavu("send", "field", "fix", "it")
    assert (done.code, done.out, done.err) == (0, "", "")
    told = json.loads(dejavu("send", "field", "and then rest", "--json").out)
    assert (told["typed"], told["submitted"], told["accepted"], told["reason"]) == (
        True, True, True, "",
    )  # fmt: skip
    assert taken(tmp_path) == ["fix it", "and then rest"]


def test_a_text_from_stdin_is_typed_and_a_draft_is_left_alone(
    dejavu: Callable[..., Result],
    field_agent: Start,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = field_agent()
    monkeypatch.setattr("sys.stdin", io.StringIO("one\ntwo"))
    assert dejavu("send", "field", "--no-enter", "-").code == 0
    refused = dejavu("send", "field", "three")
    assert (refused.code, "draft" in refused.err) == (1, True)
    refused = dejavu("send", "field", "three", "--json")
    told = json.loads(refused.out)
    assert (refused.code, told["typed"], told["accepted"]) == (1, False, False)
    assert "draft" in told["reason"]
    assert dejavu("send", "field", "three", "--wait", "--timeout", "0.5").code == 1
    send(view.folder / "control", b"\x15")
    time.sleep(0.3)
    assert dejavu("send", "field", "three", "--wait", "--timeout", "9").code == 0
    assert taken(tmp_path) == ["three"]


def test_refused_while_it_asks_something(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[bytes] = []
    for name in ("dejavu.sessions.send_input.send", "dejavu.sessions.delivery.send"):
        monkeypatch.setattr(name, lambda _path, data: typed.append(data))
    monkeypatch.setattr(keys, "SETTLE", 0.0)
    start("20260101-000000-aaaa", "blocked")
    refused = dejavu("send", "2026", "y")
    assert (refused.code, typed) == (1, [])
    assert "--force" in refused.err
    assert dejavu("send", "2026", "y", "--force").code == 0
    assert typed == [b"y", b"\r"]


def test_ended_sessions_are_not_found(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "idle", live=False)
    assert dejavu("send", "2026", "x").code == 3
