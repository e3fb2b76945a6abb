"""Real agents on the rig with every vector open: streams, hooks, OTLP and the wire kept.

Drives the rig beside the repo (../shared/rig, its CLIs in $RIG_NPM) against its scripted model on
loopback, with hooks and telemetry configured, and keeps what passes between agent and model. Then
measures each vector against the truth, as vectors.py does. No network, throw-away homes, fake keys.

    RIG_NPM=~/.cache/agent-clis python -m benchmarks.providers.vectors_rig --out /var/tmp/rec   all agents
    ... claude codex --scenario tools --tui   two of them, in a terminal instead of headless

About 20 s an agent headless and 90 s in a terminal; the table takes 5 s an agent.
"""

import argparse
import base64
import json
import subprocess
import sys
from pathlib import Path

from benchmarks import ROOT, SHARED

RIG = SHARED / "rig"
SPOOL = (
    "import json,sys,time;"
    "p=json.loads(sys.argv[2] if len(sys.argv)>2 else sys.stdin.read());"
    "open(sys.argv[1],'a').write(json.dumps({'t':time.time(),'payload':p})+chr(10))"
)
PLUGIN = """import { appendFileSync } from "fs"
export const Spool = async () => ({ event: async ({ event }) =>
  appendFileSync("%s", JSON.stringify({t: Date.now() / 1000, payload: event}) + "\\n") })
"""
CLAUDE_LIKE = [
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
    "PostToolUseFailure", "Stop", "StopFailure", "SubagentStop", "SessionEnd",
]  # fmt: skip
CODEX = [
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop",
    "SubagentStop",
]  # fmt: skip
GEMINI = [
    "SessionStart", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "AfterModel",
    "SessionEnd",
]  # fmt: skip
AGENTS = ["claude", "codex", "kimi", "opencode", "gemini", "qwen", "amp-old"]
COPILOT = [
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStop",
    "PreCompact", "ErrorOccurred", "Stop", "SessionEnd",
]  # fmt: skip
_UNKEPT = ("/v1/logs", "/v1/traces", "/v1/metrics", "/api/internal")


def command(home, name="hooks.jsonl"):
    """The shell command that puts a payload from stdin into the spool."""
    return f'python3 -S -E -c "{SPOOL}" {home / name}'


def nested(events, home, **extra):
    """Hooks in the form that most agents share."""
    hook = {"type": "command", "command": command(home), **extra}
    return {event: [{"hooks": [hook]}] for event in events}


def opened(agents):
    """The rig's agents, with their hooks and telemetry on."""

    class Claude(agents.Claude):  # its hooks and telemetry are on in the rig already
        def env(self, port):
            more = {"CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1", "OTEL_TRACES_EXPORTER": "otlp",
                    "OTEL_LOG_TOOL_CONTENT": "1"}  # fmt: skip
            return {**super().env(port), **more}

    class Codex(agents.Codex):
        free = "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"

        def setup(self, home, port, work):
            super().setup(home, port, work)
            config = home / ".codex/config.toml"
            exporter = f'endpoint = "http://127.0.0.1:{port}/v1/logs"\nprotocol = "binary"\n'
            telemetry = "[otel]\nlog_user_prompt = true\n[otel.exporter.otlp-http]\n"
            config.write_text(f"{config.read_text()}\n{telemetry}{exporter}")
            agents.put(home / ".codex/hooks.json", {"hooks": nested(CODEX, home)})

        def argv(self, port, work):
            return [*super().argv(port, work), self.free[1]]

        def headless(self, prompt, _port, _work):
            return [self.bin, "exec", "--json", "--skip-git-repo-check", *self.free, prompt]

    class Kimi(agents.Kimi):
        def setup(self, home, port, work):
            super().setup(home, port, work)
            with (home / ".kimi-code/config.toml").open("a") as config:
                for event in CLAUDE_LIKE:
                    shell = json.dumps(command(home))
                    config.write(f'\n[[hooks]]\nevent = "{event}"\ncommand = {shell}\n')

    def telemetry(port):
        return {"enabled": True, "target": "local", "otlpProtocol": "http", "logPrompts": True,
                "otlpEndpoint": f"http://127.0.0.1:{port}", "useCollector": True}  # fmt: skip

    class Gemini(agents.Gemini):
        def setup(self, home, port, work):
            super().setup(home, port, work)
            path = home / ".gemini/settings.json"
            settings = {**json.loads(path.read_text()), "hooksConfig": {"enabled": True}}
            settings["hooks"] = nested(GEMINI, home, name="spool")
            agents.put(path, {**settings, "telemetry": telemetry(port)})

    class Qwen(agents.Qwen):
        def setup(self, home, port, work):
            super().setup(home, port, work)
            path = home / ".qwen/settings.json"
            settings = {**json.loads(path.read_text()), "hooks": nested(CLAUDE_LIKE, home)}
            agents.put(path, {**settings, "telemetry": telemetry(port)})

    class Copilot(agents.Copilot):
        def setup(self, home, port, work):
            super().setup(home, port, work)
            hook = {"type": "command", "bash": command(home), "timeoutSec": 10}
            hooks = {"version": 1, "hooks": {event: [hook] for event in COPILOT}}
            agents.put(home / ".copilot/hooks/spool.json", hooks)

    class OpenCode(agents.OpenCode):
        def setup(self, home, port, work):
            super().setup(home, port, work)
            plugin = home / ".config/opencode/plugins/spool.js"
            agents.put(plugin, PLUGIN % (home / "hooks.jsonl"))

        def headless(self, prompt, _port, _work):
            return [self.bin, "run", "--format", "json", "--thinking", "--auto", prompt]

    class AmpOld(agents.AmpOld):
        def headless(self, prompt, _port, _work):
            return [self.bin, "--dangerously-allow-all", "-x", prompt, "--stream-json"]

    made = (Claude, Codex, Kimi, Gemini, Qwen, OpenCode, AmpOld, Copilot, agents.Pi)
    return {agent.name: agent() for agent in made}


