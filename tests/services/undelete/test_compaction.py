"""A copy from before a compaction: of each agent that takes one, on session files of its own form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.factories.archive import Result
from tests.services.undelete.test_undelete import tree

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.model.compaction import compactions, still_there
from dejavu.providers import Home
from dejavu.services.undelete.carry_out import carry_out
from dejavu.services.undelete.plan import make_plan

NAME = "22222222-2222-4222-8222-222222222222"
AT = "2026-11-21T10:00:{:02d}.000Z"
Rows = list[dict[str, Any]]


def claude() -> tuple[str, Rows, Rows]:
    def row(number: int, kind: str, **more: Any) -> dict[str, Any]:
        common = {"sessionId": NAME, "cwd": "/work/x", "timestamp": AT.format(number)}
        return {**common, "type": kind, "uuid": f"u{number}", **more}

    def said(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
        content = text if role == "user" else [{"type": "text", "text": text}]
        message = {"role": role, "content": content, "id": f"m{number}"}
        return row(number, role, message=message, **more)

    boundary = row(3, "system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    return (
        f".claude/projects/-work-x/{NAME}.jsonl",
        [said(1, "user", "first"), said(2, "assistant", "answer")],
        [boundary, said(4, "user", "so far", isCompactSummary=True), said(5, "user", "second")],
    )


def codex() -> tuple[str, Rows, Rows]:
    def row(number: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": AT.format(number), "type": kind, "payload": payload}

    def said(number: int, role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        return row(number, "response_item", {"type": "message", "role": role, "content": content})

    return (
        f".codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-{NAME}.jsonl",
        [
            row(0, "session_meta", {"id": NAME, "cwd": "/work/x", "cli_version": "0.130.0"}),
            row(1, "event_msg", {"type": "user_message", "message": "first"}),
            said(1, "user", "first"),
            said(2, "assistant", "answer"),
        ],
        [
            row(3, "compacted", {"message": "so far", "replacement_history": []}),
            row(4, "event_msg", {"type": "user_message", "message": "second"}),
        ],
    )


def pi() -> tuple[str, Rows, Rows]:
    def row(number: int, kind: str, **more: Any) -> dict[str, Any]:
        above = f"e{number - 1}" if number > 1 else None
        return {
            "type": kind, "id": f"e{number}", "parentId": above,
            "timestamp": AT.format(number), **more,
        }  # fmt: skip

    def said(number: int, role: str, text: str) -> dict[str, Any]:
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        return row(number, "message", message=message)

    begin = {"type": "session", "version": 3, "id": NAME, "cwd": "/work/x"}
    return (
        f".pi/agent/sessions/--work-x--/2026-11-21T10-00-00-000Z_{NAME}.jsonl",
        [begin, said(1, "user", "first"), said(2, "assistant", "answer")],
        [
            row(3, "compaction", summary="so far", firstKeptEntryId="e2", tokensBefore=9),
            said(4, "user", "second"),
        ],
    )


def qwen() -> tuple[str, Rows, Rows]:
    def row(number: int, kind: str, **more: Any) -> dict[str, Any]:
        common = {"sessionId": NAME, "cwd": "/work/x", "timestamp": AT.format(number)}
        return {**common, "uuid": f"u{number}", "parentUuid": None, "type": kind, **more}

    def said(number: int, kind: str, text: str) -> dict[str, Any]:
        role = "user" if kind == "user" else "model"
        return row(number, kind, message={"role": role, "parts": [{"text": text}]})

    history = [
        {"role": "user", "parts": [{"text": "so far"}]},
        {"role": "model", "parts": [{"text": "Got it."}]},
    ]
    return (
        f".qwen/projects/-work-x/chats/{NAME}.jsonl",
        [said(1, "user", "first"), said(2, "assistant", "answer")],
        [
            row(
                3, "system", subtype="chat_compression",
                systemPayload={"info": {}, "compressedHistory": history},
            ),
            said(4, "user", "second"),
        ],
    )  # fmt: skip


def kimi() -> tuple[str, Rows, Rows]:
    def said(number: int, role: str, text: str) -> dict[str, Any]:
        message = {"role": role, "content": [{"type": "text", "text": text}], "toolCalls": []}
        return {
            "type": "context.append_message",
            "message": message,
            "time": 1779256800000 + number,
        }

    return (
        f".kimi-code/sessions/wd_x_0123456789ab/session_{NAME}/agents/main/wire.jsonl",
        [
            {"type": "metadata", "protocol_version": "1.4", "created_at": 1779256791085},
            said(1, "user", "first"),
            said(2, "assistant", "answer"),
        ],
        [
            {
                "type": "context.apply_compaction", "summary": "so far", "compactedCount": 2,
                "keptUserMessageCount": 1, "time": 1779256800003,
            },
            said(4, "user", "second"),
        ],
    )  # fmt: skip


AGENTS = {one.__name__: one for one in (claude, codex, pi, qwen, kimi)}
STAYS = {  # of the prompt and the answer before the compaction
    "claude": [False, False],
    "codex": [None, False],
    "pi": [False, True],
    "qwen": [False, False],
    "kimi": [None, False],
}


def written(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture(params=AGENTS)
def agent(
    request: pytest.FixtureRequest, home: Path, tmp_path: Path, dejavu: Callable[..., Result]
) -> tuple[str, Path]:
    """An agent, and the home in which it has a conversation that it compacted."""
    name, before, after = AGENTS[request.param]()
    folder = tmp_path / "agents-home"
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_bytes(written([*before, *after]))
    assert dejavu("sync", "--home", str(folder)).code == 0
    return request.param, folder


def test_the_point_is_marked_and_what_stayed_is_said(agent: tuple[str, Path]) -> None:
    with Archive.open(archive_location()) as archive:
        (summary,) = archive.scan()
        turns = archive.get(summary.id).turns
    (point,) = compactions(turns)
    before = [turn for turn in turns[: point.seq] if turn.role in ("user", "assistant")]
    assert [turn.text for turn in before] == ["first", "answer"]
    assert [turn.text for turn in turns[point.last + 1 :]] == ["second"]
    stays = still_there(turns)
    assert [stays[turn.seq] for turn in before] == STAYS[agent[0]]


def test_show_ends_before_it_and_json_marks_it(
    agent: tuple[str, Path], dejavu: Callable[..., Result]
) -> None:
    turns = dejavu("show", "last", "--json").json["turns"]
    first = next(turn["seq"] for turn in turns if turn.get("compaction"))
    assert dejavu("show", "last", "--before-compaction", "--json").json["turns"] == turns[:first]
    text = dejavu("show", "last", "--before-compaction").out
    assert "answer" in text
    assert "second" not in text
    assert dejavu("show", "last#1", "--before-compaction").code == 2


def test_a_copy_ends_there_and_all_else_is_as_it_was(agent: tuple[str, Path]) -> None:
    name, folder = agent
    path, rows, _ = AGENTS[name]()
    there = tree(folder)
    with Archive.open(archive_location()) as archive:
        (summary,) = archive.scan()
        plan = make_plan(archive, summary.id, Home(folder, {}), before_compaction=True)
        carry_out(plan)
    copy = plan.session.id_here
    assert copy != summary.native_id
    after = tree(folder)
    assert {one: after[one] for one in there} == there
    (log,) = (one for one in after if one not in there and one.endswith(".jsonl") and copy in one)
    assert log == path.replace(summary.native_id, copy)
    assert after[log] == written(rows).replace(summary.native_id.encode(), copy.encode())


def test_what_was_not_compacted_is_refused(home: Path, dejavu: Callable[..., Result]) -> None:
    path, before, _ = claude()
    (home / path).parent.mkdir(parents=True)
    (home / path).write_bytes(written(before))
    assert dejavu("sync").code == 0
    assert dejavu("show", "last", "--before-compaction").code == 3
    with Archive.open(archive_location()) as archive:
        (summary,) = archive.scan()
        with pytest.raises((NotFoundError, InvalidValueError)):
            make_plan(archive, summary.id, Home(home, {}), before_compaction=True)
