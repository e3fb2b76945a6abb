"""OpenCode: a plugin file in `plugins/`, the server in `opencode.json` (or `.jsonc`).

A plugin gets every event of the bus, and a part of a message at every token, so ours sends the
last state of each part, at most twice a second and when a run ends: one call of the launcher for
many events, one a line. Sources, read in November 2026: opencode.ai/docs/plugins and
/docs/mcp-servers; 1.18.33 loads `{plugin,plugins}/*.{ts,js}`.
"""

import json
from pathlib import Path

from ..integration import LAUNCHER, FileEdit, Integration, JsonServer, OwnFile
from ..protocol import Home
from .hooks import HOOK

_MARK = "// Déjà Vu's plugin: made by `dejavu init`, removed by `dejavu uninstall`\n"
_PLUGIN = """\
import { spawn } from "node:child_process"

const LAUNCHER = "{launcher}"
const EVENTS = new Set({events})
const waiting = new Map()
let count = 0
let timer

function send() {
  clearTimeout(timer)
  timer = undefined
  if (waiting.size === 0) return
  const lines = [...waiting.values()].map((event) => JSON.stringify(event)).join("\\n")
  waiting.clear()
  try {
    const hook = spawn(LAUNCHER, ["hook", "capture", "--agent", "opencode"], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    hook.on("error", () => {})
    hook.stdin.on("error", () => {})
    hook.stdin.end(lines)
    hook.unref()
  } catch {}
}

export const DejaVu = async () => ({
  event: async ({ event }) => {
    if (!EVENTS.has(event?.type)) return
    const part = event.properties?.part?.id
    // The last state of a part stands where it is now: behind what came before it.
    const key = part ? `part ${part}` : `event ${count++}`
    waiting.delete(key)
    waiting.set(key, event)
    if (event.type === "session.idle" || event.type === "session.error") send()
    else timer ??= setTimeout(send, 500)
  },
})
"""

PLUGIN = _MARK + _PLUGIN.replace("{events}", json.dumps(list(HOOK.events)))
"""The plugin's text; LAUNCHER stands in it as a JSON string."""


def _folder(home: Home) -> Path:
    return home.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def _settings(home: Home) -> Path:
    names = [_folder(home) / name for name in ("opencode.jsonc", "opencode.json")]
    return next((path for path in names if path.exists()), names[-1])


_SERVER = {"type": "local", "command": [LAUNCHER, "mcp"], "enabled": True}

INTEGRATION = Integration(
    folder=_folder,
    edits=(
        FileEdit("plugins/dejavu.js", (OwnFile(PLUGIN, _MARK, "plugin"),)),
        FileEdit(_settings, (JsonServer("mcp", _SERVER),)),
    ),
)
