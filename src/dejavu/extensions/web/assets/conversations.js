// The list searches as one types; one conversation is found in, its matches highlighted.
import { ask as request, base, element, onKeys, plain, step } from "./page.js";

const PAUSE = 120; // milliseconds after the last key
const FILES = 8; // that a question names
const MOST = 2000; // highlighted matches
const search = element("search");
const results = element("results");
let ranges = [];
let at = -1;
let asked = 0;

async function ask(form) {
  asked += 1;
  const number = asked;
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  const address = `${form.getAttribute("action")}?${query}`;
  const answer = await fetch(address, { cache: "no-store" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById("results");
  if (number !== asked || !found) return; // an older answer, or a date that is half typed
  results.replaceChildren(...document.adoptNode(found).childNodes);
  history.replaceState(null, "", address);
}

function find(text) {
  ranges = [];
  at = -1;
  const words = text.toLowerCase();
  const walker = document.createTreeWalker(element("main"), NodeFilter.SHOW_TEXT);
  while (words && walker.nextNode() && ranges.length < MOST) {
    const node = walker.currentNode;
    if (node.parentElement.closest(".find")) continue;
    const content = node.data.toLowerCase();
    if (content.length !== node.data.length) continue; // positions would differ
    for (let start = content.indexOf(words); start >= 0; start = content.indexOf(words, start + words.length)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, start + words.length);
      ranges.push(range);
    }
  }
  globalThis.CSS.highlights?.set("find", new Highlight(...ranges));
  globalThis.CSS.highlights?.delete("found");
  element("found").textContent = words ? `${ranges.length} found` : "";
}

function go(by) {
  if (!ranges.length) return;
  at = (at + by + ranges.length) % ranges.length;
  const range = ranges[at];
  for (let up = range.startContainer.parentElement; up; up = up.parentElement) {
    if (up.tagName === "DETAILS") up.open = true;
  }
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  globalThis.CSS.highlights?.set("found", new Highlight(range));
  element("found").textContent = `${at + 1} of ${ranges.length}`;
}

// Star, tags and title: the server changes them, and the page is read again with what it kept.
async function mark(change) {
  const name = encodeURIComponent(element("marks").dataset.conversation);
  const answer = await request(`v1/conversations/${name}/marks`, change);
  if (answer.ok) location.reload();
  else element("said").textContent = plain((await answer.json()).error);
}

// Resume: the server says what it would start and put back, and does it after a yes.
async function resume() {
  const path = `v1/conversations/${encodeURIComponent(element("marks").dataset.conversation)}/resume`;
  const said = element("said");
  said.textContent = "Looking…";
  const answer = await request(path);
  const found = await answer.json();
  said.textContent = answer.ok ? "" : plain(found.error);
  if (!answer.ok) return;
  const files = found.restores;
  const lost = files.length ? `\n\nPut back first:\n${files.slice(0, FILES).map(plain).join("\n")}` : "";
  const more = files.length > FILES ? `\nand ${files.length - FILES} more` : "";
  const place = `${plain(found.command.join(" "))}\nin ${plain(found.folder)}`;
  if (!confirm(`Start a detached session?\n\n${place}${lost}${more}`)) return;
  said.textContent = "Starting…";
  const started = await request(path, { restores: files.length });
  const session = await started.json();
  if (started.ok) location.assign(`${base}#s-${session.id}`);
  else said.textContent = plain(session.error);
}

function offerMarks() {
  const row = element("marks");
  row.hidden = false;
  const star = element("star");
  star.onclick = () => mark({ starred: star.ariaPressed !== "true" });
  element("tag").onclick = () => {
    const name = prompt("Tag");
    if (name) mark({ add: name.split(/[\s,]+/).filter(Boolean) });
  };
  element("rename").onclick = () => {
    const title = prompt("Title (empty: the agent's own)", document.querySelector("h1").textContent);
    if (title !== null) mark({ title });
  };
  element("resume").onclick = resume;
  keys.R = resume;
  for (const button of row.querySelectorAll("[data-tag]")) {
    button.onclick = () => mark({ remove: [button.dataset.tag] });
  }
}

const keys = { "/": () => search.focus() };
if (results) {
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask(search.form), PAUSE);
  });
  keys.j = () => step(results.querySelectorAll("a"), 1);
  keys.k = () => step(results.querySelectorAll("a"), -1);
} else {
  if (element("marks")) offerMarks();
  for (const article of document.querySelectorAll("main article")) article.tabIndex = -1;
  element("find").hidden = false;
  search.addEventListener("input", () => find(search.value));
  element("find").addEventListener("submit", (event) => {
    event.preventDefault();
    go(1);
  });
  keys.j = () => step(document.querySelectorAll("main article"), 1);
  keys.k = () => step(document.querySelectorAll("main article"), -1);
  keys.n = () => go(1);
  keys.N = () => go(-1);
}
onKeys(keys);
