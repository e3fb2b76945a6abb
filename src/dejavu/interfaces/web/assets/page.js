// What every view shares: requests, keys, and the one filter before any text of an agent is shown.
export const base = document.documentElement.dataset.base;
export const element = (id) => document.getElementById(id);

// Controls, bidi marks and invisible characters: what an agent prints may hold any.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export const plain = (text) => String(text ?? "").replace(HIDDEN, "");

export async function ask(path, body) {
  const options = { cache: "no-store" };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(base + path, options);
  if (answer.status === 401) location.assign("/"); // the server is another one by now
  return answer;
}

const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

// `keys` maps a key to what it does; a key that is typed into a field is nobody's.
export function onKeys(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = event.key === "?" ? () => element("help").showModal() : keys[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}

// Moves the focus among `items` by one; from outside of them to the first (or the last).
export function step(items, by) {
  const list = [...items];
  const at = list.findIndex((item) => item.contains(document.activeElement));
  const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

