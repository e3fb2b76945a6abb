// The fleet, live: cards that follow the events, and what a person does to a session.
import { ask, base, element, onKeys, plain, step } from "./page.js";
import { follow } from "./screen.js";

const RANK = element("card").dataset.states.split(" ");
const cards = new Map();

function since(moment) {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(moment)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}

function makeCard(id) {
  const root = element("card").content.firstElementChild.cloneNode(true);
  const part = {};
  for (const child of root.querySelectorAll("[data-field]")) part[child.dataset.field] = child;
  root.dataset.session = id;
  root.id = `s-${id}`;
  part.state.id = `state-${id}`;
  part.name.id = `name-${id}`;
  root.setAttribute("aria-labelledby", `name-${id} state-${id}`);
  const card = { root, part, id, busy: false, pending: new Set(), asked: "" };
  part.seen.addEventListener("click", () => act(card, "seen", {}));
  part.interrupt.addEventListener("click", () => act(card, "interrupt", {}));
  part.stop.addEventListener("click", () => stop(card));
  part.show.addEventListener("click", () => toggleScreen(card));
  part.reply.addEventListener("submit", (event) => {
    event.preventDefault();
    reply(card);
  });
  part.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      part.reply.requestSubmit();
    }
  });
  for (const name of ["reply", "show", "interrupt", "stop"]) part[name].hidden = false;
  return card;
}

// One thing at a time. What is asked for meanwhile is done next, and once: an interrupt, a stop, the
// answer to another dialog (the server refuses it where that has gone). What is written waits.
async function act(card, what, body, key = what) {
  if (card.pending.has(key) || (card.busy && !["interrupt", "stop", "answer"].includes(what))) return false;
  card.pending.add(key);
  while (card.busy) await card.done;
  card.busy = true;
  card.done = perform(card, what, body).finally(() => card.pending.delete(key));
  return card.done;
}

async function perform(card, what, body) {
  card.root.setAttribute("aria-busy", "true");
  let fault = "";
  try {
    const answer = await ask(`v1/sessions/${encodeURIComponent(card.id)}/${what}`, body);
    if (!answer.ok) fault = (await answer.json()).error;
  } catch {
    fault = "The server did not answer; look before you try again.";
  }
  card.busy = false;
  card.root.removeAttribute("aria-busy");
  card.part.fault.textContent = plain(fault);
  card.part.fault.hidden = !fault;
  return !fault;
}

// `dialog` is the one whose button was pressed: another that came meanwhile is never answered.
const choose = (card, dialog, choice) =>
  act(card, "answer", { choice, asked: dialog }, `answer ${identity(dialog)}`);

async function reply(card) {
  const text = card.part.text.value;
  if (!text.trim()) return;
  const dialog = card.session.blocked; // as it was when this was written
  while (card.busy) await card.done;
  const sent = dialog ? await choose(card, dialog, text) : await act(card, "send", { text });
  if (sent) card.part.text.value = "";
}

function stop(card) {
  const dialog = element("stop");
  element("stopped").textContent = plain(card.session.name);
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue === "stop") act(card, "stop", {});
  };
  dialog.showModal();
}

function toggleScreen(card) {
  const { show, screen } = card.part;
  screen.hidden = !screen.hidden;
  show.setAttribute("aria-expanded", String(!screen.hidden));
  if (screen.hidden) card.unfollow?.();
  else card.unfollow = follow(screen, card.id, card.session.name);
}

function identity(dialog) {
  return JSON.stringify(dialog && [dialog.question, dialog.choices, dialog.subject]);
}

function showQuestion(card, dialog) {
  const { asks, subject, question, choices, reply: form, text } = card.part;
  asks.hidden = !dialog;
  form.hidden = Boolean(dialog && dialog.choices.length) || card.session.state === "exited";
  const hint = dialog ? "Answer" : "Write to";
  text.placeholder = dialog ? "Answer" : "Write to it";
  card.part.label.textContent = `${hint} ${plain(card.session.name)}`;
  // The pointer moves while it is answered: only another question makes other buttons.
  const asked = identity(dialog);
  if (asked === card.asked) return;
  card.asked = asked;
  subject.textContent = plain(dialog?.subject);
  subject.hidden = !dialog?.subject;
  question.textContent = plain(dialog?.question);
  choices.start = dialog?.first ?? 1;
  choices.replaceChildren(...(dialog?.choices ?? []).map((choice, index) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = plain(choice);
    button.className = choice === dialog.default ? "default" : "";
    button.addEventListener("click", () => choose(card, dialog, String((dialog.first ?? 1) + index)));
    row.append(button);
    return row;
  }));
}

