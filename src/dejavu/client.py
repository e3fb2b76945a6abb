"""A client of `dejavu serve`: sessions to read, prompt and answer, and the archive to search.

    from dejavu.client import Client

    client = Client()                                  # the Unix socket in the state folder
    session = client.start(["claude"], name="api")
    client.wait("api", "idle", timeout=60)
    client.send("api", "Fix the failing test")
    if client.wait("api", "idle", "blocked", timeout=1800)["state"] == "blocked":
        client.answer("api", "1")

Standard library only, and one connection a call. What a server refuses is a `ClientError` with its
sentence. The shapes are those of its OpenAPI document; fields may be added to them.

Tested in: tests/extensions/web/test_session_endpoints.py
"""

import json
import os
import socket
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, cast
from urllib.parse import quote, urlencode, urlsplit

from dejavu.config.paths import state_home
from dejavu.model import DejavuError

State = Literal["blocked", "error", "done", "working", "idle", "unknown", "exited"]


class Blocked(TypedDict):
    """What a person is asked. `subject` is what it is about, `default` what Enter takes.

    `keys` has the letter that takes each choice, if there are letters; `takes_text`: a text is asked for.
    `across`: the choices stand side by side. `more`: the list scrolls, and `first` is the number of
    the first choice that is seen.
    """

    kind: str
    question: str
    choices: list[str]
    default: str | None
    resets_at: str | None
    subject: NotRequired[str]
    keys: NotRequired[list[str]]
    takes_text: NotRequired[bool]
    across: NotRequired[bool]
    first: NotRequired[int]
    more: NotRequired[bool]


class Session(TypedDict):
    """A running or recent session; moments are ISO 8601."""

    id: str
    name: str
    agent: str
    version: str | None
    workspace: str
    instance: str
    machine: str
    state: State
    since: str
    started_at: str
    finished_at: str | None
    live: bool
    exit_status: int | None
    conversation: str | None
    title: str | None
    last_prompt: str | None
    last_words: str | None
    model: str | None
    tokens: dict[str, int] | None
    pending: list[dict[str, Any]]
    blocked: Blocked | None
    answered: NotRequired[str]
    typed: NotRequired[bool]
    submitted: NotRequired[bool]
    accepted: NotRequired[bool]
    reason: NotRequired[str]


class Turn(TypedDict):
    """One turn; parts follow the OpenTelemetry GenAI message schema."""

    seq: int
    role: Literal["user", "assistant", "tool", "system"]
    parts: list[dict[str, Any]]
    at: str | None
    vector: str
    model: str | None
    usage: dict[str, Any] | None


class Screen(TypedDict):
    """A screen, secrets replaced; `spans` are each row's runs of one style."""

    columns: int
    lines: int
    rows: list[str]
    title: str
    alternate: bool
    cursor: list[int]
    state: State
    spans: NotRequired[list[list[dict[str, Any]]]]


