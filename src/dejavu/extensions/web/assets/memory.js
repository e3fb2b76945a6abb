// What memory found: j and k through it, c and x (or the buttons) say whether an answer is right.
import { ask, element, onKeys, plain, step } from "./page.js";

const links = () => document.querySelectorAll("#results .hits > li");

async function judge(row, right) {
  const said = row.querySelector("output");
  const answer = await ask("v1/memory/verdict", { id: row.dataset.id, right });
  const found = await answer.json();
  if (!answer.ok) said.textContent = plain(found.error);
  else if (found.confidence !== null) said.textContent = `confidence ${found.confidence}`;
  else said.textContent = `marked as ${right ? "right" : "wrong"}`;
  if (!answer.ok) return;
  for (const button of row.querySelectorAll("button")) {
    button.ariaPressed = String(button.dataset.right === String(right));
  }
}

function judgeHere(right) {
  const row = document.activeElement.closest(".hit")?.querySelector("[data-id]");
  if (!row) return false;
  judge(row, right);
  return true;
}

for (const item of links()) item.tabIndex = -1;
for (const row of document.querySelectorAll("[data-id]")) {
  row.hidden = false;
  for (const button of row.querySelectorAll("button")) {
    button.onclick = () => judge(row, button.dataset.right === "true");
  }
}
onKeys({
  "/": () => element("search").focus(),
  j: () => step(links(), 1),
  k: () => step(links(), -1),
  c: () => judgeHere(true),
  x: () => judgeHere(false),
  Enter: () => {
    if (!document.activeElement.matches(".hit")) return false;
    document.activeElement.querySelector("a")?.click();
    return true;
  },
});
