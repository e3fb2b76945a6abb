"""handoff between real agents on a rig with a scripted model: what the target's first request holds.

    python -m benchmarks.code.handoff_matrix RIG OUT SOURCE,... TARGET,...

RIG is a copy of the rig (its `scenarios/` is written to), OUT a folder for its runs, with the CLIs where
the rig's own RIG_NPM says. Each source is driven through one task (a goal, a decision, a file, a command,
a next step), its home is archived, its brief made; each target is started with that brief as its prompt,
headless, and the requests it sent to the model are looked at: the goal, the file, the next step and
the decision must stand in one. Claude Code writes the file, which its brief then names, only where the rig's
copy allows it (`--allowedTools Bash,Write`). The model is scripted, so that its answer names them says nothing: it is
the requests that count.
"""

# ruff: noqa: E501 - prompts and replies stand as they are sent
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TASK: dict[str, Any] = {
    "turns": [
        {
            "user": "Goal: make the lantern parser read empty lines. We decided to never use regular expressions.",
            "reply": [
                [
                    {"text": "I write the parser."},
                    {"tool": "write", "args": {"path": "@WORK@/lantern_parser.py", "content": "def parse(text):\n    return text.splitlines()\n"}},
                ],
                [{"tool": "shell", "args": {"command": "python3 -c 'import lantern_parser'"}}],
                [{"text": "The parser stands.\nNext: write test_empty_lines in tests/test_lantern.py"}],
            ],
        }
    ]
}  # fmt: skip
WANTED = (
    "make the lantern parser",
    "lantern_parser.py",
    "write test_empty_lines",
    "never use regular",
)


def run(rig: Path, out: Path, agent: str, scenario: str) -> Path:
    """Drive one agent through one scenario; return the folder of the run."""
    subprocess.run(
        [sys.executable, "rig.py", agent, scenario, "--headless", "-q", "--out", str(out)],
        cwd=rig, timeout=180, capture_output=True, check=False,
    )  # fmt: skip
    return out / agent / f"{scenario}-headless"


def brief(out: Path, source: str) -> str:
    """Archive the home of a source's run, and make its brief."""
    environ = {**os.environ, "HOME": str(out / "home"), "DEJAVU_ARCHIVE": str(out / f"archive-{source}"),
               "DEJAVU_STATE_HOME": str(out / "state")}  # fmt: skip
    dejavu = [sys.executable, "-m", "dejavu.interfaces.cli"]
    subprocess.run(
        [*dejavu, "rescue", str(out / source)], env=environ, check=False, capture_output=True
    )
    done = subprocess.run(
        [*dejavu, "handoff", "last"], env=environ, check=False, capture_output=True, text=True
    )
    return done.stdout.rstrip("\n")


def main() -> None:
    """Print the table."""
    rig, out = Path(sys.argv[1]), Path(sys.argv[2])
    sources, targets = sys.argv[3].split(","), sys.argv[4].split(",")
    (out / "home").mkdir(parents=True, exist_ok=True)
    (rig / "scenarios" / "handoff_task.json").write_text(json.dumps(TASK))

    def pair(both: tuple[str, str]) -> str:
        source, target = both
        requests = run(rig, out, target, f"handoff_{source}") / "model" / "requests.jsonl"
        try:
            rows = requests.read_text().splitlines()
        except OSError:
            return "no run"
        sent = next((row for row in rows if all(word in row for word in WANTED)), None)
        return "ok" if sent is not None else f"missing ({len(rows)} requests)"

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda agent: run(rig, out, agent, "handoff_task"), sources))
        for source in sources:
            text = brief(out, source)
            print(
                f"{source}: brief of {len(text.encode())} bytes, holds {sum(w in text for w in WANTED)} of 4"
            )
            turn = {"user": text, "reply": [[{"text": "I go on with the lantern parser."}]]}
            (rig / "scenarios" / f"handoff_{source}.json").write_text(json.dumps({"turns": [turn]}))
        pairs = [(source, target) for target in targets for source in sources]
        results = dict(zip(pairs, pool.map(pair, pairs), strict=True))
    print("| from \\ to | " + " | ".join(targets) + " |")
    print("|" + "---|" * (len(targets) + 1))
    for source in sources:
        print(f"| {source} | " + " | ".join(results[source, target] for target in targets) + " |")
    sys.exit(any(result != "ok" for result in results.values()))


if __name__ == "__main__":
    main()
