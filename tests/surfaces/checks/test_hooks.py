import json
from pathlib import Path

from dejavu.providers import Home
from dejavu.surfaces.checks.hooks import hooks


def test_our_entry_is_seen_and_nothing_is_changed(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    command = {"type": "command", "command": "'/x/bin/dejavu' hook capture --agent claude"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [command]}]}})
    path.write_text(text)
    (found,) = hooks("claude", Home.own())
    assert found.facts == {"installed": True, "files": [str(path)]}
    assert path.read_text() == text


def test_none_of_ours(home: Path) -> None:
    (found,) = hooks("codex", Home.own())
    assert (found.facts["installed"], "dejavu init codex" in found.told) == (False, True)
    assert list(hooks("amp", Home.own())) == []
