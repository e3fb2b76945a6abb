"""`dejavu handoff --start` with a real agent in a terminal: wrapped, briefed, and linked in lists."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN
from tests.e2e.scripted_model import load
from tests.factories.edits import Script
from tests.factories.waiting import until

from dejavu.archive import Archive

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

GOAL = "Make the lantern parser read empty lines."
ANSWER = "I go on with the lantern parser."


@pytest.fixture
def base(tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    cache = os.environ.get("RIG_NPM", str(Path.home() / ".cache" / "agent-clis"))
    monkeypatch.setenv("RIG_NPM", cache)
    folder = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvh{os.getpid()}"
    (folder / "home").mkdir(parents=True)
    (folder / "work").mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_the_target_goes_on_wrapped_and_lists_show_the_chain(shared: Path, base: Path) -> None:
    claude = load(shared, "agents").AGENTS["claude"]
    if not Path(claude.bin).exists():
        pytest.skip("needs Claude Code in RIG_NPM (see rig/install.sh)")
    home, work = base / "home", base / "work"
    script = Script("earlier", work, agent="codex")
    script.user(f"{GOAL} We decided to never use regular expressions.")
    script.edit(work / "lantern_parser.py", "a", "b")
    script.says("The parser stands.\nNext: write test_empty_lines")
    with Archive.open(base / "archive") as archive:
        archive.put(script.conversation())
    turns = [{"user": GOAL, "reply": [[{"text": ANSWER}]]}]
    server = load(shared, "fakemodel").serve(0, {"turns": turns}, base / "log", claude.models)
    environ = {
        "HOME": str(home), "PATH": f"{Path(claude.bin).parent}:{BIN}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh",
        "DEJAVU_ARCHIVE": str(base / "archive"), "DEJAVU_STATE_HOME": str(base / "state"),
        **claude.env(server.server_port),
    }  # fmt: skip
    # What a person answers once: the theme, the key, that the folder is trusted.
    (home / ".claude.json").write_text(
        json.dumps(
            {
                "hasCompletedOnboarding": True, "theme": "dark",
                "customApiKeyResponses": {"approved": [environ["ANTHROPIC_API_KEY"][-20:]]},
                "projects": {str(work): {"hasTrustDialogAccepted": True}},
            }
        )
    )  # fmt: skip
    words = [str(BIN / "dejavu"), "handoff", script.id, "--to", "claude", "--start"]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(words[0], words, environ)
    screen = bytearray()

    def answered() -> bool:
        while select.select([terminal], [], [], 0.1)[0]:
            try:
                screen.extend(os.read(terminal, 65_536))
            except OSError:
                return True
        return ANSWER[:20].encode() in screen

    def dejavu(*arguments: str) -> Any:
        done = subprocess.run(
            [str(BIN / "dejavu"), *arguments, "--json"], env=environ, check=True,
            capture_output=True, timeout=60,
        )  # fmt: skip
        return json.loads(done.stdout)

    try:
        until(answered)
        (session,) = dejavu("status")["sessions"]
        assert session["agent"] == "claude"  # it runs in our wrapper
        assert session["workspace"] == str(work)
    finally:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        os.close(terminal)
        server.shutdown()
        server.server_close()
    sent = (base / "log" / "requests.jsonl").read_text("utf-8")
    for fact in (GOAL, "lantern_parser.py", "write test_empty_lines", "never use regular"):
        assert fact in sent
    subprocess.run(
        [str(BIN / "dejavu"), "sync"], env=environ, check=True, timeout=120, capture_output=True
    )
    new = next(one for one in dejavu("list")["conversations"] if one["agent"] == "claude")
    assert new["continues"] == script.id
    listed = subprocess.run(
        [str(BIN / "dejavu"), "list"],
        env=environ,
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert f"↳ {script.id}" in listed.stdout
