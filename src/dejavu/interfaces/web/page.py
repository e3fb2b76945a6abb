"""The page of running sessions: which of them needs a person. The one page with a script, our own.

The page is the same for everybody; its script fetches the sessions with the token behind the `#` of
its address (kept for the tab, never sent but as a header). Everything from a session enters the page
as text. It shares the exported pages' style.
"""

from markupsafe import Markup

from dejavu.export.html import STYLE, tag
from dejavu.sessions.priority import ATTENTION

SHEET = (
    str(STYLE)  # plain text, to which the rest is added as it is
    + """
.fleet{width:100%;table-layout:fixed}
.fleet th,.fleet td{padding:.5rem .9rem .5rem 0;overflow-wrap:anywhere;unicode-bidi:isolate}
.fleet thead th{font-weight:400;color:var(--soft);font-size:.8125rem}
.fleet th:nth-child(1){width:9.2rem}.fleet thead th:nth-child(4){width:4.5rem;text-align:right}
.fleet tbody th{font-weight:600}
.fleet small{display:block;font-weight:400;color:var(--soft);font-size:.8125rem}
.state{display:inline-flex;gap:.45em;align-items:baseline;white-space:nowrap}
.state::before{content:"○";color:var(--soft)}
.state.blocked{color:var(--bad);font-weight:650}.state.blocked::before{content:"▲";color:inherit}
.state.error{color:var(--bad)}.state.error::before{content:"✕";color:inherit}
.state.done{color:var(--accent);font-weight:650}.state.done::before{content:"✓";color:inherit}
.state.working::before{content:"●";color:var(--accent)}
.state.exited,.state.unknown{color:var(--soft)}.state.exited::before{content:"–"}
.state.unknown::before{content:"?"}
.counts{font-size:1.05rem;margin:0 0 .2rem}
.counts b{font-variant-numeric:tabular-nums}
.link{font-size:.8125rem;color:var(--soft);margin:0}
button,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);
border-radius:6px;padding:.2rem .7rem}
button{cursor:pointer}button:hover{border-color:var(--accent)}
button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
td button{font-size:.8125rem;margin-left:.7rem;padding:0 .55rem}
[hidden]{display:none!important}
@media (max-width:40rem){
.fleet,.fleet tbody,.fleet tr,.fleet th,.fleet td{display:block;width:auto!important;border:0}
.fleet thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.fleet tr{border-top:1px solid var(--line);padding:.7rem 0;position:relative}
.fleet tbody tr:first-child{border-top:0;padding-top:0}.fleet tr:first-child td.for{top:0}
.fleet th,.fleet td{padding:.05rem 0}
.fleet td.for{position:absolute;top:.7rem;right:0}}
"""
)

_FIELD = Markup('<input id="token" type="password" autocomplete="off">')
_COLUMNS = ("State", "Session", "Workspace", "For", "Detail")


def page() -> str:
    """The whole page."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="/fleet.css"),
        tag("title", "Fleet · Déjà Vu"),
        tag("script", src="/fleet.js", defer=True),
    )
    table = tag(
        "table",
        tag("caption", "Running sessions, the most urgent first", class_="sr"),
        tag("thead", tag("tr", *(tag("th", name, scope="col") for name in _COLUMNS))),
        tag("tbody", id="sessions"),
        class_="fleet",
    )
    ask = tag(
        "form",
        tag("p", "This address needs the token that ", tag("code", "dejavu serve"), " names:"),
        tag("label", "Token ", _FIELD),
        " ",
        tag("button", "Connect", type="submit"),
        id="ask",
        hidden=True,
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", class_="skip", href="#main"),
        tag(
            "div",
            tag(
                "header",
                tag("h1", "Fleet"),
                tag("p", "…", id="counts", class_="counts", role="status"),
                tag("p", "Connecting…", id="link", class_="link"),
            ),
            tag(
                "main",
                tag("noscript", tag("p", "This page follows the fleet with a script.")),
                ask,
                table,
                tag("p", "No session runs. ", tag("code", "dejavu-run AGENT"), " starts one.",
                    id="none", hidden=True),
                id="main",
            ),
            class_="page",
        ),
    )  # fmt: skip
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


_RANK = f'"use strict";\nconst RANK = {list(ATTENTION)};'

SCRIPT = (
    _RANK
    + r"""
const element = (id) => document.getElementById(id);
// Controls, bidi marks and invisible characters: what an agent prints may hold any.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const plain = (text) => String(text ?? "").replace(HIDDEN, "");
const entries = new Map();
let token = "";