function show(session) {
  let card = cards.get(session.session);
  if (!card) cards.set(session.session, (card = makeCard(session.session)));
  const { part } = card;
  card.session = session;
  const state = RANK.includes(session.state) ? session.state : "unknown";
  part.state.className = `state ${state}`;
  part.state.textContent = state;
  for (const name of ["name", "agent", "workspace", "title", "last_prompt", "last_words"]) {
    part[name].textContent = plain(session[name]);
  }
  const ended = session.exit_status === null ? "" : `exit code ${session.exit_status}`;
  const detail = session.blocked ? "" : session.message || session.detail;
  part.detail.textContent = state === "exited" ? ended : plain(detail);
  part.age.textContent = since(session.since);
  const name = plain(session.name);
  part.conversation.hidden = !session.conversation;
  part.conversation.href = `${base}conversations/${encodeURIComponent(session.conversation ?? "")}?page=last`;
  part.seen.hidden = state !== "done";
  part.interrupt.hidden = !["working", "blocked", "unknown"].includes(state);
  part.stop.hidden = part.show.hidden = state === "exited";
  for (const [field, word] of [["seen", "Seen"], ["interrupt", "Interrupt"], ["stop", "Stop"],
    ["show", "Screen"], ["conversation", "Conversation"]]) {
    part[field].setAttribute("aria-label", `${word}: ${name}`);
  }
  showQuestion(card, session.blocked);
}

function order() {
  const rank = (card) => RANK.indexOf(card.session.state);
  const sorted = [...cards.values()].sort(
    (a, b) => rank(a) - rank(b) || a.session.since.localeCompare(b.session.since));
  const place = element("sessions");
  const busy = place.contains(document.activeElement) ? document.activeElement : null;
  sorted.forEach((card, index) => {
    // Only what moved is moved, so that focus and selection stay where they are.
    if (place.children[index] !== card.root) place.insertBefore(card.root, place.children[index] ?? null);
  });
  if (busy && document.activeElement !== busy) busy.focus({ preventScroll: true });
  element("none").hidden = sorted.length > 0;
}

// A link of a conversation leads to its session's card, once, when the cards are there.
let wanted = location.hash.slice(1);
function showWanted() {
  const card = wanted && document.getElementById(wanted);
  if (!card) return;
  wanted = "";
  card.focus();
  card.scrollIntoView({ block: "nearest" });
}

function summarise(attention) {
  const parts = Object.entries(attention.counts).map(([state, count]) => `${count} ${state}`);
  element("counts").textContent = parts.join(" · ") || "No agent";
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
  if (name === "attention") { order(); summarise(value); showWanted(); }
}

async function listen() {
  const answer = await ask("v1/events");
  if (!answer.ok) throw new Error(answer.statusText);
  element("link").textContent = "Live";
  for (const card of cards.values()) card.unfollow?.();
  cards.clear();
  element("sessions").replaceChildren();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += value;
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    blocks.forEach(take);
  }
}

async function run() {
  for (let pause = 1; ; pause = Math.min(pause * 2, 10)) {
    try {
      await listen();
      pause = 0.5;
    } catch {
      // The server is away: the next turn tries again.
    }
    element("link").textContent = "Connection lost, trying again…";
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

const all = () => document.querySelectorAll("#sessions .card");
const chosen = () => cards.get(document.activeElement?.closest?.(".card")?.dataset.session);

function needy() {
  const list = [...all()].filter((root) => root.querySelector(".state.blocked, .state.error, .state.done"));
  const at = list.findIndex((root) => root.contains(document.activeElement));
  list[(at + 1) % list.length]?.focus();
}

const keys = {
  j: () => step(all(), 1),
  k: () => step(all(), -1),
  n: needy,
  r: () => chosen()?.part.text.focus(),
  s: () => chosen() && toggleScreen(chosen()),
};
for (let number = 1; number <= 9; number += 1) {
  keys[String(number)] = (event) => {
    // Only with the card itself chosen, and never twice by a key that is held.
    if (!event.target.matches(".card") || event.repeat) return false;
    chosen().part.choices.querySelectorAll("button")[number - chosen().part.choices.start]?.click();
    return true;
  };
}
onKeys(keys);
setInterval(() => {
  for (const card of cards.values()) card.part.age.textContent = since(card.session.since);
}, 1000);
run();
