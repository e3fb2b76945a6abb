// The HTTP API of `dejavu serve`, typed. Made by tools/typescript_client.py; do not edit.
//
//   const client = new Client("http://127.0.0.1:8765", token);
//   await client.startSession({ command: ["claude"], name: "api" });
//   for await (const session of client.events()) console.log(session.name, session.state);

export interface Session {
  id: string;
  session: string;
  name: string;
  agent: string;
  source: string;
  state: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited";
  rule: string | null;
  detail: string;
  since: string;
  updated_at: string;
  started_at: string;
  finished_at: string | null;
  live: boolean;
  pid: number | null;
  workspace: string;
  instance: string;
  machine: string;
  version: string | null;
  title: string | null;
  turns: number | null;
  model: string | null;
  last_prompt: string | null;
  last_words: string | null;
  cost: number | null;
  tokens: { input: number; output: number } | null;
  exit_status: number | null;
  conversation: string | null;
  kept: string;
  notes: string[];
  message: string;
  pending: { kind: string; count: number }[];
  blocked: { kind: string; question: string; choices: string[]; default: string | null; resets_at: string | null; subject: string; keys: string[]; takes_text: boolean; across: boolean; first: number; more: boolean } | null;
  signals: Record<string, unknown> | null;
  disagreement: { source: string; reported: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; read: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; since: string; followed: boolean } | null;
}

export interface Sent {
  id: string;
  session: string;
  name: string;
  agent: string;
  source: string;
  state: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited";
  rule: string | null;
  detail: string;
  since: string;
  updated_at: string;
  started_at: string;
  finished_at: string | null;
  live: boolean;
  pid: number | null;
  workspace: string;
  instance: string;
  machine: string;
  version: string | null;
  title: string | null;
  turns: number | null;
  model: string | null;
  last_prompt: string | null;
  last_words: string | null;
  cost: number | null;
  tokens: { input: number; output: number } | null;
  exit_status: number | null;
  conversation: string | null;
  kept: string;
  notes: string[];
  message: string;
  pending: { kind: string; count: number }[];
  blocked: { kind: string; question: string; choices: string[]; default: string | null; resets_at: string | null; subject: string; keys: string[]; takes_text: boolean; across: boolean; first: number; more: boolean } | null;
  signals: Record<string, unknown> | null;
  disagreement: { source: string; reported: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; read: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; since: string; followed: boolean } | null;
  typed: boolean;
  submitted: boolean;
  accepted: boolean;
  reason: string;
  by: string;
}

