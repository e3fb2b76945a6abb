"""Every listener of ours, asked by a real second user of this machine (skips where there is none)."""

import os
import stat
from collections.abc import Iterator
from itertools import product

import pytest
from tests.drills.budget import Budget
from tests.drills.trust import Tally
from tests.drills.trust.local_user import (
    FORMS,
    HOSTS,
    TOKENS,
    Listeners,
    answered,
    attack,
    leaks,
    listening,
    open_to_all,
    request,
)
from tests.other_user import attempt, attempts, needs_other_user

pytest.importorskip("uvicorn", reason="needs the extra http or otlp")
pytestmark = needs_other_user


@pytest.fixture(scope="module")
def here() -> Iterator[Listeners]:
    with listening() as running:
        yield running


def test_no_secret_is_in_an_argument_list(here: Listeners) -> None:
    assert set(here.secrets) == {"serve", "otlp", "wire", "code"}
    assert leaks(here) == []


@pytest.mark.parametrize("name", ["serve", "otlp", "wire"])
@pytest.mark.fault("C1", "C2")
def test_a_port_answers_us_and_no_one_else(here: Listeners, name: str) -> None:
    port, secret = here.ports[name]
    tries = list(product(HOSTS, TOKENS, FORMS))
    replies = attempts(
        [
            attempt(host, port, request(name, port, secret, token, form), close=form == FORMS[-1])
            for host, token, form in tries
        ]
    )
    assert [one for one, reply in zip(tries, replies, strict=True) if answered(reply)] == []
    assert here.upstream == []
    (reply,) = attempts([attempt("127.0.0.1", port, _ours(name, port, secret))], uid=os.geteuid())
    assert reply.startswith(b"HTTP/1.1 "), "the attempts are well formed"
    assert answered(reply)
    here.upstream.clear()


def _ours(name: str, port: int, secret: str) -> bytes:
    head = request(name, port, secret, "wrong", "plain")
    return head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)


@pytest.mark.parametrize("token", TOKENS[1:])
@pytest.mark.parametrize("name", ["serve", "otlp", "wire"])
@pytest.mark.fault("C2")
def test_the_token_is_a_layer_of_its_own(here: Listeners, name: str, token: str) -> None:
    """Where no one tells whose a connection is, this alone decides: so we are refused, too."""
    port, secret = here.ports[name]
    data = request(name, port, secret, token, "plain")
    data = data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
    (reply,) = attempts([attempt("127.0.0.1", port, data)], uid=os.geteuid())
    assert reply.split(b" ", 2)[1] in (b"401", b"404"), reply


def test_sockets_are_private_and_know_their_peers(here: Listeners) -> None:
    assert len(here.sockets) > 1
    for path in here.sockets:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700, path
    ask = b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n"
    lines = [attempt("unix", path, ask) for path in here.sockets]
    assert {one[:8] for one in attempts(lines)} == {b"refused:"}
    open_to_all(here)
    assert [one for one in attempts(lines) if answered(one)] == []


def test_the_angle_counts_what_it_tried() -> None:
    tally = Tally()
    attack(Budget(20.0, 2, 1), tally)
    assert tally.tried > 32
    assert tally.fell == []
