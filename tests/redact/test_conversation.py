import base64

import msgspec
import pytest

from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
)
from dejavu.redact import Redactor
from dejavu.redact.conversation import (
    CountingRedactor,
    redact_conversation,
    redact_turn,
    redact_value,
    without_cut_runs,
)

REDACTOR = Redactor(b"archive key")
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Xk9pQ2z7"


def test_no_part_of_a_turn_keeps_a_secret() -> None:
    encoded = base64.b64encode(f"token {GITHUB}".encode()).decode()
    turn = Turn(
        role=Role.TOOL,
        parts=(
            Text(GITHUB),
            Reasoning(f"use {GITHUB}"),
            ToolCall("c", "Bash", {"command": f"echo {GITHUB}", GITHUB: [GITHUB, {"a": GITHUB}]}),
            ToolCallResponse("c", {"stdout": GITHUB}),
            Blob("text/plain", encoded),
            Extension("claude.x", {"deep": [[GITHUB]]}),
        ),
        meta={"stop": GITHUB},
    )
    clean = redact_turn(turn, REDACTOR.redact)
    blob = clean.parts[4]
    assert isinstance(blob, Blob)
    assert base64.b64decode(blob.content).startswith(b"token [redacted:github:")
    assert GITHUB not in repr(msgspec.structs.replace(clean))
    assert len(clean.parts) == 6


def test_a_clean_turn_is_the_same_turn() -> None:
    turn = Turn(role=Role.USER, parts=(Text("hello"), ToolCall("c", "Bash", {"command": "ls"})))
    assert redact_turn(turn, REDACTOR.redact) is turn


@pytest.mark.parametrize(
    "value",
    [
        {"password": PASSWORD},
        {"env": {"DB_PASSWORD": PASSWORD}},
        {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
        {"passwords": "ok", "config": [{"key": "DB_PASSWORD", "value": PASSWORD}]},
    ],
)
def test_a_value_is_read_with_its_name(value: object) -> None:
    assert PASSWORD not in repr(redact_value(value, REDACTOR.redact))
    assert redact_value({"colour": PASSWORD}, REDACTOR.redact) == {"colour": PASSWORD}


def test_replacements_are_counted_once_by_kind() -> None:
    redactor = CountingRedactor(REDACTOR.redact)
    once = redactor.redact(f"{GITHUB} and {GITHUB}")
    assert redactor.summary() == "2 github"
    redactor.redact(once)
    redactor.redact(f"{once} {GITHUB}")
    assert redactor.counts == {"github": 3}
    assert redactor.total == 3


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("…B2c3D4e5F6g7H8 and then", "… and then"),
        ("it said ghp_a1B2c3D4e5F6…", "it said …"),
        ("…and the tests passed…", "…and the tests passed…"),
        ("a1B2c3D4e5F6 whole", "a1B2c3D4e5F6 whole"),
    ],
)
def test_an_excerpt_keeps_no_half_of_a_secret(text: str, clean: str) -> None:
    assert without_cut_runs(text) == clean


def test_a_title_cut_inside_a_secret_loses_it() -> None:
    prompt = "please look why the deployment of staging fails when I use the token " + GITHUB
    conversation = Conversation(id="x", agent="a", native_id="n").with_turns(
        (Turn(role=Role.USER, parts=(Text(prompt),)),)
    )
    assert "ghp_a1B2" in conversation.title
    assert "ghp_a1B2" not in redact_conversation(conversation, REDACTOR.redact).title


def test_the_id_of_a_call_and_the_name_of_a_model_are_texts_too() -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    turn = Turn(
        role=Role.ASSISTANT,
        parts=(ToolCall(token, "Bash", {}), ToolCallResponse(token, "done")),
        model=f"m-{token}",
    )
    clean = redact_turn(turn, Redactor(b"key").redact)
    assert token not in repr(clean)
    call, response = clean.parts
    assert isinstance(call, ToolCall)
    assert isinstance(response, ToolCallResponse)
    assert call.id == response.id


@pytest.mark.fault("33.E1")
def test_the_names_of_folders_models_and_calls_are_redacted() -> None:
    folder = f"/srv/shop-{GITHUB}"
    call = ToolCall(GITHUB, f"Edit-{GITHUB}", {})
    turn = Turn(seq=0, role=Role.ASSISTANT, parts=(call,), model=f"m-{GITHUB}")
    conversation = Conversation(
        id="c", agent="claude", native_id="n", workspace=folder, project=folder,
        source=f"/h/.claude/projects/{folder.replace('/', '-').replace('_', '-')}/e1.jsonl", turns=(turn,),
    )  # fmt: skip
    shown = msgspec.json.encode(redact_conversation(conversation, REDACTOR.redact)).decode()
    assert GITHUB[4:14] not in shown
    assert shown.count("[redacted:github:") == 6
    assert "/e1.jsonl" in shown
