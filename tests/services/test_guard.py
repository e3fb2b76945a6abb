import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.redact import Redactor
from dejavu.services.guard import guarded, withheld

REDACT = Redactor(b"key", ["known-value-of-mine"]).redact
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BASH = {"stdout": f"token: {TOKEN}", "stderr": "", "interrupted": False}


def answer(agent: str, result: Any, field: str = "tool_response", **more: Any) -> Any:
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", field: result, **more}
    output = guarded(agent, json.dumps(payload).encode(), REDACT).output
    return json.loads(output) if output else None


def test_claude_gets_a_result_of_the_same_shape_and_is_told() -> None:
    specific = answer("claude", BASH)["hookSpecificOutput"]
    assert specific["hookEventName"] == "PostToolUse"
    assert specific["updatedToolOutput"].keys() == BASH.keys()
    assert specific["updatedToolOutput"]["stdout"].startswith("token: [redacted:github:")
    assert specific["additionalContext"].startswith("Déjà Vu replaced 1 secret (1 github)")


def test_others_get_the_text_behind_the_notice() -> None:
    codex = answer("codex", f"a\n{TOKEN}\nb")
    assert codex["decision"] == "block"
    assert codex["reason"].splitlines()[1:] == ["a", codex["reason"].splitlines()[2], "b"]
    gemini = answer(
        "gemini", {"llmContent": [{"text": TOKEN}, {"text": "b"}], "returnDisplay": "x"}
    )
    assert gemini["reason"].endswith("]\nb")
    qwen = answer("qwen", {"llmContent": TOKEN, "returnDisplay": TOKEN})
    assert qwen["continue"] is False
    assert "replaced 1 secret " in qwen["stopReason"]
    result = {"result_type": "success", "text_result_for_llm": TOKEN}
    copilot = answer("copilot", result, "tool_result")["modifiedResult"]
    assert copilot["resultType"] == "success"
    assert copilot["textResultForLlm"].startswith("[redacted:github:")
    opencode = answer("opencode", {"output": TOKEN, "metadata": {"output": TOKEN}, "title": "t"})
    assert opencode["metadata"]["output"].startswith("[redacted:github:")
    for given_ in (codex, gemini, qwen, copilot, opencode):
        assert TOKEN not in json.dumps(given_)


@pytest.mark.parametrize("result", [{"stdout": "clean"}, "clean", [], None, 7])
def test_a_clean_result_gets_no_answer(result: Any) -> None:
    assert answer("claude", result) is None


def test_what_is_kept_is_redacted_and_the_rest_of_it_as_it_was() -> None:
    payload = {"session_id": "s", "tool_input": {"command": "cat x"}, "tool_response": BASH}
    kept = json.loads(guarded("claude", json.dumps(payload).encode(), REDACT).payload)
    assert kept["tool_input"] == payload["tool_input"]
    assert TOKEN not in json.dumps(kept)


def test_a_value_of_the_environment_and_a_named_one_are_found() -> None:
    told = answer("claude", {"stdout": "x known-value-of-mine", "env": {"password": "Xk9pQ2z7"}})
    assert "known-value" not in json.dumps(told)
    assert "Xk9pQ2z7" not in json.dumps(told)


KEY_ID, SECRET = "AKIAQ3EGRTZ5XWV7MNB2", "7aBx9Kp4Tn8Wd3Zq7Lm2Xv5Rt6Yh1Gf0Js+ce/Ub"


@pytest.mark.parametrize(
    "result",
    [
        [{"type": "text", "text": KEY_ID}, {"type": "text", "text": SECRET}],
        [{"text": f"KEY={KEY_ID}\n"}, {"text": f"SECRET={SECRET}\n"}],
        [{"text": f"A={KEY_ID}"}, {"text": f"B={SECRET}"}],
        {"stdout": f"{KEY_ID}\n", "stderr": f"{SECRET}\n"},
        {"Env": [f"A={KEY_ID}", "PATH=/usr/bin", f"B={SECRET}"]},
        {"env": [{"name": "A", "value": KEY_ID}, {"name": "B", "value": SECRET}]},
        {KEY_ID: SECRET},
    ],
)
def test_a_secret_goes_with_its_id_wherever_a_result_has_them(result: Any) -> None:
    told = json.dumps(answer("claude", result))
    assert "[redacted:aws-key-id:" in told
    assert not any(SECRET[at : at + 10] in told for at in range(len(SECRET) - 9))


def test_pictures_stay_whole() -> None:
    picture = ("AKIAQ3EGRTZ5XWV7MNB2" + "A" * 300)[:300]
    told = answer("claude", {"file": {"base64": picture}, "note": TOKEN})
    assert told["hookSpecificOutput"]["updatedToolOutput"]["file"]["base64"] == picture


def test_what_cannot_be_checked_is_withheld_in_its_shape() -> None:
    told = json.loads(withheld("claude", json.dumps({"tool_response": BASH}).encode()))
    clean = told["hookSpecificOutput"]["updatedToolOutput"]
    assert clean == {"stdout": clean["stdout"], "stderr": "", "interrupted": False}
    assert clean["stdout"].startswith("[withheld: ")
    assert json.loads(withheld("claude", b"{no json"))["continue"] is False


_JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=20) | st.just(f"x {TOKEN} y"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(_JSON, st.sampled_from(["claude", "codex", "gemini", "qwen", "copilot", "opencode"]))
def test_no_shape_of_a_result_lets_a_secret_through(result: Any, agent: str) -> None:
    payload = json.dumps({"tool_response": result}).encode()
    checked = guarded(agent, payload, REDACT)
    assert TOKEN.encode() not in checked.output + checked.payload
    if TOKEN in json.dumps(result):
        assert checked.output
    assert TOKEN.encode() not in withheld(agent, payload)


BODY = ["Mj1x" + "aB3dE5gH7jK9mN2p" * 3 + f"qR4sT6uV8wX{n}" for n in range(10, 18)]


@pytest.mark.fault("M-guard")
@pytest.mark.parametrize(
    "given_",
    [
        {"file_path": "/h/.ssh/id_rsa", "offset": 3},
        {"command": "sed -n 3,9p certs/server.key"},
        {"command": "tail -n +3 'a/b.pem' | head"},
    ],
)
@pytest.mark.parametrize("before", ["", "{n:6}\t", "{n:6}→"])
def test_a_part_of_a_key_file_goes(given_: dict[str, Any], before: str) -> None:
    text = "\n".join(before.format(n=n) + line for n, line in enumerate(BODY, 3))
    told = json.dumps(answer("claude", {"stdout": text}, tool_input=given_))
    assert not [line for line in BODY if line[-20:] in told]


@pytest.mark.fault("M-guard")
def test_a_master_key_goes_by_the_name_of_its_file() -> None:
    key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    told = answer("claude", {"stdout": key}, tool_input={"command": "cat config/master.key"})
    assert key not in json.dumps(told)
    assert answer("claude", {"stdout": key}, tool_input={"command": "md5sum x"}) is None


def test_other_files_are_read_as_they_are() -> None:
    for name in ("server_cert.pem", "notes.txt", "id_rsa.pub"):
        assert answer("claude", {"stdout": "\n".join(BODY)}, tool_input={"file_path": name}) is None
    assert answer("claude", {"stdout": "no such file"}, tool_input={"file_path": "x.key"}) is None
