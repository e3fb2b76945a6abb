import json
from typing import Any

import pytest

from dejavu.integrations.flat_hooks import flat_hooks
from dejavu.integrations.launcher import hook_command

ENTRY = {"command": hook_command("capture", "cursor")}
OTHER = {"command": "./lint.sh"}


@pytest.fixture
def edit() -> Any:
    return flat_hooks({"stop": ENTRY, "sessionEnd": ENTRY}, "command")


def test_into_nothing_and_out_again(edit: Any) -> None:
    add, remove = edit
    text = add("")
    assert json.loads(text) == {"version": 1, "hooks": {"stop": [ENTRY], "sessionEnd": [ENTRY]}}
    assert add(text) == text
    assert json.loads(remove(text, "")) == {}


@pytest.mark.parametrize(
    "before",
    [
        '{"version":1,"hooks":{"stop":[{"command":"./lint.sh"}]}}',
        '// mine\n{\r\n   "hooks": {"stop": [], /* none */ },\r\n}\r\n',
        '{"hooks": {}}',
        "{}",
    ],
)
def test_what_was_there_stays(edit: Any, before: str) -> None:
    add, remove = edit
    text = add(before)
    assert text != before
    assert remove(text, before).count("./lint.sh") == before.count("./lint.sh")
    assert "dejavu" not in remove(text, before)
    assert remove(before, before) == before


def test_an_entry_of_an_older_form_is_replaced(edit: Any) -> None:
    add, _ = edit
    old = {"version": 1, "hooks": {"stop": [OTHER, {**ENTRY, "timeout": 9}], "gone": [ENTRY]}}
    hooks = json.loads(add(json.dumps(old)))["hooks"]
    assert hooks["stop"] == [OTHER, ENTRY]
    assert not hooks.get("gone")
