"""Pi: an extension in `~/.pi/agent/extensions`, a skill in `skills`; it has no MCP.

The extension is a program of ours inside Pi. It asks for past answers before a run, and hands on what
happens in Claude Code's form: a prompt at once, the rest at most twice a second and when a run ends.
Source, read in November 2026: the documentation of skills, extensions and packages inside 0.73.1.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, OwnFile, Plugin, Skill

_MARK = "// Déjà Vu's extension: made by `dejavu init`, removed by `dejavu uninstall`\n"
_EXTENSION = """\
import { spawn } from "node:child_process"

const LAUNCHER = "{launcher}"
let waiting = []
let timer

function start(verb, text, output) {
  const hook = spawn(LAUNCHER, ["hook", verb, "--agent", "pi"], {
    stdio: ["pipe", output, "ignore"],
    detached: output === "ignore",
  })
  hook.on("error", () => {})
  hook.stdin.on("error", () => {})
  hook.stdin.end(text)
  return hook
}

function send() {
  clearTimeout(timer)
  timer = undefined
  if (waiting.length === 0) return
  const lines = waiting.map((payload) => JSON.stringify(payload)).join("\\n")
  waiting = []
  try {
    start("capture", lines, "ignore").unref()
  } catch {}
}

function tell(ctx, hook_event_name, fields) {
  waiting.push({
    hook_event_name,
    session_id: ctx.sessionManager.getSessionId(),
    cwd: ctx.cwd,
    model: ctx.model?.id,
    ...fields,
  })
  timer ??= setTimeout(send, 500)
}

function past(payload) {
  return new Promise((resolve) => {
    let text = ""
    try {
      const hook = start("inject", JSON.stringify(payload), "pipe")
      const limit = setTimeout(() => hook.kill("SIGKILL"), 5000)
      hook.stdout.setEncoding("utf8")
      hook.stdout.on("data", (piece) => (text += piece))
      hook.on("error", () => resolve(""))
      hook.on("close", () => {
        clearTimeout(limit)
        try {
          resolve(text ? JSON.parse(text).hookSpecificOutput.additionalContext : "")
        } catch {
          resolve("")
        }
      })
    } catch {
      resolve("")
    }
  })
}

function words(content) {
  if (typeof content === "string") return content
  const texts = (content ?? []).filter((part) => part.type === "text")
  return texts.map((part) => part.text).join("\\n")
}

export default function (pi) {
  pi.on("session_start", (event, ctx) => tell(ctx, "SessionStart", { source: event.reason }))
  pi.on("before_agent_start", async (event, ctx) => {
    tell(ctx, "UserPromptSubmit", { prompt: event.prompt })
    const asked = waiting.at(-1)
    send()
    const content = await past(asked)
    if (content) return { message: { customType: "dejavu", content, display: false } }
  })
  pi.on("message_end", (event, ctx) => {
    const { role, content, timestamp } = event.message
    const delta = role === "assistant" ? words(content) : ""
    if (delta) tell(ctx, "MessageDisplay", { message_id: String(timestamp), index: 0, delta })
  })
  pi.on("tool_execution_start", (event, ctx) =>
    tell(ctx, "PreToolUse", {
      tool_use_id: event.toolCallId,
      tool_name: event.toolName,
      tool_input: event.args,
    }),
  )
  pi.on("tool_execution_end", (event, ctx) => {
    const said = words(event.result?.content)
    tell(ctx, event.isError ? "PostToolUseFailure" : "PostToolUse", {
      tool_use_id: event.toolCallId,
      tool_name: event.toolName,
      ...(event.isError ? { error: said } : { tool_response: said }),
    })
  })
  pi.on("agent_end", (event, ctx) => {
    const last = event.messages.filter((message) => message.role === "assistant").at(-1)
    const text = words(last?.content)
    if (last?.stopReason === "error") tell(ctx, "StopFailure", { error_message: last.errorMessage })
    else tell(ctx, "Stop", { last_assistant_message: text })
    send()
  })
  pi.on("session_shutdown", send)
}
"""

INTEGRATION = Integration(
    folder=lambda home: home.folder("PI_CODING_AGENT_DIR", ".pi", "agent"),
    edits=(
        FileEdit(
            "extensions/dejavu.ts", (OwnFile(_MARK + _EXTENSION, _MARK, "extension", memory=True),)
        ),
        FileEdit("skills", (Skill(),)),
    ),
    assist_limits="its extension does not ask for it",
    plugin=Plugin(
        manifest="package.json",
        install="pi install FOLDER",
        fields={
            "keywords": ["pi-package"],
            "pi": {"extensions": ["./extensions"], "skills": ["./skills"]},
        },
        servers="-",
        program="extensions/dejavu.ts",
    ),
)
