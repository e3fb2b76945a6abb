"""The rules, request by request, before any application."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.extensions.web import auth
from dejavu.extensions.web.auth import OPEN, Guard, Message, Receive, Scope, Send

TOKEN = "t" * 40
PORT = 4711


def ask(
    *headers: tuple[str, str], path: str = "/v1/sessions", port: int | None = PORT,
    token: str | None = TOKEN, kind: str = "http", method: str = "GET", guard: Guard | None = None,
    query: bytes = b"",
) -> tuple[int, dict[str, str]]:  # fmt: skip
    """Status and headers of what comes back; 204 is the application's own answer."""
    sent: list[Message] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        kept: list[tuple[bytes, bytes]] = [(b"cache-control", b"public")]
        await send({"type": "http.response.start", "status": 204, "headers": kept})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nothing is read before the rules are kept")

    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    scope: Any = {"type": kind, "headers": raw, "path": path, "method": method,
                  "query_string": query}  # fmt: skip
    guard = guard or Guard(app, port=port, token=token, token_file="/state/token")
    guard._app = app
    asyncio.run(guard(scope, receive, send))
    if not sent:
        return 0, {}
    BODIES.append(b"".join(message.get("body", b"") for message in sent))
    fields = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], fields


BODIES: list[bytes] = []
HOST = ("Host", f"127.0.0.1:{PORT}")
BEARER = ("Authorization", f"Bearer {TOKEN}")


def test_who_keeps_the_rules_passes() -> None:
    assert ask(HOST, BEARER)[0] == 204
    assert ask(("Host", f"LOCALHOST:{PORT}"), ("Authorization", f"bearer {TOKEN}"))[0] == 204
    own = ("Origin", f"http://127.0.0.1:{PORT}")
    assert ask(HOST, BEARER, own, ("Sec-Fetch-Site", "same-origin"))[0] == 204


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}",
     f"localhost:{PORT}@evil", "localhost:", f"[::1]{PORT}", "", f"127.0.0.1:{PORT}/"],
)  # fmt: skip
def test_other_hosts_are_refused(host: str) -> None:
    assert ask(("Host", host), BEARER)[0] == 403


def test_no_host_or_two_are_refused() -> None:
    assert ask(BEARER)[0] == 403
    assert ask(HOST, ("Host", "evil.example"), BEARER)[0] == 403


@pytest.mark.parametrize(
    "header",
    [("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "http://127.0.0.1:1"),
     ("Origin", f"https://127.0.0.1:{PORT}"), ("Origin", f"http://localhost:{PORT}"),
     ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site")],
)  # fmt: skip
def test_other_sites_are_refused(header: tuple[str, str]) -> None:
    assert ask(HOST, BEARER, header)[0] == 403
    assert ask(("Host", f"127.0.0.1:{PORT}"), header, path="/", token=None)[0] == 403


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[1:]}", f"Basic {TOKEN}",
              TOKEN, "Bearer é"]
)  # fmt: skip
def test_a_wrong_token_is_refused(given: str) -> None:
    status, fields = ask(HOST, ("Authorization", given))
    assert (status, fields["www-authenticate"]) == (401, "Bearer")
    assert b"the token in /state/token" in BODIES[-1]


def test_two_tokens_are_none() -> None:
    assert ask(HOST, BEARER, ("Authorization", "Bearer x"))[0] == 401


@given(st.text(max_size=60).filter(lambda path: path not in OPEN and "/assets/" not in path))
def test_only_the_page_needs_no_token(path: str) -> None:
    assert ask(HOST, path=path)[0] == 401


def test_the_page_needs_none() -> None:
    assert {ask(HOST, path=path)[0] for path in OPEN} == {204}


def test_a_unix_socket_takes_any_port_and_no_token() -> None:
    for host in ("localhost", "localhost:8080", "[::1]:1", "127.0.0.1"):
        assert ask(("Host", host), port=None, token=None)[0] == 204
    assert ask(("Host", "evil.example"), port=None, token=None)[0] == 403


