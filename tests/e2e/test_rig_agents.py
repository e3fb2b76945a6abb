"""More agents on the rig: what each was told, said and did is in the archive, complete and once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.completeness import compare, is_complete

from dejavu.archive import Archive

pytestmark = [pytest.mark.shared, pytest.mark.e2e]

AGENTS = (
    "pi-now", "kilo", "continue", "grok", "openclaw", "vibe", "hermes", "gptme", "mini-swe-agent", "openhands",
)  # fmt: skip
_SCRIPT = Path(__file__).with_name("rig_agents.py")


@pytest.mark.parametrize("scenario", ["tools", "tour"])
@pytest.mark.parametrize("agent", AGENTS)
def test_all_that_was_written_is_kept_once(
    agent: str, scenario: str, shared: Path, tmp_path: Path
) -> None:
    cache = Path.home() / ".cache" / "agent-clis"
    env = {"RIG_NPM": str(cache), "RIG_MORE": str(cache / "more"), **os.environ}
    _install(agent, shared / "rig", Path(env["RIG_NPM"]), Path(env["RIG_MORE"]))
    out = tmp_path / "recording"
    command = [sys.executable, str(_SCRIPT), str(shared / "rig"), agent, scenario, "--headless"]
    subprocess.run([*command, "--out", str(out), "-q"], env=env, check=True, timeout=900)
    with Archive.open(tmp_path / "archive") as archive:
        tallies = compare(out / agent / f"{scenario}-headless", archive)
    assert tallies["prompt"].said > 0
    assert is_complete(tallies), tallies


def _install(agent: str, rig: Path, npm: Path, more: Path) -> None:
    listing = subprocess.run(
        [sys.executable, str(_SCRIPT), str(rig), "--installed", agent],
        env={**os.environ, "RIG_MORE": str(more), "RIG_NPM": str(npm)},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    folder, *packages = listing.stdout.split()
    where = more / folder
    if not (npm / "node22").is_dir():
        _run(["npm", "install", "--prefix", str(npm / "node22"), "node@22"])
    if where.is_dir():
        return
    node = npm / "node22" / "node_modules" / "node" / "bin"
    if "==" in packages[0]:
        python = shutil.which("python3.12") or sys.executable
        _run([python, "-m", "venv", str(where)])
        _run([str(where / "bin" / "pip"), "install", "-q", *packages])
        return
    if agent == "openclaw":  # it asks for a newer one
        _run(["npm", "install", "--prefix", str(more / "node24"), "node@24"])
        node = more / "node24" / "node_modules" / "node" / "bin"
    _run(["npm", "install", "--prefix", str(where), *packages], path=node)


def _run(command: list[str], path: Path | None = None) -> None:
    search = os.environ["PATH"] if path is None else f"{path}:{os.environ['PATH']}"
    subprocess.run(command, env={**os.environ, "PATH": search}, check=True, timeout=900)
