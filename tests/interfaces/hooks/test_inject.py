"""The hook as agents run it: their JSON in, their form out, exit 0 and silence whatever happens."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.interfaces.hooks import inject
from dejavu.model import Conversation

PROMPT = "why does the retry_budget tick run dry?"


def hook(
    home: Path, payload: Any, *arguments: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    data = payload if isinstance(payload, str) else json.dumps(payload)
    return subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.hooks.inject", *arguments],
        input=data,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "DEJAVU_HOOK_LIMIT": "30", **environ},
    )


def payload(**fields: Any) -> dict[str, Any]:
    return {
        "session_id": "now", "cwd": "/work/retry", "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT, **fields,
    }  # fmt: skip


def test_every_agent_gets_its_own_form(archived: list[Conversation], home: Path) -> None:
    answer = json.loads(hook(home, payload()).stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert answer["additionalContext"].startswith("<memory-context nonce=")
    assert "RetryBudget.tick" in answer["additionalContext"]
    gemini = hook(home, payload(session_id="g", hook_event_name="BeforeAgent"))
    assert json.loads(gemini.stdout)["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    kimi = hook(home, payload(session_id="k"), "--agent", "kimi")
    assert kimi.stdout.startswith("<memory-context")
    copilot = hook(home, payload(session_id="c"), "--agent", "copilot")
    assert set(json.loads(copilot.stdout)) == {"additionalContext"}


def test_once_a_session_and_from_below(archived: list[Conversation], home: Path) -> None:
    assert hook(home, payload(cwd="/work/retry/src/net")).stdout
    assert hook(home, payload()).stdout == ""


@pytest.mark.parametrize(
    "data",
    ["", "{", "[]", "null", '{"prompt": 5}', '{"prompt": "yes"}', '{"prompt": ""}', "\x00\xff"],
)
def test_nonsense_is_answered_with_silence(data: str, home: Path) -> None:
    done = hook(home, data)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_switches(archived: list[Conversation], home: Path) -> None:
    assert hook(home, payload(), DEJAVU_INJECT="off").stdout == ""
    assert hook(home, payload(prompt=f"{PROMPT} [no-memory]")).stdout == ""
    elsewhere = payload(cwd="/elsewhere")
    assert hook(home, elsewhere).stdout == ""
    assert hook(home, elsewhere, DEJAVU_INJECT="everywhere").stdout


def test_gone_damaged_and_locked(archived: list[Conversation], home: Path) -> None:
    root = home / ".local/share/dejavu/archive"
    with Archive.open(root) as archive, archive.backend.writer():
        held = hook(home, payload(), DEJAVU_HOOK_LIMIT="3")  # an answer needs no write
        assert (held.returncode, "memory-context" in held.stdout, held.stderr) == (0, True, "")
    data = root / "data.mdb"
    data.write_bytes(data.read_bytes()[: data.stat().st_size // 2])
    broken = hook(home, payload())
    assert (broken.returncode, broken.stdout, broken.stderr) == (0, "", "")
    data.unlink()
    gone = hook(home, payload())
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, "", "")


def test_a_pronoun_is_read_with_the_transcript(
    archived: list[Conversation], home: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    said = {"message": {"role": "assistant", "content": [{"type": "text", "text": PROMPT}]}}
    transcript.write_text(f"not json\n{json.dumps(said)}\n")
    bare = payload(prompt="ok, let's do that")
    assert hook(home, bare).stdout == ""
    assert hook(home, {**bare, "transcript_path": str(transcript)}).stdout


def test_nothing_is_imported_that_is_not_built_in_before_the_daemon_was_asked(home: Path) -> None:
    script = (
        "import sys; before = set(sys.modules)\n"
        "from dejavu.interfaces.hooks import inject\n"
        "inject.ask_daemon = lambda header, data: b'warm'\n"
        "assert inject.main() == 0\n"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('dejavu')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input="{}", capture_output=True, text=True, check=True,
        timeout=60,
    )  # fmt: skip
    assert done.stdout.strip() in ("warm['_socket', 'gc']", "warm['_signal', '_socket', 'gc']")


def test_where_the_archive_is_told_as_everywhere_else(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def same() -> bool:
        return inject.location() == archive_location()

    assert same()
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert same()
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "x"))
    assert same()
    monkeypatch.setenv("DEJAVU_DATA_HOME", "~/y")
    assert same()
    monkeypatch.setenv("DEJAVU_ARCHIVE", str(home / "z"))
    assert same()
    monkeypatch.setenv("DEJAVU_ARCHIVE", "relative")
    assert not same()  # another folder's business: the daemon is not asked for it


def test_a_secret_of_the_agents_own_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abcdefgh12345678")
    monkeypatch.setattr(inject, "exchange", lambda *_: b"+the key is abcdefgh12345678")
    words = inject.request_header([])
    assert inject.ask_daemon(words, b"{}") == b""
    monkeypatch.setattr(inject, "exchange", lambda *_: b"+nothing of it")
    assert inject.ask_daemon(words, b"{}") == b"nothing of it"
    monkeypatch.setattr(inject, "exchange", lambda *_: b"-")
    assert inject.ask_daemon(words, b"{}") is None
