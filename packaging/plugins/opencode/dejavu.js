// Déjà Vu's plugin: needs `dejavu` on this machine
import { spawn } from "node:child_process"

const LAUNCHER = "dejavu"
const GUARD = ""
const ASSIST = ""
const EVENTS = new Set(["session.created", "session.updated", "session.status", "session.idle", "session.error", "session.compacted", "message.updated", "message.part.updated", "permission.asked", "permission.replied", "question.asked", "question.replied", "question.rejected"])
const waiting = new Map()
let count = 0
let timer

function send() {
  clearTimeout(timer)
  timer = undefined
  if (waiting.size === 0) return
  const lines = [...waiting.values()].map((event) => JSON.stringify(event)).join("\n")
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

const WITHHELD = "[withheld: Déjà Vu could not check this result for secrets]"

function ask(words, payload) {
  return new Promise((resolve, reject) => {
    const hook = spawn(LAUNCHER, words, { stdio: ["pipe", "pipe", "ignore"] })
    const limit = setTimeout(() => hook.kill("SIGKILL"), 5000)
    let text = ""
    hook.stdout.setEncoding("utf8")
    hook.stdout.on("data", (piece) => (text += piece))
    hook.on("error", reject)
    hook.stdin.on("error", () => {})
    hook.on("close", (code) => {
      clearTimeout(limit)
      code === 0 ? resolve(text) : reject(new Error(`hook: ${code}`))
    })
    hook.stdin.end(JSON.stringify(payload))
  })
}

async function check(call, output) {
  let clean
  try {
    const text = await ask([...GUARD.split(" "), "--no-capture"], {
      hook_event_name: "tool.execute.after",
      session_id: call.sessionID,
      tool_name: call.tool,
      tool_response: output,
    })
    clean = text ? JSON.parse(text) : {}
  } catch {
    if (GUARD.endsWith("--fail-open")) return
    clean = { title: "", output: WITHHELD, metadata: {} }
    if (output.content) clean.content = [{ type: "text", text: WITHHELD }]
  }
  Object.assign(output, clean)
}

async function told(words, payload) {
  try {
    const text = await ask(words, payload)
    return text ? JSON.parse(text).hookSpecificOutput.additionalContext : ""
  } catch {
    return ""
  }
}

async function after(call, output, cwd) {
  if (GUARD) await check(call, output)
  if (!ASSIST || typeof output.output !== "string") return
  const said = await told(ASSIST.split(" "), {
    hook_event_name: "PostToolUse",
    session_id: call.sessionID,
    cwd,
    tool_name: call.tool,
    tool_input: call.args,
    tool_response: { output: output.output, exit_code: output.metadata?.exit },
  })
  if (said) output.output += `\n\n${said}`
}

async function compacting(call, output, cwd) {
  const payload = { hook_event_name: "SessionStart", source: "compact", session_id: call.sessionID, cwd }
  const said = await told(ASSIST.split(" "), payload)
  if (said) output.context?.push(said)
}

async function prompted(call, output, cwd) {
  const asked = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
  const prompt = asked.map((part) => part.text).join("\n")
  if (!prompt) return
  const payload = { hook_event_name: "UserPromptSubmit", session_id: call.sessionID, cwd, prompt }
  const said = await told(["hook", "inject", "--agent", "opencode"], payload)
  const last = asked.at(-1)
  if (said) output.parts.push({ ...last, id: `${last.id}m`, synthetic: true, text: said })
}

export const DejaVu = async ({ directory } = {}) => ({
  "chat.message": (call, output) => prompted(call, output, directory),
  ...((GUARD || ASSIST) && { "tool.execute.after": (call, output) => after(call, output, directory) }),
  ...(ASSIST && {
    "experimental.session.compacting": (call, output) => compacting(call, output, directory),
  }),
  event: async ({ event }) => {
    if (!EVENTS.has(event?.type)) return
    const part = event.properties?.part?.id
    if (GUARD && event.properties?.part?.state?.status === "running") return
    // The last state of a part stands where it is now: behind what came before it.
    const key = part ? `part ${part}` : `event ${count++}`
    waiting.delete(key)
    waiting.set(key, event)
    if (event.type === "session.idle" || event.type === "session.error") send()
    else timer ??= setTimeout(send, 500)
  },
})
