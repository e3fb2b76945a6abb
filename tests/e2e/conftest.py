"""Real agent CLIs on a scripted model server: `make e2e` (needs ../shared/rig, npm and tmux).

The CLIs are installed into a cache outside the repo (RIG_NPM, by default ~/.cache/agent-clis),
100 to 450 MB each. Every run has a throw-away HOME, fake keys and 127.0.0.1 only.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.rigrun import BIN, Run

_FOLDERS = {
    "claude": "claude-latest", "amp-old": "ampold", "kimi": "kimicode", "codex": "codex",
    "opencode": "opencode", "gemini": "gemini", "qwen": "qwen24",
}  # fmt: skip


@pytest.fixture
def rig(shared: Path, tmp_path: Path) -> Callable[..., Run]:
    """`rig(agent, scenario, wrap=["--screen"], ...)` runs one; `wrap=None` runs it bare."""
    cache = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
    # Codex refuses a HOME below /tmp, and a socket's path has at most 104 bytes.
    base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dv{os.getpid()}"

    def run(
        agent: str,
        scenario: str = "tour",
        *,
        wrap: list[str] | None = None,
        options: tuple[str, ...] = (),
    ) -> Run:
        if not (cache / _FOLDERS[agent]).is_dir():
            subprocess.run(
                [str(shared / "rig" / "install.sh"), agent],
                env={**os.environ, "RIG_NPM": str(cache)}, check=True, timeout=900,
            )  # fmt: skip
        out = base / f"{agent}-{scenario}-{'bare' if wrap is None else 'wrapped'}"
        data, state = tmp_path / "data", tmp_path / "state"
        command = [
            sys.executable,
            str(shared / "rig" / "rig.py"),
            agent,
            scenario,
            "--out",
            str(out),
            "-q",
            *options,
        ]
        if wrap is not None:
            command += [
                "--wrap",
                shlex.join([str(BIN / "dejavu-run"), *wrap, *([] if "--" in wrap else ["--"])]),
            ]
            command += ["--env", f"DEJAVU_DATA_HOME={data}", "--env", f"DEJAVU_STATE_HOME={state}"]
        subprocess.run(command, env={**os.environ, "RIG_NPM": str(cache)}, check=True, timeout=600)
        (folder,) = [path.parent for path in out.glob("*/*/truth.json")]
        return Run(folder, data, state)

    return run
