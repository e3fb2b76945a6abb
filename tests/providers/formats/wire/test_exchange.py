"""What a proxy keeps of what passes."""

import json

import pytest

from dejavu.providers.formats.wire import LIMIT, Exchange, api_of

KEY = "sk-ant-secret-secret-0000"


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/messages", "anthropic.messages"),
        ("/v1/messages?beta=true", "anthropic.messages"),
        ("/api/provider/anthropic/v1/messages", "anthropic.messages"),
        ("/v1/messages/count_tokens", None),
        ("/v1/responses", "openai.responses"),
        ("/backend-api/codex/responses", "openai.responses"),
        ("/v1/chat/completions", "openai.chat"),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini.generate"),
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini.generate"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", None),
        ("/v1/models", None),
        ("/v1/logs", None),
    ],
)
def test_paths_where_a_model_is_asked(path, api):
    found = api_of(path)
    assert (found.name if found else None) == api


def exchange(path="/v1/messages", headers=(), request=b"{}", response=b""):
    one = Exchange(path, headers, 1.0)
    one.request(request)
    one.response(response)
    one.status = 200
    return one


def test_keys_are_never_kept():
    headers = [("X-Api-Key", KEY), ("Authorization", f"Bearer {KEY}-2"), ("cookie", "a=" + KEY * 2),
               ("x-claude-code-session-id", "s1"), ("x-other", KEY)]  # fmt: skip
    line = exchange(
        f"/v1/messages?key={KEY}-3",
        headers,
        json.dumps({"metadata": {"echo": f"{KEY}-2 and {KEY}-3"}}).encode(),
        f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode(),
    ).line()
    assert KEY.encode() not in line
    assert b"a=sk" not in line
    told = json.loads(line)
    assert told["session"] == "s1"
    assert told["path"] == "/v1/messages"
    assert set(told) == {"t", "api", "path", "status", "session", "request", "response"}
    assert told["request"]["metadata"]["echo"] == "*** and ***"


def test_placeholders_are_too_short_to_be_keys():
    line = exchange(
        headers=[("authorization", "Bearer fake")], request=b'{"a": "fake news"}'
    ).line()
    assert json.loads(line)["request"] == {"a": "fake news"}


def test_bodies_come_in_chunks():
    one = Exchange("/v1/messages", [], 1.0)
    for chunk in (b'{"mod', b'el": "m', b'"}'):
        one.request(chunk)
    for chunk in ("ü".encode()[:1], "ü".encode()[1:]):
        one.response(chunk)
    told = json.loads(one.line())
    assert (told["request"], told["response"]) == ({"model": "m"}, "ü")


def test_what_is_no_exchange_with_a_model_leaves_nothing():
    assert exchange("/v1/models", request=b'{"a": 1}').line() is None
    assert exchange(request=b"not JSON").line() is None
    assert exchange(request=b"[]").line() is None


def test_a_body_beyond_the_limit_is_dropped_at_once():
    one = Exchange("/v1/messages", [], 1.0)
    chunk = bytes(1 << 20)
    for _ in range((LIMIT >> 20) + 2):
        one.request(chunk)
        assert len(one._request) <= LIMIT
    assert one.dropped
    assert len(one._request) == 0
    assert one.line() is None
