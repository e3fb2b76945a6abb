// The list searches as one types; one conversation is found in, its matches highlighted.
import { element, onKeys, step } from "./page.js";

const PAUSE = 120; // milliseconds after the last key
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
