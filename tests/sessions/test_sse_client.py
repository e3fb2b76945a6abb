"""A server's events as they come, from a real server on loopback."""

import json

import pytest
from tests.factories.wire import Serve

from dejavu.model import CaptureError, ConfigError
from dejavu.sessions import sse_client as events
from dejavu.sessions.sse_client import Address, SseClient, basic_auth, parse_address


def listener(where: Address, *paths: str) -> SseClient:
    return SseClient(where, paths or ("/event",), {}, start=0.3, away=0.3)


def event(value: object) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def test_events_cut_anywhere_and_comments(serve: Serve) -> None:
    whole = b": hello\n" + event({"n": 1}) + b"id: 7\r\n" + event("z\u00e9")
    cut = [whole[at : at + 1] for at in range(len(whole))]
    assert list(listener(serve(cut))) == ['{"n": 1}', '"z\\u00e9"']


def test_the_first_path_that_tells_events(serve: Serve) -> None:
    where = serve([event(1)])
    assert list(listener(where, "/nothing", "/event")) == ["1"]


def test_a_line_that_breaks_is_taken_up_and_half_an_event_is_none(serve: Serve) -> None:
    heard = listener(serve([event(1), b'data: {"half'], [event(2)]))
    assert list(heard) == ["1", "2"]
    assert heard.lines == 2


def test_a_server_that_hangs_up_at_once_is_left_in_the_end(serve: Serve) -> None:
    heard = listener(serve(*([[]] * 100)))
    assert list(heard) == []
    assert 0 < heard.lines < 100


def test_an_endless_event_costs_its_line_not_the_memory(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_LONGEST", 1 << 20)
    heard = listener(serve([b"data: " + b"x" * (1 << 18)] * 8, [event(2)]))
    assert list(heard) == ["2"]
    assert heard.missed == 1


def test_a_password_is_asked_for(serve: Serve) -> None:
    with pytest.raises(CaptureError, match="password"):
        list(listener(serve(), "/locked"))


def test_what_tells_no_events_and_what_is_not_there(serve: Serve) -> None:
    with pytest.raises(CaptureError, match="no events"):
        list(listener(serve()))
    with pytest.raises(CaptureError, match="no server answers"):
        list(listener(Address("127.0.0.1", 1)))


def test_basic_authentication() -> None:
    assert (
        basic_auth("Aladdin", "open sesame")["Authorization"]
        == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    )


@pytest.mark.parametrize(
    "url",
    ["http://example.org:4096", "http://10.0.0.1:1", "https://127.0.0.1:1", "http://0.0.0.0:1",
     "http://me:word@127.0.0.1:1", "http://127.0.0.1.example.org:1", "http://127.0.0.1:x", "4096"],
)  # fmt: skip
def test_other_machines_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="on this machine"):
        parse_address(url)


@pytest.mark.parametrize(
    ("url", "found"),
    [("http://127.0.0.1:4096/", ("127.0.0.1", 4096)), ("http://[::1]:9", ("::1", 9)),
     ("http://localhost:7", ("127.0.0.1", 7)), ("http://127.1.2.3", ("127.1.2.3", 80))],
)  # fmt: skip
def test_this_machine(url: str, found: tuple[str, int]) -> None:
    assert parse_address(url) == found