def test_every_answer_is_private_and_none_is_shared() -> None:
    for status, fields in (ask(HOST, BEARER), ask(HOST), ask(("Host", "evil"))):
        assert status
        assert fields["cache-control"] == "no-store"
        assert fields["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in fields["content-security-policy"]
        assert not any(name.startswith("access-control") for name in fields)


def test_web_sockets_are_not_spoken() -> None:
    assert ask(HOST, BEARER, kind="websocket")[0] == 0


async def _nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise AssertionError("replaced before it is asked")


def door(guard: Guard, *headers: tuple[str, str]) -> tuple[int, str]:
    """Status and cookie of an attempt to come in."""
    status, fields = ask(HOST, *headers, path="/login", method="POST", guard=guard)
    return status, fields.get("set-cookie", "")


@pytest.fixture
def guard() -> Guard:
    return Guard(_nothing, port=PORT, token=TOKEN)


OWN = ("Origin", f"http://127.0.0.1:{PORT}")
JSON = ("Content-Type", "application/json")


def test_the_door_gives_a_cookie_for_the_token_that_no_script_reads(guard: Guard) -> None:
    assert door(guard)[0] == 401
    assert door(guard, ("Authorization", "Bearer x"))[0] == 401
    assert door(guard, BEARER, ("Origin", "http://127.0.0.1:1"))[0] == 403
    status, cookie = door(guard, BEARER)
    assert status == 200
    assert f"Path={guard.prefix}/; HttpOnly; SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert TOKEN.encode() not in BODIES[-1]
    assert Guard(_nothing, port=PORT, token=TOKEN).prefix != guard.prefix


def test_a_cookie_reads_below_its_path_alone_and_writes_only_from_our_own_page(
    guard: Guard,
) -> None:
    cookie = ("Cookie", "x=1; " + door(guard, BEARER)[1].partition(";")[0])
    below = guard.prefix + "/v1/sessions"
    assert ask(HOST, cookie, path=below, guard=guard)[0] == 204
    assert ask(HOST, cookie, guard=guard)[0] == 401
    assert ask(HOST, cookie, path="/p/other/v1/sessions", guard=guard)[0] == 401
    assert ask(HOST, path=below, guard=guard)[0] == 401
    assert ask(HOST, ("Cookie", "dejavu=x"), path=below, guard=guard)[0] == 401
    assert ask(HOST, BEARER, path=below, guard=guard)[0] == 401, "the token is for programs"

    def post(*headers: tuple[str, str]) -> int:
        return ask(HOST, cookie, *headers, path=below, method="POST", guard=guard)[0]

    assert post(OWN, JSON) == 204
    assert post(JSON) == 403
    assert post(OWN) == 403
    assert post(OWN, ("Content-Type", "text/plain")) == 403
    assert post(("Origin", "http://127.0.0.1:1"), JSON) == 403
    assert ask(HOST, cookie, OWN, path=below, method="DELETE", guard=guard)[0] == 403


def test_a_link_of_another_site_reaches_the_door_alone() -> None:
    """The file of `serve --open` is another site for a browser; the door's page holds nothing."""
    other = ("Sec-Fetch-Site", "cross-site")
    assert ask(HOST, other, path="/")[0] == 204
    assert ask(HOST, other, path="/", method="POST")[0] == 403
    assert ask(HOST, other, path="/", token=None, port=None)[0] == 403
    for path in ("/v1/sessions", "/login", "/assets/door.js"):
        assert ask(HOST, other, BEARER, path=path)[0] == 403


def test_a_code_opens_the_door_once_and_nothing_else(
    guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = ("Authorization", f"Bearer {guard.one_time_code()}")
    assert ask(HOST, code, guard=guard)[0] == 401
    assert door(guard, code)[0] == 200
    assert door(guard, code)[0] == 401
    late = ("Authorization", f"Bearer {guard.one_time_code()}")
    now = auth.time.monotonic()
    monkeypatch.setattr(auth.time, "monotonic", lambda: now + 61)
    assert door(guard, late)[0] == 401
    assert door(guard, ("Authorization", "Bearer "))[0] == 401


def test_a_person_with_a_page_of_an_ended_server_is_led_to_the_door(guard: Guard) -> None:
    status, fields = ask(HOST, ("Accept", "text/html,*/*"), path="/p/old/stats", guard=guard)
    assert (status, fields["location"]) == (303, "/#page=%2Fstats")


@pytest.mark.parametrize(
    ("path", "query", "location"),
    [
        ("/memory", b"q=why%3F&project=a", "/#page=%2Fmemory%3Fq%3Dwhy%253F%26project%3Da"),
        ("/p/old/", b"", "/"),
        ("//evil.test/x", b"", "/#page=%2F%2Fevil.test%2Fx"),
        ("/a\r\nb", b"x=\xff", "/#page=%2Fa%250D%250Ab%3Fx%3D%C3%BF"),
    ],
)
def test_the_door_is_told_which_page_was_wanted(
    guard: Guard, path: str, query: bytes, location: str
) -> None:
    accepted = ("Accept", "text/html")
    status, fields = ask(HOST, accepted, path=path, query=query, guard=guard)
    assert (status, fields["location"]) == (303, location)
    prefixed = ask(HOST, accepted, path=guard.prefix + path, query=query, guard=guard)
    if not path.startswith("/p/"):
        assert prefixed[1]["location"] == location
