// Déjà Vu's plugin: needs `dejavu` on this machine
import { spawn } from "node:child_process"

const LAUNCHER = decodeURIComponent(new URL("launch/dejavu", import.meta.url).pathname)

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
