"""OpenCode: a plugin file in `plugins/`, the server in `opencode.json` (or `.jsonc`).

A plugin gets every event of the bus, and a part of a message at every token, so ours sends the
last state of each part, at most twice a second and when a run ends: one call of the launcher for
many events, one a line. Sources, read in November 2026: opencode.ai/docs/plugins and
/docs/mcp-servers; 1.18.33 loads `{plugin,plugins}/*.{ts,js}`.
"""

import json
from pathlib import Path

from dejavu.providers import Home
from dejavu.providers.formats.hooks import HOOKS

from ..json_edit import UnreadableFileError
from ..launcher import launcher
from ..registration import SERVER, Edit, json_server

_MARK = "// Déjà Vu's plugin: made by `dejavu init`, removed by `dejavu uninstall`\n"
_PLUGIN = """\
import { spawn } from "node:child_process"

const LAUNCHER = %(launcher)s
const EVENTS = new Set(%(events)s)
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


def plugin() -> str:
    """The plugin file's text."""
    events = json.dumps(list(HOOKS["opencode"].events))
    return _MARK + _PLUGIN % {"launcher": json.dumps(str(launcher())), "events": events}


def _add_plugin(text: str) -> str:
    if text and not text.startswith(_MARK):
        raise UnreadableFileError("somebody else's file")
    return plugin()


def _remove_plugin(text: str, before: str) -> str:
    del before
    return "" if text.startswith(_MARK) else text


class OpenCode:
    """OpenCode."""

    agent = "opencode"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("XDG_CONFIG_HOME", ".config") / "opencode"

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Plugin and server."""
        folder = self.folder(home)
        names = [folder / name for name in ("opencode.jsonc", "opencode.json")]
        settings = next((path for path in names if path.exists()), names[-1])
        entry = {"type": "local", "command": [str(launcher()), "mcp"], "enabled": True}
        return (
            Edit(folder / "plugins" / f"{SERVER}.js", "plugin", _add_plugin, _remove_plugin),
            Edit(settings, "MCP server", *json_server("mcp", entry)),
        )