class ClientError(DejavuError):
    """The server refused; `status` is HTTP's, 0 where it could not be reached."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _UnixConnection(HTTPConnection):
    def __init__(self, path: Path, timeout: float | None) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(os.fspath(self._path))


class Client:
    """One server. `address`: a Unix socket's path or an http URL of this machine, with its `token`.

    `timeout`: seconds an answer may take.
    """

    def __init__(
        self, address: str | Path | None = None, *, token: str | None = None, timeout: float = 60.0
    ) -> None:
        self._address = state_home() / "serve.sock" if address is None else address
        self._token, self._timeout = token, timeout
        self._sent: dict[str, tuple[float, tuple[str, Any]]] = {}  # when, and the state before it

    # -- sessions

    def sessions(self, *, all: bool = False) -> list[Session]:  # noqa: A002 - as the API calls it
        """Sessions, those that need a person first."""
        return cast("list[Session]", self._get("/v1/sessions", all=str(all).lower()))

    def session(self, session: str) -> Session:
        """One session, by id, its beginning, or name."""
        return cast("Session", self._get(_of(session)))

    def start(
        self,
        command: Sequence[str],
        *,
        name: str | None = None,
        workspace: str | None = None,
        size: str | None = None,
        screen: bool | None = None,
    ) -> Session:
        """Start an agent detached."""
        fields = {"name": name, "workspace": workspace, "size": size, "screen": screen}
        wanted = {key: value for key, value in fields.items() if value is not None}
        return self._do("/v1/sessions", command=list(command), **wanted)

    def send(
        self,
        session: str,
        text: str,
        *,
        enter: bool = True,
        force: bool = False,
        wait: bool = False,
        queue: bool = False,
        timeout: int = 60,
    ) -> Session:
        """Hand over a text, and return once it was seen taken; else refused (409).

        wait: until its field holds no draft or dialog. queue: until the agent's turn is over. Both
        for `timeout` seconds, which must be below the client's own.
        """
        options = {"force": force, "wait": wait, "queue": queue, "timeout": timeout}
        before = self.session(session)
        sent = self._do(f"{_of(session)}/send", text=text, enter=enter, **options)
        self._note_sent(before)
        return sent

    def keys(self, session: str, *keys: str) -> Session:
        """Press keys by name, whatever the agent asks."""
        return self._do(f"{_of(session)}/keys", keys=list(keys))

    def answer(
        self, session: str, choice: str | int, *, asked: Blocked | None = None, expect: str = ""
    ) -> Session:
        """Choose in the dialog by which the agent asks; no other than `asked` is answered."""
        fields: dict[str, Any] = {"choice": str(choice), "expect": expect}
        if asked is not None:
            fields["asked"] = asked
        before = self.session(session)
        answered = self._do(f"{_of(session)}/answer", **fields)
        self._note_sent(before)
        return answered

    def interrupt(self, session: str) -> Session:
        """Interrupt what the agent does."""
        return self._do(f"{_of(session)}/interrupt")

    def stop(self, session: str, *, timeout: int = 10, kill: bool = False) -> Session:
        """End the agent."""
        return self._do(f"{_of(session)}/stop", timeout=timeout, kill=kill)

    def screen(self, session: str, *, styles: bool = False) -> Screen:
        """The screen as it is."""
        return cast("Screen", self._get(f"{_of(session)}/screen", styles=str(styles).lower()))

    def messages(self, session: str, *, after: int = -1) -> Iterator[Turn]:
        """Turns of its conversation behind `after`, as far as they are archived."""
        while True:
            query = {} if after < 0 else {"after": str(after)}
            page = self._get(f"{_of(session)}/messages", **query)
            yield from page["turns"]
            if page["next"] is None:
                return
            after = page["next"]

    def events(self, session: str | None = None, *, last_id: str = "") -> Iterator[Session]:
        """Every live session, then each as it changes; continues where it was when the line breaks.

        Raises ClientError where the server stays away.
        """
        path = "/v1/events" + ("" if session is None else f"?session={quote(session, safe='')}")
        failures = 0
        while True:
            try:
                headers = {"Accept": "text/event-stream", "Last-Event-ID": last_id}
                with self._open("GET", path, None, headers, timeout=None) as response:
                    failures = 0
                    for identity, name, data in _events(response):
                        last_id = identity or last_id
                        if name == "session":
                            yield cast("Session", json.loads(data))
            except (OSError, HTTPException) as error:
                failures += 1
                if failures > _TRIES:
                    raise ClientError(f"the server stays away ({error})") from error
            time.sleep(_AWAY)

    def wait(self, session: str, *states: str, timeout: float | None = None) -> Session:
        """The session once it is in one of `states` (`idle` is `done`, too), or has ended.

        A blocked one comes with its choices, or after some seconds without. After `send` and `answer`
        only a change of state counts, for a while.

        Raises TimeoutError.
        """
        wanted = {*states, "exited", *(["done"] if "idle" in states else [])}
        end = None if timeout is None else time.monotonic() + timeout
        drawn_by = float("inf")
        while True:
            now = self.session(session)
            asked = now["blocked"]
            unread = asked is not None and not (asked["choices"] or asked.get("takes_text"))
            drawn_by = min(drawn_by, time.monotonic() + _DRAWN) if unread else float("inf")
            waits = unread and time.monotonic() < drawn_by
            if now["state"] in wanted and not waits and not self._is_stale(now):
                return now
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"{session} is {now['state']} after {timeout:g} s")
            time.sleep(_POLL)

    def _note_sent(self, before: Session) -> None:
        self._sent[before["id"]] = (time.monotonic(), (before["state"], before["since"]))

    def _is_stale(self, now: Session) -> bool:
        """Whether a state is the one from before what was sent, and the agent may still take it."""
        at, before = self._sent.get(now["id"], (float("-inf"), ("", None)))
        taken_by = at + _UPTAKE.get(now["state"], _UPTAKE_IDLE)
        return (now["state"], now["since"]) == before and time.monotonic() < taken_by

    # -- the archive

    def conversations(self, **filters: str | int) -> list[dict[str, Any]]:
        """Conversations, the newest first; filters as `GET /v1/conversations` has them."""
        return cast("list[dict[str, Any]]", self._get("/v1/conversations", **filters))

    def conversation(self, conversation: str) -> dict[str, Any]:
        """One conversation with its turns."""
        return cast("dict[str, Any]", self._get(f"/v1/conversations/{quote(conversation)}"))

    def search(self, query: str, **filters: str | int) -> list[dict[str, Any]]:
        """Turns that hold the words, the best first."""
        found = self._get("/v1/search", q=query, **filters)
        return cast("list[dict[str, Any]]", found["hits"])

    def recall(self, question: str, **scope: str | int) -> dict[str, Any]:
        """Memories and past exchanges that answer, as `dejavu memory find --json` has them."""
        return cast("dict[str, Any]", self._get("/v1/memory", q=question, **scope))

    def judge(self, identity: str, *, right: bool) -> dict[str, Any]:
        """Confirm or reject a memory (its id) or a hit that was shown (`conversation#turn`)."""
        body = json.dumps({"id": identity, "right": right}).encode()
        return cast("dict[str, Any]", self._ask("POST", "/v1/memory/verdict", body))

    # -- the line

    def _get(self, path: str, **query: Any) -> Any:
        return self._ask("GET", path + (f"?{urlencode(query)}" if query else ""), None)

    def _do(self, path: str, **fields: Any) -> Session:
        return cast("Session", self._ask("POST", path, json.dumps(fields).encode()))

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            with self._open(method, path, body, headers, self._timeout) as response:
                return json.loads(response.read())
        except (OSError, HTTPException, ValueError) as error:
            raise ClientError(f"{self._address}: {error}; does `dejavu serve` run?") from error

    def _open(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: dict[str, str],
        timeout: float | None,
    ) -> HTTPResponse:
        connection: HTTPConnection
        if str(self._address).startswith("http://"):
            place = urlsplit(str(self._address)).netloc
            connection = HTTPConnection(place, timeout=timeout)
        else:
            connection = _UnixConnection(Path(self._address), timeout)
        headers = {**headers, "Connection": "close"}  # the response owns the socket then
        if self._token is not None:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        except BaseException:
            connection.close()
            raise
        if response.status >= 400:
            with response:
                text = response.read().decode("utf-8", "replace")
            try:
                text = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                text = text[:200]
            raise ClientError(text, response.status)
        return response


_POLL = 0.1  # seconds between two looks of `wait`
_DRAWN = 2.0  # seconds an agent may take to draw the dialog that it waits in
_UPTAKE = {"exited": 0.0, "blocked": 2.0}  # s in which an agent shows that it took something ...
_UPTAKE_IDLE = 10.0  # ... in any other state
_AWAY = 0.5  # seconds until a broken line is opened again
_TRIES = 20


def _of(session: str) -> str:
    return f"/v1/sessions/{quote(session, safe='')}"


def _events(response: HTTPResponse) -> Iterator[tuple[str, str, str]]:
    """Id, name and data of each event."""
    last_id, name, data = "", "", ""
    for raw in response:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        field, _, value = line.partition(": ")
        if not line:
            if data:
                yield last_id, name, data
            name, data = "", ""
        elif field == "id":
            last_id = value
        elif field == "event":
            name = value
        elif field == "data":
            data = value


__all__ = ["Blocked", "Client", "ClientError", "Screen", "Session", "State", "Turn"]