def listening(fakemodel):
    """A handler that keeps what passes beside what it answers."""

    class Handler(fakemodel.Handler):
        def sse(self, obj, event=None):
            super().sse(obj, event)
            data = obj if isinstance(obj, str) else json.dumps(obj, ensure_ascii=False)
            self.passed += (f"event: {event}\n" if event else "") + f"data: {data}\n\n"

        def json(self, status, obj, **headers):
            self.status, self.passed = status, json.dumps(obj, ensure_ascii=False)
            super().json(status, obj, **headers)

        def body(self):
            self.raw = super().body()
            return self.raw

        def do_POST(self):  # noqa: N802 - the standard library's name
            self.raw, self.passed, self.status, began = b"", "", 200, fakemodel.time.time()
            try:
                super().do_POST()
            finally:
                path = self.path.partition("?")[0]
                if path in ("/v1/logs", "/v1/traces") and self.raw[:1] != b"{":
                    kept = {"path": path, "b64": base64.b64encode(self.raw).decode()}
                    self.server.log("otlp", kept)
                elif not path.startswith(_UNKEPT):
                    kept = {"t0": began, "path": self.path, "headers": dict(self.headers.items())}
                    request = self.raw.decode("utf-8", "replace")
                    told = {"status": self.status, "response": self.passed}
                    self.server.log("wire", {**kept, "request": request, **told})

    return Handler


def run(options, name):
    """One agent through one scenario, in this process."""
    sys.path.insert(0, str(RIG))
    import agents
    import fakemodel
    import rig

    rig.AGENTS.update(opened(agents))
    fakemodel.Handler = listening(fakemodel)
    mapped = fakemodel.map_tool

    def without_escalation(kind, args, tools):
        tool, given = mapped(kind, args, tools)
        given.pop("sandbox_permissions", None)
        given.pop("justification", None)
        return tool, given

    fakemodel.map_tool = without_escalation
    mode = [] if options.tui else ["--headless"]
    sys.argv = ["rig.py", name, options.scenario, *mode, "-q", "--out", str(options.out)]
    rig.main()


def main():
    """Drive the agents one after the other, then measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", nargs="*", metavar="AGENT", default=AGENTS)
    parser.add_argument("--scenario", default="tour")
    parser.add_argument("--tui", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not RIG.is_dir():
        print(f"no rig at {RIG}", file=sys.stderr)
        return 1
    if options.here:
        run(options, options.agents[0])
        return 0
    python = [sys.executable, "-m"]
    for name in options.agents:  # a process each: the rig keeps its state in modules
        rest = ["--out", str(options.out.absolute()), "--scenario", options.scenario]
        mode = ["--tui"] if options.tui else []
        again = [*python, "benchmarks.providers.vectors_rig", name, "--here", *rest, *mode]
        subprocess.run(again, cwd=ROOT, check=False)
    measured = [*python, "benchmarks.providers.vectors", str(options.out.absolute())]
    return subprocess.run(measured, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
