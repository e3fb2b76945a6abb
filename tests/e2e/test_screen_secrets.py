"""Real agents that show secrets, wrapped with `--screen`: no piece of one may reach the disk.

A command prints secrets of many vendors, the model says some, the user types some; at 40, 80 and 200
columns, with a resize on the way. The wrapper has a HOME of its own, so that it sees no file of the
agent's and the screen is all there is. Then every byte of that HOME is read, frames decompressed.
"""

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks.redact.formats import FORMATS, draw
from tests.drills.screen_secrets import as_text, found, grams
from tests.e2e.rigrun import BIN

from dejavu.archive import Archive
from dejavu.redact import Redactor

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

FOLDERS = {
    "claude": "claude-latest", "codex": "codex", "kimi": "kimicode", "opencode": "opencode",
    "gemini": "gemini", "amp-old": "ampold",
}  # fmt: skip
SIZES = {40: ("40x30", "100x30"), 80: ("80x24", "57x24"), 200: ("200x50", "80x30")}
FILES, IN_FILE, SAID, TYPED = 4, 3, 6, 3
"""Files that a command prints, secrets in each; agents show the first lines of an output."""
_RULES = Redactor(b"e2e").redact
_TYPABLE = 60


class Shown(NamedTuple):
    """What was on the screen of one session, and what was kept of it."""

    secrets: list[str]
    home: Path
    screen: str
    kept: str


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """A folder outside /tmp, where Codex refuses to live."""
    folder = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dvs{os.getpid()}-{tmp_path.name}"
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


def _secrets(chance: random.Random, count: int, longest: int = 400) -> list[tuple[str, str]]:
    """Return texts with a secret each, of forms that the rules know where nothing breaks them."""
    drawn: list[tuple[str, str]] = []
    while len(drawn) < count:
        _, template = chance.choice(FORMATS)
        text, start, end = draw(template, chance)
        known = not any(gram in _RULES(text).lower() for gram in grams(text[start:end]))
        if (
            known
            and len(text) <= longest
            and (longest > _TYPABLE or (text.isascii() and "\n" not in text))
        ):
            drawn.append((text, text[start:end]))
    return drawn


def _call(name: str, command: str) -> dict[str, Any]:
    if name == "codex":
        return {"tool": "exec_command", "args": {"cmd": command}}
    return {"tool": "shell", "args": {"command": command}}


def show(shared: Path, base: Path, name: str, columns: int, seed: int) -> Shown:
    """Run an agent on the rig inside the wrapper, with secrets of a seed."""
    npm = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
    if not (npm / FOLDERS[name]).exists():
        pytest.skip(f"needs {name} in RIG_NPM (see rig/install.sh)")
    chance = random.Random(f"{seed} {name} {columns}")
    printed, said, typed = (
        _secrets(chance, FILES * IN_FILE), _secrets(chance, SAID), _secrets(chance, TYPED, _TYPABLE),
    )  # fmt: skip
    notes = [base / f"notes{number}.txt" for number in range(FILES)]
    for number, file in enumerate(notes):
        texts = printed[number * IN_FILE : (number + 1) * IN_FILE]
        file.write_text("".join(f"{'x' * chance.randrange(columns)} {text}\n" for text, _ in texts))
    rig = base / "rig"
    (rig / "scenarios").mkdir(parents=True)
    for module in (shared / "rig").glob("*.py"):
        shutil.copy(module, rig)
    answer = "\n".join(
        ["Here is what I know.", f"- The first is {said[0][0]} and more.", "```", said[1][0], "```",
         "| name | value |", "|---|---|", f"| one | `{said[2][0].splitlines()[0]}` |", "",
         f"And {said[3][0]}, then", said[4][0], f"> {said[5][0]}", "", "That is all of it."]
    )  # fmt: skip
    scenario = {"turns": [
        {"user": f"Read the notes, with {typed[0][0]} as the key.",
         "reply": [*([_call(name, f"awk 1 {file}")] for file in notes[:-1]), [{"text": "Read."}]]},
        {"user": f"Say it all: {typed[1][0]}", "resize": True, "reply": [[{"text": answer}]]},
        {"user": f"Once more. {typed[2][0]}",
         "reply": [[_call(name, f"awk 1 {notes[-1]}")], [{"text": answer}]]},
    ]}  # fmt: skip
    (rig / "scenarios" / "secrets.json").write_text(json.dumps(scenario))
    home, out = base / "home", base / "out"
    home.mkdir(mode=0o700)
    first, then = SIZES[columns]
    agent_home = out / name / f"secrets-{first}" / "home"
    wrap = [
        str(BIN / "dejavu-run"), "--screen", "--agent", name.removesuffix("-old"), "--",
        "/usr/bin/env", f"HOME={agent_home}",
    ]  # fmt: skip
    subprocess.run(
        [sys.executable, str(rig / "rig.py"), name, "secrets", "--size", first, "--resize", then,
         "--out", str(out), "-q", "--wrap", shlex.join(wrap), "--env", f"HOME={home}"],
        env={**os.environ, "RIG_NPM": str(npm), "RIG_CLAUDE_MODE": "manual"}, check=True, timeout=600,
    )  # fmt: skip
    (folder,) = [path.parent for path in out.glob("*/*/truth.json")]
    turns: list[dict[str, Any]] = json.loads((folder / "truth.json").read_text())["turns"]
    played = sum(bool(turn.get("played")) for turn in turns)
    if not played:
        pytest.skip(f"the rig cannot drive {name} at {columns} columns")
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        kept = "".join(as_text(archive.get(summary.id)) for summary in archive.scan())
    screens = "".join(path.read_text() for path in (folder / "screens").glob("*.txt"))
    return Shown([value for _, value in [*printed, *said, *typed]], home, screens, kept)


@pytest.mark.parametrize("columns", SIZES)
@pytest.mark.parametrize("name", FOLDERS)
def test_no_piece_of_a_secret_reaches_the_disk(
    shared: Path, base: Path, name: str, columns: int
) -> None:
    seed = int(os.environ.get("DEJAVU_SEED", "1"))
    shown = show(shared, base, name, columns, seed)
    flat = "".join(shown.screen.lower().split())
    seen = [secret for secret in shown.secrets if any(gram in flat for gram in grams(secret))]
    assert len(seen) > len(shown.secrets) // 3  # they stood there
    assert "[redacted:" in shown.kept
    if "That is all of it" in shown.screen:
        assert "That is all of it" in shown.kept  # the session was read
    if path := os.environ.get("DEJAVU_TABLE"):
        with Path(path).open("a") as table:
            marks = shown.kept.count("[redacted:")
            leaked = found(shown.home, shown.secrets)
            table.write(f"{name} {columns} {len(seen)}/{len(shown.secrets)} {marks} {leaked}\n")
    assert not found(shown.home, shown.secrets)
