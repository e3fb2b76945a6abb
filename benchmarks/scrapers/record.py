"""Record several versions of each agent, at several sizes, on the rig beside the repo.

    python -m benchmarks.scrapers.record --npm FOLDER --out FOLDER [AGENT@VERSION[:SIZE[>RESIZED]] ...]
    python -m benchmarks.scrapers.record --npm FOLDER --out FOLDER --list

Without arguments every version of `VERSIONS` at every size of `SIZES`. A version that is not there
is installed with npm into a folder of its own (`FOLDER/AGENT-VERSION`, 100 to 550 MB each), and
`FOLDER/node22` holds the Node they run on. Each run drives the agent in a PTY through
`scenario.py` against the rig's scripted model (../shared/rig, tmux): no network but npm's,
a throw-away HOME, fake keys. 70 to 150 s a run.

What is kept of a run is OUT/AGENT/VERSION/SIZE/ with `session.cast` (asciicast v2), `truth.json`
(what was typed and said, with times on the cast's clock) and `screens/`. What the agent wrote
elsewhere, and the prompts of its vendor, are dropped.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import ROOT, SHARED

RIG = SHARED / "rig"

SIZES = ("120x40>84x26", "80x24>100x30", "60x20>80x24")


class Package(NamedTuple):
    """An agent's npm package, the rig's profile and folder name for it, and its versions."""

    package: str
    profile: str
    folder: str
    versions: tuple[str, ...]
    """Newest first."""


VERSIONS = {
    "claude": Package("@anthropic-ai/claude-code", "claude", "claude-latest",
                      ("2.1.330", "2.1.257", "2.1.185", "2.1.36", "2.0.56")),
    "codex": Package("@openai/codex", "codex", "codex",
                     ("0.169.0", "0.152.0", "0.128.0", "0.101.0", "0.77.0")),
    "gemini": Package("@google/gemini-cli", "gemini", "gemini",
                      ("0.61.0", "0.47.0", "0.35.3", "0.19.4")),
    "qwen": Package("@qwen-code/qwen-code", "qwen", "qwen24", ("0.24.4", "0.21.2", "0.12.0")),
    "kimi": Package("@moonshot-ai/kimi-code", "kimi", "kimicode",
                    ("2.1.0", "0.43.1", "0.36.0", "0.30.0")),
    "opencode": Package("opencode-ai", "opencode", "opencode",
                        ("1.18.33", "1.15.13", "1.2.27", "1.0.185")),
    "copilot": Package("@github/copilot", "copilot", "copilot",
                       ("1.0.102", "1.0.60", "1.0.20", "0.0.403")),
    "pi": Package("@earendil-works/pi-coding-agent", "pi", "pi", ("1.5.2", "1.0.3", "0.79.1")),
    "amp": Package("@sourcegraph/amp", "amp-old", "ampold",
                   ("0.0.1771243550-geaf318", "0.0.1767830505-ga62310")),
    "cline": Package("cline", "cline", "cline", ("3.0.65",)),
}  # fmt: skip


class Job(NamedTuple):
    """One run: an agent's version at a size, which changes in its middle."""

    agent: str
    version: str
    size: str
    resized: str

    def folder(self, out: Path) -> Path:
        """Where its recording goes."""
        return out / self.agent / self.version / self.size


def jobs(names: list[str]) -> list[Job]:
    """The runs that are asked for, `AGENT@VERSION:SIZE>RESIZED` each; all without names."""
    result: list[Job] = []
    for name in names or VERSIONS:
        agent, _, rest = name.partition("@")
        version, _, size = rest.partition(":")
        for each in (version,) if version else VERSIONS[agent].versions:
            for pair in (size,) if size else SIZES:
                columns, _, resized = pair.partition(">")
                result.append(Job(agent, each, columns, resized))
    return result


