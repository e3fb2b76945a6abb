// An agent and an editor of ACP version 2, written with the protocol's own library.
// Usage: node pond_v2.mjs agent LIBRARY | node pond_v2.mjs editor LIBRARY AGENT [ARGUMENT ...]
import { spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"

const [role, library, ...command] = process.argv.slice(2)
const acp = await import(library)
const { agent: asked, client: told } = acp.methods
const stream = (from, to) => acp.ndJsonStream(Writable.toWeb(to), Readable.toWeb(from))
const text = (words) => ({ type: "text", text: words })
const bytes = (words) => Buffer.from(words).toString("base64")

function agent() {
  let messages = 0
  const history = []
  const app = acp.agent({ name: "pond" })
  const tell = (client, sessionId, update) =>
    client.notify(told.session.update, { sessionId, update })
  const next = () => `m${++messages}`
  app.onRequest(asked.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "pond", version: "3.1" },
    capabilities: { session: { prompt: {} } },
  }))
  app.onRequest(asked.session.new, () => ({ sessionId: "s" }))
  app.onRequest(asked.session.resume, async ({ params, client }) => {
    if (params.replayFrom) for (const update of history) await tell(client, "s", update)
    await tell(client, "s", { sessionUpdate: "state_update", state: "idle" })
    return {}
  })
  app.onRequest(asked.session.prompt, ({ params, client }) => {
    const { sessionId, prompt } = params
    const say = async (update) => {
      if (/message/.test(update.sessionUpdate)) history.push(update)
      await tell(client, sessionId, update)
    }
    const first = next()
    setTimeout(async () => {
      await say({ sessionUpdate: "user_message", messageId: first, content: prompt })
      await say({ sessionUpdate: "state_update", state: "running" })
      const second = next()
      for (const words of ["Now ", "look."])
        await say({ sessionUpdate: "agent_message_chunk", messageId: second, content: text(words) })
      const call = { toolCallId: `c${second}`, name: "bash", title: "ls", rawInput: { command: "ls" } }
      await say({ sessionUpdate: "tool_call_update", ...call, status: "pending" })
      await client.request(told.session.requestPermission, {
        sessionId, title: "Run ls?", subject: { type: "tool_call", toolCall: call },
        options: [{ optionId: "y", name: "Allow", kind: "allow_once" }],
      })
      await say({ sessionUpdate: "terminal_update", terminalId: "t", output: { data: bytes("one\n") } })
      await say({ sessionUpdate: "terminal_output_chunk", terminalId: "t", data: bytes("two frogs\n") })
      await say({
        sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, status: "completed",
        content: [{ type: "terminal", terminalId: "t" }],
      })
      await say({ sessionUpdate: "agent_message", messageId: next(), content: [text("Two frogs.")] })
      await say({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" })
    }, 10)
    return { messageId: first }
  })
  app.connect(stream(process.stdin, process.stdout))
}

async function editor() {
  const run = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
  const app = acp.client({ name: "editor" })
  let idle = () => {}
  app.onRequest(told.session.requestPermission, ({ params }) => ({
    outcome: { outcome: "selected", optionId: params.options[0].optionId },
  }))
  app.onNotification(told.session.update, ({ params }) => {
    if (params.update.state === "idle" && params.update.stopReason) idle()
  })
  await app.connectWith(stream(run.stdout, run.stdin), async (ctx) => {
    const info = { name: "editor", version: "1" }
    const { protocolVersion } = await ctx.request(asked.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION, info,
    })
    const cwd = process.cwd()
    const { sessionId } = await ctx.request(asked.session.new, { cwd })
    for (const words of ["Count the frogs.", "Once more."]) {
      const over = new Promise((resolve) => (idle = resolve))
      await ctx.request(asked.session.prompt, { sessionId, prompt: [text(words)] })
      await over
      await ctx.request(asked.session.resume, { sessionId, cwd, replayFrom: { type: "start" } })
    }
    console.log(`version ${protocolVersion}`)
  })
  run.stdin.end()
  await new Promise((resolve) => run.on("exit", resolve))
}

await (role === "agent" ? agent() : editor())