function takeToken() {
  const fragmentToken = new URLSearchParams(location.hash.slice(1)).get("token");
  if (fragmentToken) {
    sessionStorage.setItem("token", fragmentToken);
    history.replaceState(null, "", location.pathname);
  }
  token = sessionStorage.getItem("token") ?? "";
}

function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(path, { ...options, headers, cache: "no-store" });
}

function since(moment) {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(moment)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;
}

function cell(row, name, className) {
  const child = document.createElement(name);
  if (className) child.className = className;
  row.append(child);
  return child;
}

function makeRow(id) {
  const row = document.createElement("tr");
  row.id = `s-${id}`;
  const state = cell(row, "td");
  const badge = cell(state, "span", "state");
  const seenButton = cell(state, "button");
  seenButton.type = "button";
  seenButton.textContent = "Seen";
  seenButton.addEventListener("click", () => {
    ask(`/v1/sessions/${encodeURIComponent(id)}/seen`, { method: "POST" });
  });
  const who = cell(row, "th");
  who.scope = "row";
  const name = cell(who, "span");
  const agent = cell(who, "small");
  const workspace = cell(row, "td");
  const age = cell(row, "td", "for num");
  const detail = cell(row, "td");
  return { row, badge, seenButton, name, agent, workspace, age, detail };
}

function show(session) {
  let entry = entries.get(session.session);
  if (!entry) entries.set(session.session, (entry = makeRow(session.session)));
  entry.session = session;
  const state = RANK.includes(session.state) ? session.state : "unknown";
  entry.badge.className = `state ${state}`;
  entry.badge.textContent = state;
  entry.seenButton.hidden = state !== "done";
  entry.seenButton.setAttribute("aria-label", `Seen: ${plain(session.name)}`);
  entry.name.textContent = plain(session.name);
  entry.agent.textContent = plain(session.agent);
  entry.workspace.textContent = plain(session.workspace);
  const ended = session.exit_status === null ? "" : `exit code ${session.exit_status}`;
  entry.detail.textContent = state === "exited" ? ended : plain(session.detail);
  entry.age.textContent = since(session.since);
}

function order() {
  const rank = (entry) => RANK.indexOf(entry.session.state);
  const sorted = [...entries.values()].sort(
    (a, b) => rank(a) - rank(b) || a.session.since.localeCompare(b.session.since));
  const body = element("sessions");
  sorted.forEach((entry, index) => {
    // Only what moved is moved, so that focus and selection stay where they are.
    if (body.children[index] !== entry.row) body.insertBefore(entry.row, body.children[index]);
  });
  element("none").hidden = sorted.length > 0;
}

function summarise(attention) {
  const parts = Object.entries(attention.counts).map(([state, count]) => `${count} ${state}`);
  element("counts").textContent = parts.join(" · ") || "Nothing runs";
  const worst = attention.worst;
  const urgent = ["blocked", "error", "done"].includes(worst);
  const mark = urgent ? `(${attention.counts[worst]} ${worst}) ` : "";
  document.title = `${mark}Fleet · Déjà Vu`;
}

function take(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  if (!data.length) return;
  const value = JSON.parse(data.join("\n"));
  if (name === "session") show(value);
  if (name === "attention") { order(); summarise(value); }
}

async function follow() {
  const answer = await ask("/v1/events", { headers: { Accept: "text/event-stream" } });
  if (answer.status === 401) {
    sessionStorage.removeItem("token");
    return "token";
  }
  if (!answer.ok) throw new Error(answer.statusText);
  element("link").textContent = "Live";
  element("ask").hidden = true;
  entries.clear();
  element("sessions").replaceChildren();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return "ended";
    buffer += value;
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    blocks.forEach(take);
  }
}

async function run() {
  for (let pause = 1; ; pause = Math.min(pause * 2, 10)) {
    try {
      const how = await follow();
      if (how === "token") {
        element("link").textContent = "Not connected";
        element("ask").hidden = false;
        element("token").focus();
        return;
      }
      pause = 0.5;
    } catch {
      // The server is away: the next turn tries again.
    }
    element("link").textContent = "Connection lost, trying again…";
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = element("token").value.trim();
  sessionStorage.setItem("token", token);
  run();
});
setInterval(() => {
  for (const entry of entries.values()) entry.age.textContent = since(entry.session.since);
}, 1000);
takeToken();
run();
"""
)
"""The page's script: reads events by `fetch`, since an EventSource can send no token."""
