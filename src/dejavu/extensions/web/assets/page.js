// What every view shares: requests, keys, and the one filter before any text of an agent is shown.
export const base = document.documentElement.dataset.base;
export const element = (id) => document.getElementById(id);

// The filter before any text of an agent is shown, with the results of redact/sanitise.py: controls
// and escape sequences go with their payload, characters that nobody sees become <U+202E>, and what
// spells an emoji or joins letters of the scripts that need it stays.
const STRING = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x18\x1a\x1b\x80-\x9f]*(?=[\x07\x18\x1a\x1b\x80-\x9f])(?:\x1b\\|[\x07\x18\x1a\x9c])?|[^\n\x07\x18\x1a\x1b\x80-\x9f]*)`;
const SEQUENCE = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -\/]*[@-~]?|\x1b(?:[ -\/]+[0-~]?|[0-~])?|[\x00-\x08\x0b-\x1f\x7f-\x9f]`;
const PICTURE = String.raw`\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|[\u{1f3fb}-\u{1f3ff}])?`;
const JOINING = String.raw`\u0600-\u06ff\u0750-\u07bf\u08a0-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u1878`;
const KEPT = String.raw`${PICTURE}(?:\u200d${PICTURE})*|[0-9#*]\ufe0f\u20e3?|(?<=[${JOINING}])[\u200c\u200d](?=[${JOINING}])|(?<=[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}])[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`;
const HIDDEN = String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`;
const SCAN = new RegExp(`(?<drop>${STRING}|${SEQUENCE})|(?<keep>${KEPT})|${HIDDEN}`, "gu");

export function plain(text) {
  return String(text ?? "").replace(SCAN, (found, ...rest) => {
    const { drop, keep } = rest.at(-1);
    if (drop !== undefined) return "";
    return keep ?? `<U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

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

