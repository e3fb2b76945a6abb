"""Claude Code remembers and recalls: our tools called by its model, our block before its prompt."""

import importlib.util
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

FACT = "The zebra_crossing palette is ochre."
TEACH, ASK = "Keep our palette in mind.", "Which palette does the zebra_crossing have?"
TURNS = [
    {
        "user": TEACH,
        "reply": [
            [{"tool": "mcp__dejavu__remember", "args": {"text": FACT}}],
            [{"text": "Kept."}],
        ],
    },
    {
        "user": ASK,
        "reply": [
            [{"tool": "mcp__dejavu__recall", "args": {"context": ASK}}],
            [{"tool": "mcp__dejavu__search_memory", "args": {"query": ASK, "everywhere": True}}],
            [{"tool": "mcp__dejavu__searchMemory", "args": {"query": ASK}}],
            [{"text": "Ochre."}],
        ],
    },
]


@pytest.fixture
def model(shared: Path, tmp_path: Path) -> Iterator[Any]:
    """The scripted model server."""
    spec = importlib.util.spec_from_file_location("fakemodel", shared / "rig" / "fakemodel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    server = module.serve(0, {"turns": TURNS}, tmp_path / "log")
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def claude(model: Any, home: Path, tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """`claude(prompt)` asks Claude Code in a fresh session of a home we are registered in."""
    cache = Path(os.environ.get("RIG_NPM", "/root/.cache/agent-clis"))
    program = cache / "claude-latest" / "node_modules" / ".bin" / "claude"
    if not program.exists():
        pytest.skip(f"needs Claude Code in {cache} (RIG_NPM)")
    work = tmp_path / "work"
    work.mkdir()
    (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True}))
    (home / ".claude").mkdir()
    base = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    subprocess.run(
        [str(BIN / "dejavu"), "init", "claude", "--yes"], env=base, check=True, timeout=60
    )
    env = {
        **base,
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_port}",
        "ANTHROPIC_API_KEY": "sk-ant-rig-fake-key-0000000000000000",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DEJAVU_HOOK_LIMIT": "20",
    }

    def ask(prompt: str) -> str:
        done = subprocess.run(
            [str(program), "-p", prompt, "--model", "rig-model", "--allowedTools", "mcp__dejavu"],
            env=env,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    yield ask
    subprocess.run([str(BIN / "dejavu"), "daemon", "--stop"], env=base, timeout=60, check=False)


def test_what_one_session_keeps_the_next_is_told(
    claude: Callable[[str], str], home: Path, tmp_path: Path
) -> None:
    assert "Kept." in claude(TEACH)
    assert "Ochre." in claude(ASK)
    rows = (tmp_path / "log" / "requests.jsonl").read_text("utf-8").splitlines()
    bodies = [json.loads(row).get("body") for row in rows]
    asked = [
        json.dumps(b["messages"]) for b in bodies if b and ASK in json.dumps(b.get("messages"))
    ]
    first, last = asked[0], asked[-1]
    assert "<memory-context nonce=" in first  # the hook put it there, before the model spoke
    assert "ochre" in first
    results = [
        item
        for message in json.loads(last)
        for item in (message["content"] if isinstance(message["content"], list) else [])
        if item.get("type") == "tool_result"
    ]
    assert len(results) == 3
    assert all("ochre" in json.dumps(item) for item in results)
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    told = subprocess.run(
        [str(BIN / "dejavu"), "recall-log", "--json"], env=env, capture_output=True, check=True
    )
    assert ASK in told.stdout.decode()