export interface Answered {
  id: string;
  session: string;
  name: string;
  agent: string;
  source: string;
  state: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited";
  rule: string | null;
  detail: string;
  since: string;
  updated_at: string;
  started_at: string;
  finished_at: string | null;
  live: boolean;
  pid: number | null;
  workspace: string;
  instance: string;
  machine: string;
  version: string | null;
  title: string | null;
  turns: number | null;
  model: string | null;
  last_prompt: string | null;
  last_words: string | null;
  cost: number | null;
  tokens: { input: number; output: number } | null;
  exit_status: number | null;
  conversation: string | null;
  kept: string;
  notes: string[];
  message: string;
  pending: { kind: string; count: number }[];
  blocked: { kind: string; question: string; choices: string[]; default: string | null; resets_at: string | null; subject: string; keys: string[]; takes_text: boolean; across: boolean; first: number; more: boolean } | null;
  signals: Record<string, unknown> | null;
  disagreement: { source: string; reported: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; read: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited"; since: string; followed: boolean } | null;
  answered: string;
  typed: boolean;
  submitted: boolean;
  accepted: boolean;
  reason: string;
  by: string;
}

export type Sessions = Session[];

export interface Messages {
  session: string;
  conversation: string | null;
  turns: Turn[];
  next: number | null;
}

export interface Screen {
  columns: number;
  lines: number;
  rows: string[];
  title: string;
  alternate: boolean;
  cursor: number[];
  state: "blocked" | "error" | "done" | "working" | "idle" | "unknown" | "exited";
  rule: string | null;
  spans?: (({ text: string; fg?: string | number; bg?: string | number; bold?: boolean; dim?: boolean; italic?: boolean; underline?: boolean; inverse?: boolean; strike?: boolean; blink?: boolean; invisible?: boolean })[])[];
}

export interface Attention {
  worst: string | null;
  sessions: string[];
  counts: Record<string, number>;
}

export interface Turn {
  seq: number;
  role: string;
  parts: Record<string, unknown>[];
}

export interface ConversationSummary {
  id: string;
  workspace: string;
  instance: string;
  agent: string;
  turn_count: number;
  title: string | null;
  started_at: string | null;
  ended_at: string | null;
  vectors: string[];
}

export type Conversations = ConversationSummary[];

export interface Resumption {
  conversation: string;
  agent: string;
  folder: string;
  command: string[];
  restores: string[];
}

export interface Conversation {
  id: string;
  workspace: string;
  instance: string;
  agent: string;
  turn_count: number;
  title: string | null;
  started_at: string | null;
  ended_at: string | null;
  vectors: string[];
  turns: Turn[];
}

export interface Hit {
  conversation: string;
  seq: number;
  role: string;
  score: number;
  excerpt: string;
  at: string | null;
  agent: string;
}

export interface Search {
  query: string;
  hits: Hit[];
  behind: number;
  notes: string[];
}

export interface RecalledHit {
  conversation: string;
  seq: number;
  role: string;
  score: number;
  confidence: number;
  sure: boolean;
  excerpt: string;
  question: string;
  answer: string;
  at: string | null;
  agent: string;
  workspace: string;
  replaces: string[];
  replaced_by: string;
}

export interface RecalledMemory {
  id: string;
  text: string;
  score: number;
  confidence: number;
  sure: boolean;
  superseded_by: string | null;
}

export interface Recalled {
  context: string;
  memories: RecalledMemory[];
  hits: RecalledHit[];
  uncertain: RecalledHit[];
  behind: number;
}

export interface Verdict {
  id: string;
  right: boolean;
  given: boolean | null;
  confidence: number | null;
}

export class DejavuError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export class Client {
  constructor(private readonly url: string, private readonly token = "") {}

