"""OpenClaw: the server in `openclaw.json`, under `mcp.servers`, a skill; a plugin with a hook.

The file may be JSON5; one with bare keys or single quotes is left alone. The plugin asks for past
answers before a prompt is built, and has what OpenClaw kept imported after each turn. Both hooks
need `allowConversationAccess`, which a person gives. Source, read in November 2026:
docs.openclaw.ai/cli/mcp, /tools/skills, /plugins/manifest and /plugins/hooks.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, Plugin, Skill, server_entry

_PROGRAM = """\
// Déjà Vu's plugin: needs `dejavu` on this machine
import { spawn } from "node:child_process"

const LAUNCHER = "{launcher}"

function past(payload) {
  return new Promise((resolve) => {
    let text = ""
    try {
      const hook = spawn(LAUNCHER, ["hook", "inject", "--agent", "openclaw"], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      const limit = setTimeout(() => hook.kill("SIGKILL"), 5000)
      hook.stdout.setEncoding("utf8")
      hook.stdout.on("data", (piece) => (text += piece))
      hook.stdin.on("error", () => {})
      hook.on("error", () => resolve(""))
      hook.on("close", () => {
        clearTimeout(limit)
        try {
          resolve(text ? JSON.parse(text).hookSpecificOutput.additionalContext : "")
        } catch {
          resolve("")
        }
      })
      hook.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

function sync() {
  try {
    const program = spawn(LAUNCHER, ["sync", "--agent", "openclaw"], {
      stdio: "ignore",
      detached: true,
    })
    program.on("error", () => {})
    program.unref()
  } catch {}
}

export default {
  id: "dejavu",
  name: "Déjà Vu",
  register(api) {
    api.on("before_prompt_build", async (event, ctx) => {
      const prompt = event.currentUserMessage ?? event.prompt
      if (!prompt) return
      const context = await past({
        hook_event_name: "UserPromptSubmit",
        session_id: ctx.sessionId ?? ctx.sessionKey,
        cwd: ctx.workspaceDir,
        prompt,
      })
      if (context) return { prependContext: context }
    })
    api.on("agent_end", sync)
  },
}
"""

INTEGRATION = Integration(
    folder=lambda home: home.folder("OPENCLAW_STATE_DIR", ".openclaw"),
    edits=(
        FileEdit("openclaw.json", (JsonServer(("mcp", "servers"), server_entry()),)),
        FileEdit("skills", (Skill(),)),
    ),
    assist_limits="no hook of ours is registered with it",
    plugin=Plugin(
        manifest="openclaw.plugin.json",
        install="openclaw plugins install FOLDER --force --accept-capabilities && "
        "openclaw config set plugins.entries.dejavu.hooks.allowConversationAccess true",
        fields={
            "id": "dejavu",
            "skills": ["./skills"],
            "activation": {"onStartup": True},
            "configSchema": {"type": "object", "additionalProperties": False, "properties": {}},
        },
        root=".",
        server={"transport": "stdio"},
        program="index.js",
        text=_PROGRAM,
        documents={
            "package.json": {"type": "module", "openclaw": {"extensions": ["./index.js"]}},
        },
    ),
)
