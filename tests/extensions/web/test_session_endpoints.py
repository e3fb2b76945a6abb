"""The endpoints of sessions, asked as functions, and by the client on a real server and agent."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.extensions.web.conftest import Api
from tests.factories.dialogs import drawn, plain, recorded, shown_blocked, taken
from tests.factories.waiting import until
from tests.sessions.test_answer import ASKS

from dejavu.client import Client, ClientError
from dejavu.extensions.web import session_endpoints as api
from dejavu.model import NotFoundError
from dejavu.sessions import send_input as keys

A, B = "20260101-000000-aaaa", "20260101-000001-bbbb"


def test_sessions_in_the_order_of_attention(session: Callable[..., Path]) -> None:
    session(A, "blocked", name="a")
    session(B, "working")
    session("20260101-000002-cccc", "idle", live=False)
    assert [row["state"] for row in api.list_sessions(all=False)] == ["blocked", "working"]
    assert [row["state"] for row in api.list_sessions(all=True)][-1] == "exited"
    assert api.show_attention()["worst"] == "blocked"
    assert api.show_session("a")["session"] == A
    with pytest.raises(NotFoundError):
        api.show_session("nobody")


def test_only_saying_so_counts_as_seen(session: Callable[..., Path]) -> None:
    session(A, "idle", finished_at=2.0)
    assert api.show_session(A)["state"] == "done"
    assert api.show_session(A)["state"] == "done"
    assert api.see_session(A)["state"] == "idle"


def test_sending_follows_the_rules_of_send(
    session: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[bytes] = []
    monkeypatch.setattr(keys, "send", lambda _path, data: typed.append(data))
    monkeypatch.setattr(keys, "SETTLE", 0.0)
    session(A, "blocked")
    rest = {"wait": False, "queue": False, "timeout": 1}
    with pytest.raises(keys.InputRefusedError):
        api.send_text(A, "y", enter=True, force=False, **rest)
    told = api.send_text(A, "y", enter=False, force=True, **rest)
    assert (told["state"], told["typed"], told["submitted"]) == ("blocked", True, False)
    assert typed == [b"y"]


@pytest.fixture
def client(serve: Callable[..., Api]) -> Iterator[Client]:
    """A client of a server on a port."""
    server = serve("--port", "0")
    client = Client(server.url, token=server.token)
    yield client
    for session in client.sessions():
        client.stop(session["id"], timeout=20, kill=True)


@pytest.fixture
def demo(tmp_path: Path) -> str:
    """A program that asks, then asks for a letter, then works until Escape."""
    path = tmp_path / "demo"
    path.write_text(f"#!{sys.executable}\n{ASKS}")
    path.chmod(0o755)
    return str(path)


def test_an_agent_is_started_answered_interrupted_and_stopped(
    client: Client, demo: str, tmp_path: Path
) -> None:
    log = str(tmp_path / "log")
    started = client.start([demo, log], name="api", size="90x24", workspace=str(tmp_path))
    assert (started["name"], started["live"]) == ("api", True)
    assert Path(started["workspace"]).samefile(tmp_path)
    asked = client.wait("api", "blocked", timeout=60)["blocked"]
    assert asked is not None
    assert "rm -r build" in asked.get("subject", "")
    with pytest.raises(ClientError, match="asks a person") as refused:
        client.send("api", "hello")
    assert refused.value.status == 409
    other = asked.copy()
    other["question"] = "May I?"
    with pytest.raises(ClientError, match="something else"):
        client.answer("api", 1, asked=other)
    assert client.answer("api", 2, asked=asked)["answered"] == "Yes, and do not ask again"
    until(lambda: (client.session("api")["blocked"] or {}).get("choices") == ["y", "N"])
    client.keys("api", "y")
    client.wait("api", "working", timeout=60)
    assert client.interrupt("api")["state"] in ("idle", "done")
    assert Path(log).read_text().splitlines() == ["Yes, and do not ask again", "y"]
    screen = client.screen("api", styles=True)
    assert (screen["columns"], len(screen["rows"])) == (90, 24)
    text = ["".join(span["text"] for span in row) for row in screen.get("spans", [])]
    assert text == [row.rstrip() for row in screen["rows"]]
    ended = client.stop("api")
    assert (ended["state"], ended["finished_at"] is not None) == ("exited", True)


def test_after_a_send_only_a_change_of_state_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"id": A, "state": "idle", "since": "1", "blocked": None}
    client = Client()
    monkeypatch.setattr(client, "session", lambda _session: told)
    monkeypatch.setattr(client, "_do", lambda _path, **_fields: told)
    client.send("a", "go")
    with pytest.raises(TimeoutError):
        client.wait("a", "idle", timeout=0.3)
    told = {**told, "since": "2"}
    assert client.wait("a", "idle", timeout=5)["since"] == "2"


@pytest.mark.fault("A1")
def test_nothing_is_entered_into_a_dialog_that_was_not_read(client: Client, tmp_path: Path) -> None:
    dialog = plain(recorded("opencode/opencode-1.17.11-120x40-01-blocked.txt"))
    with drawn(dialog, tmp_path, "opencode", "120x40") as started:
        view = shown_blocked(started, "Permission required")
        assert view is not None
        asked = client.session(view.label)["blocked"]
        for wanted in ("Reject", 1):
            with pytest.raises(ClientError, match="enter confirm") as refused:
                client.answer(view.label, wanted, asked=asked)
            assert refused.value.status == 409
        assert taken(tmp_path) == []
    dialog = recorded("copilot/copilot-1.0.82-120x40-02-blocked.txt")
    with drawn(dialog, tmp_path, "copilot", "120x40") as started:
        view = shown_blocked(started, "Do you want to run")
        assert view is not None
        assert client.answer(view.label, "No")["answered"].startswith("No, and")
        assert [one[:3] for one in taken(tmp_path)] == ["No,"]


def test_what_can_not_be_done_says_why(client: Client, tmp_path: Path) -> None:
    for command, problem in (
        ([], "name the agent"), (["no-such-agent"], "not found in PATH"), ([""], "name the agent"),
    ):  # fmt: skip
        with pytest.raises(ClientError, match=problem) as refused:
            client.start(command)
        assert refused.value.status == 400
    with pytest.raises(ClientError, match="workspace"):
        client.start(["true"], workspace=str(tmp_path / "none"))
    with pytest.raises(ClientError, match=r"^(400: )?size: .*not a size"):
        client.start(["true"], size="huge")
    with pytest.raises(ClientError) as missing:
        client.screen("nobody")
    assert missing.value.status == 404
    with pytest.raises(ClientError, match="does `dejavu serve` run"):
        Client(tmp_path / "no.sock").sessions()


def test_who_comes_back_is_told_what_was_missed(client: Client) -> None:
    first = client.start(["sleep", "600"], name="one")
    events = client._open("GET", "/v1/events", None, {"Accept": "text/event-stream"}, 30)
    identity, seen = "", 0
    for raw in events:
        line = raw.decode().strip()
        identity = line.removeprefix("id: ") if line.startswith("id: ") else identity
        seen += line == "event: attention"
        if seen and not line:
            break
    events.close()
    client.stop("one")
    client.start(["sleep", "600"], name="two")
    back = client.events(last_id=identity)
    told = [next(back) for _ in range(2)]
    assert first["id"] in {session["id"] for session in told}
    anew = client.events(last_id="ffff-1")
    assert next(anew)["name"] == "two"


def test_messages_are_told_in_pages(session: Callable[..., Path], archived: list) -> None:
    session(A, "idle", conversation=archived[1].id)
    page = api.show_messages(A, after=None, limit=2)
    assert [turn["role"] for turn in page["turns"]] == ["user", "assistant"]
    rest = api.show_messages(A, after=page["next"], limit=50)
    assert [turn["seq"] for turn in rest["turns"]] == [2, 3]
    assert rest["next"] is None
    session(B, "idle")
    assert api.show_messages(B, after=None, limit=5)["turns"] == []