  private async ask(
    method: string,
    path: string,
    query: Record<string, unknown> = {},
    body?: unknown,
  ): Promise<any> {
    const words = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]);
    const place = new URL(path, this.url);
    place.search = new URLSearchParams(words).toString();
    const headers: Record<string, string> = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(place, { method, headers, body: text });
    const value = await response.json();
    if (!response.ok) throw new DejavuError(value.error, response.status);
    return value;
  }

  /** Every live session, then each as it changes; goes on where it was when the line breaks. */
  async *events(session = ""): AsyncGenerator<Session> {
    let last = "";
    for (;;) {
      try {
        const place = new URL("/v1/events", this.url);
        if (session) place.searchParams.set("session", session);
        const headers: Record<string, string> = { "Last-Event-ID": last };
        if (this.token) headers.Authorization = `Bearer ${this.token}`;
        const response = await fetch(place, { headers });
        if (!response.ok || !response.body) {
          throw new DejavuError("no events", response.status);
        }
        const decoder = new TextDecoder();
        const reader = response.body.getReader();
        let text = "";
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
          text += decoder.decode(piece.value, { stream: true });
          const events = text.split("\n\n");
          text = events.pop() ?? "";
          for (const event of events) {
            const fields = new Map<string, string>();
            for (const line of event.split("\n")) {
              const at = line.indexOf(": ");
              if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
            }
            last = fields.get("id") ?? last;
            if (fields.get("event") === "session") yield JSON.parse(fields.get("data") ?? "");
          }
        }
      } catch (error) {
        if (error instanceof DejavuError) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Sessions, those that need a person first. */
  listSessions(query: { all?: boolean } = {}): Promise<Sessions> {
    return this.ask("GET", "/v1/sessions", query, undefined);
  }

  /** Start an agent detached. */
  startSession(body: { command: string[]; name?: string; workspace?: string; size?: string; screen?: boolean }): Promise<Session> {
    return this.ask("POST", "/v1/sessions", {}, body);
  }

  /** One session, by id, its beginning, or name. */
  showSession(session: string): Promise<Session> {
    return this.ask("GET", `/v1/sessions/${encodeURIComponent(session)}`, {}, undefined);
  }

  /** Turns of its conversation, as far as they are archived. */
  showMessages(session: string, query: { after?: number; limit?: number } = {}): Promise<Messages> {
    return this.ask("GET", `/v1/sessions/${encodeURIComponent(session)}/messages`, query, undefined);
  }

  /** Its screen as it is, secrets replaced. */
  showScreen(session: string, query: { styles?: boolean } = {}): Promise<Screen> {
    return this.ask("GET", `/v1/sessions/${encodeURIComponent(session)}/screen`, query, undefined);
  }

  /** Someone looked: done becomes idle. */
  seeSession(session: string): Promise<Session> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/seen`, {}, {});
  }

  /** Send text to the agent, and see it taken. */
  sendText(session: string, body: { text: string; enter?: boolean; force?: boolean; wait?: boolean; queue?: boolean; timeout?: number }): Promise<Sent> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/send`, {}, body);
  }

  /** Press keys, whatever the agent asks. */
  pressKeys(session: string, body: { keys: string[] }): Promise<Session> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/keys`, {}, body);
  }

  /** Choose in the dialog by which the agent asks. */
  answerSession(session: string, body: { choice: string; asked?: Record<string, unknown>; expect?: string }): Promise<Answered> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/answer`, {}, body);
  }

  /** Interrupt what the agent does. */
  interruptSession(session: string): Promise<Session> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/interrupt`, {}, {});
  }

  /** End the agent. */
  stopSession(session: string, body: { timeout?: number; kill?: boolean } = {}): Promise<Session> {
    return this.ask("POST", `/v1/sessions/${encodeURIComponent(session)}/stop`, {}, body);
  }

  /** The most urgent state of all, and how many are in each. */
  showAttention(): Promise<Attention> {
    return this.ask("GET", "/v1/attention", {}, undefined);
  }

  /** How a conversation would be resumed here; `restores` lists what would be put back first. */
  showResume(conversation: string): Promise<Resumption> {
    return this.ask("GET", `/v1/conversations/${encodeURIComponent(conversation)}/resume`, {}, undefined);
  }

  /** Resume a conversation in a detached session. */
  resumeConversation(conversation: string, body: { restores?: number } = {}): Promise<Session> {
    return this.ask("POST", `/v1/conversations/${encodeURIComponent(conversation)}/resume`, {}, body);
  }

  /** Conversations in the archive, the newest first. */
  listConversations(query: { project?: string; workspace?: string; instance?: string; agent?: string; since?: string; until?: string; starred?: string; tag?: string; limit?: number; offset?: number } = {}): Promise<Conversations> {
    return this.ask("GET", "/v1/conversations", query, undefined);
  }

  /** One conversation with its turns, by id or its beginning; `last` is the newest. */
  showConversation(conversation: string, query: { provenance?: boolean } = {}): Promise<Conversation> {
    return this.ask("GET", `/v1/conversations/${encodeURIComponent(conversation)}`, query, undefined);
  }

  /** Star, tag or rename a conversation; what is left out stays as it is. */
  markConversation(conversation: string, body: { starred?: boolean; add?: string[]; remove?: string[]; title?: string } = {}): Promise<ConversationSummary> {
    return this.ask("POST", `/v1/conversations/${encodeURIComponent(conversation)}/marks`, {}, body);
  }

  /** Turns that hold the words, the best first. */
  search(query: { q: string; project?: string; workspace?: string; instance?: string; agent?: string; role?: string; exact?: boolean; since?: string; until?: string; starred?: string; tag?: string; limit?: number }): Promise<Search> {
    return this.ask("GET", "/v1/search", query, undefined);
  }

  /** Memories and past exchanges that answer a question, the best first. */
  findMemories(query: { q: string; project?: string; workspace?: string; limit?: number }): Promise<Recalled> {
    return this.ask("GET", "/v1/memory", query, undefined);
  }

  /** Say whether a memory was right, or a hit that was shown answered. */
  judgeMemory(body: { id: string; right: boolean }): Promise<Verdict> {
    return this.ask("POST", "/v1/memory/verdict", {}, body);
  }
}
