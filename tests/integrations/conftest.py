"""Real-looking configurations of all agents, as people and programs leave them."""

from pathlib import Path

import pytest

CLAUDE = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)"],
    "deny": []
  },
  "hooks": {
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          { "type": "command", "command": "notify-send done" }
        ]
      }
    ],
    "PreToolUse": []
  },
  "model": "opus"
}
"""
JSON = {
    "plain": CLAUDE,
    "no end": CLAUDE.rstrip("\n"),
    "tabs": CLAUDE.replace("  ", "\t"),
    "odd": CLAUDE.replace("  ", "   "),
    "crlf": CLAUDE.replace("\n", "\r\n"),
    "comments": CLAUDE.replace('"model"', '// the big one\n  "model"').replace(
        '"deny": []', '"deny": [] /* nobody */ // yet'
    ),
    "trailing commas": CLAUDE.replace('"opus"\n', '"opus", // mine\n').replace("[]\n", "[],\n"),
    "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "empty object": "{}",
    "open object": "{\n}\n",
    "comment only": "{\n  // nothing yet\n}\n",
    "bom": "\ufeff" + CLAUDE,
    "empty": "",
}
KIMI = """# my Kimi
default_model = "kimi/k2"   # the good one

[providers.kimi]
type = "kimi"
api_key = "sk-not-real"

[[hooks]]
event = "Stop"
command = "say done"
"""
CODEX = """model = "gpt-5"
notify = ["say", "done"]

[mcp_servers.files]
command = "npx"
args = ["-y", "server-files"]

[projects."/work/x"]
trust_level = "trusted"
"""
TOML = {
    "plain": KIMI,
    "codex": CODEX,
    "no end": CODEX.rstrip("\n"),
    "crlf": KIMI.replace("\n", "\r\n"),
    "crlf, no end": CODEX.rstrip("\n").replace("\n", "\r\n"),
    "comment": "# nothing yet",
    "empty": "",
    "odd": CODEX.replace(" = ", "=").replace("[mcp", "   [mcp"),
}
GOOSE = """# my goose
GOOSE_PROVIDER: anthropic
extensions:
  developer:
    enabled: true   # always
    type: builtin
    timeout: 300

GOOSE_MODEL: "claude"
notes: |
  extensions:
    dejavu: not this one
"""
YAML = {
    "plain": GOOSE,
    "no end": GOOSE.rstrip("\n"),
    "crlf": GOOSE.replace("\n", "\r\n"),
    "crlf, no end": GOOSE.rstrip("\n").replace("\n", "\r\n"),
    "comment": "# nothing yet",
    "empty": "",
    "bom": "\ufeff" + GOOSE,
    "odd": "---\n" + GOOSE.replace("  ", "   ").replace("extensions:", "extensions :  # mine"),
}


@pytest.fixture
def state(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder lies outside of the home, so that a home can be compared as a whole."""
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(home.parent / "data"))
    monkeypatch.setenv("DEJAVU_STATE_HOME", str(home.parent / "state"))
    return home.parent / "data"