def install(npm: Path, agent: str, version: str) -> Path | None:
    """The npm prefix of a version, installed if need be; None if the registry does not serve it."""
    prefix = npm / f"{agent}-{version}"
    if (prefix / "node_modules/.bin").is_dir():
        return prefix
    prefix.mkdir(parents=True, exist_ok=True)
    path = f"{npm}/node22/node_modules/node/bin:{os.environ['PATH']}"
    npm_install = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        [*npm_install, "--prefix", str(prefix), f"{VERSIONS[agent].package}@{version}"],
        env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=600, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return prefix
    print(f"{agent} {version}: not installed: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return None


def variables(npm: Path, agent: str, prefix: Path) -> dict[str, str]:
    """What tells the rig's profiles of a version: its folder, and flags that not all know."""
    found = {"RIG_NPM": str(npm), "RIG_ALT": f"{VERSIONS[agent].folder}={prefix}"}
    if agent not in ("claude", "codex"):
        return found
    env = {"PATH": f"{npm}/node22/node_modules/node/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
    program = prefix / "node_modules/.bin" / agent
    shown = subprocess.run([str(program), "--help"], env=env, capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, timeout=120, check=False).stdout  # fmt: skip
    modes = re.search(r"--permission-mode.*?\n\s+-", shown, re.DOTALL)
    found["RIG_CLAUDE_MODE"] = "manual" if modes and '"manual"' in modes.group() else "default"
    found["RIG_EXTRA"] = "--no-daemon" if "--no-daemon" in shown else ""
    return found


def escalating(mapped: Any) -> Any:
    """`map_tool` for older Codex too, whose model asks to leave the sandbox in other words."""

    def map_tool(kind: str, args: dict[str, Any], tools: dict[str, Any]) -> Any:
        name, arguments = mapped(kind, args, tools)
        if "with_escalated_permissions" in ((tools.get(name) or {}).get("properties") or {}):
            arguments = {**arguments, "with_escalated_permissions": True, "justification": "Asked."}
        return name, arguments

    return map_tool


def drive(job: Job, folder: Path) -> None:
    """One run, in this process: the rig keeps its state in modules."""
    sys.path.insert(0, str(RIG))
    import agents
    import fakemodel
    import rig
    from benchmarks.scrapers.scenario import scenario

    fakemodel.map_tool = escalating(fakemodel.map_tool)
    script = folder.with_suffix(".scenario.json")
    folder.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(json.dumps(scenario()), encoding="utf-8")
    agent = agents.AGENTS[VERSIONS[job.agent].profile]
    agent.busy = "$^"  # the script says when a turn is over: what looks busy may be quoted
    run = rig.Run(agent, str(script).removesuffix(".json"), job.size, "tmux", folder, False)
    run.wrap = []
    (run.home / ".claude/settings.json").unlink(missing_ok=True)  # hooks that not all know
    run.resize_to = tuple(map(int, job.resized.split("x"))) if job.resized else None
    columns, _, lines = job.size.partition("x")
    try:
        run.interactive(int(columns), int(lines))
    finally:
        run.finish()
        script.unlink(missing_ok=True)


def trim(job: Job, folder: Path) -> int:
    """Keep cast, truth and screens of a run; return how many turns were answered."""
    raw = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    with (folder / "session.cast").open(encoding="utf-8") as cast:
        began = json.loads(next(cast))["rig_t0"]

    def at(moment: float | None) -> float | None:
        return None if moment is None else round(moment - began, 3)

    turns = [
        {
            "user": turn["user"],
            **{name: at(turn.get(name)) for name in
               ("typed_at", "resized_at", "submitted_at", "interrupted_at", "done_at")},
            "timed_out": turn.get("timed_out", False),
            "dialogs": [
                {"answered_at": at(dialog["t"]), "denied": dialog["denied"]}
                for dialog in turn["dialogs"]
            ],
            "replies": [
                {"from": at(reply.get("t0", reply["t"])), "to": at(reply.get("t1", reply["t"])),
                 "step": reply["step"], "error": reply.get("error"), "cut": "client_gone" in reply,
                 "calls": any("tool" in block for block in reply["blocks"])}
                for reply in turn.get("played", [])
            ],
            "assistant": list(parts(turn.get("played", []))),
        }
        for turn in raw["turns"]
    ]  # fmt: skip
    truth = {
        "agent": job.agent, "version": job.version, "says": raw.get("version"),
        "size": job.size, "resized": job.resized, "turns": turns,
        "quit_cleanly": raw.get("quit_cleanly"),
    }  # fmt: skip
    (folder / "truth.json").write_text(
        json.dumps(truth, indent=1, ensure_ascii=False), encoding="utf-8"
    )
    for name in ("native", "model", "home", "project"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return sum(bool(turn["replies"]) for turn in turns)


def parts(played: list[dict[str, Any]]) -> Any:
    """What the model said in a turn; a request that was sent again says nothing new."""
    steps: set[int] = set()
    for reply in played:
        if reply["step"] in steps or "error" in reply:
            continue
        steps.add(reply["step"])
        for block in reply["blocks"]:
            if "text" in block:
                yield {"type": "text", "content": block["text"]}
            elif "tool" in block:
                yield {"type": "tool_call", "name": block["tool"], "arguments": block["args"]}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("runs", nargs="*", metavar="AGENT@VERSION:SIZE>RESIZED")
    options.add_argument("--npm", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--list", action="store_true", help="print what would be recorded")
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    wanted = jobs(asked.runs)
    if not RIG.is_dir():
        print(f"no rig at {RIG}", file=sys.stderr)
        return 1
    if asked.here:
        drive(wanted[0], wanted[0].folder(asked.out))
        return 0
    for job in wanted:
        folder = job.folder(asked.out)
        if asked.list or (folder / "truth.json").exists():
            print(f"{job.agent}@{job.version}:{job.size}>{job.resized}"
                  f"{' (recorded)' if (folder / 'truth.json').exists() else ''}")  # fmt: skip
            continue
        prefix = install(asked.npm, job.agent, job.version)
        if prefix is None:
            continue
        name = f"{job.agent}@{job.version}:{job.size}>{job.resized}"
        again = [
            sys.executable,
            "-m",
            "benchmarks.scrapers.record",
            name,
            "--here",
            "--npm",
            str(asked.npm),
        ]
        env = {**os.environ, **variables(asked.npm, job.agent, prefix)}
        subprocess.run(
            [*again, "--out", str(asked.out)], cwd=ROOT, env=env, timeout=900, check=False
        )
        if not (folder / "truth.json").exists():
            print(f"{name}: no recording", file=sys.stderr)
            continue
        print(f"{name}: {trim(job, folder)} turns answered", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
