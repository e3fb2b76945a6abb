"""Memory over HTTP: the document of the command, rights by token, verdicts of hits and memories."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.extensions.web.conftest import Api
from tests.factories import json_schema
from tests.factories.archive import Result

from dejavu.client import Client
from dejavu.extensions.web.memory_endpoints import find_memories, judge_memory
from dejavu.model import Conversation, InvalidValueError, NotFoundError

QUESTION = "why does the retry_budget run dry?"
_EVERYWHERE: dict[str, str | None] = {"project": None, "workspace": None}


def test_it_answers_what_the_command_answers(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    dejavu("remember", "The retry budget is 10 per minute", "--everywhere")
    found = find_memories(QUESTION, 5, **_EVERYWHERE)
    json_schema.check(("recall",), json.loads(json.dumps(found)))
    said = dejavu("recall", QUESTION, "--json").json
    assert found["memories"] == said["memories"]
    assert [(hit["conversation"], hit["seq"], hit["sure"]) for hit in found["hits"]] == [
        (hit["conversation"], hit["seq"], hit["sure"]) for hit in said["hits"]
    ]
    assert find_memories(QUESTION, 5, project=None, workspace="other")["hits"] == []
    with pytest.raises(NotFoundError):
        find_memories(QUESTION, 5, project="acme/none", workspace=None)
    with pytest.raises(InvalidValueError):
        find_memories(" ", 5, **_EVERYWHERE)


def test_only_what_was_shown_can_be_judged(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    name = f"{archived[1].id}#2"
    with pytest.raises(NotFoundError, match="never recalled"):
        judge_memory(name, right=True)
    hit = find_memories(QUESTION, 5, **_EVERYWHERE)["hits"][0]
    name = f"{hit['conversation']}#{hit['seq'] + 1}"
    assert judge_memory(name, right=False) == {
        "id": name, "right": False, "given": True, "confidence": None,
    }  # fmt: skip
    kept = dejavu("remember", "The retry budget is 10 per minute", "--json").json["id"]
    assert judge_memory(kept, right=True) == {
        "id": kept, "right": True, "given": None, "confidence": 0.6,
    }  # fmt: skip


def test_without_an_archive_there_is_nothing_and_none_is_made(home: Path) -> None:
    found = find_memories("why?", 5, **_EVERYWHERE)
    assert (found["hits"], found["memories"], found["behind"]) == ([], [], 0)
    assert not (home / ".local/share/dejavu/archive").exists()


def test_over_tcp_it_needs_the_token(
    archived: list[Conversation], serve: Callable[..., Api]
) -> None:
    api = serve("--port", "0")
    assert api.get("/v1/memory?q=retry", Authorization="").status == 401
    body = {"id": f"{archived[1].id}#2", "right": True}
    assert api.ask("POST", "/v1/memory/verdict", body, Authorization="").status == 401
    assert api.ask("POST", "/v1/memory/verdict", body).status == 404
    [hit, *_] = api.get("/v1/memory?q=why+does+the+retry_budget+run+dry").json["hits"]
    shown = {"id": f"{hit['conversation']}#{hit['seq'] + 1}", "right": True}
    assert api.ask("POST", "/v1/memory/verdict", shown).json["right"]
    client = Client(api.url, token=api.token)
    assert client.recall("why does the retry_budget run dry", limit=1)["hits"] == [hit]
    assert not client.judge(shown["id"], right=False)["right"]
    for path, status in (
        ("/v1/memory", 400),
        ("/v1/memory?q=", 400),
        ("/v1/memory?q=x&limit=0", 400),
    ):
        assert api.get(path).status == status, path
