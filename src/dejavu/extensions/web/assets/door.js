// Exchanges the token (or the code of `serve --open`) behind the # for the page's cookie.
const element = (id) => document.getElementById(id);
let page = "";  // the one that was asked for

async function enter(key) {
  const answer = await fetch("/login", {
    method: "POST", headers: { Authorization: `Bearer ${key}` }, cache: "no-store",
  });
  if (!answer.ok) return false;
  const { base } = await answer.json();
  // Below the base whatever it says, so it cannot lead to another site.
  location.replace(base + page.replace(/^[/\\]+/, ""));
  return true;
}

function ask(sentence) {
  sessionStorage.removeItem("token");
  element("link").textContent = sentence;
  element("ask").hidden = false;
  element("token").focus();
}

async function run() {
  const given = new URLSearchParams(location.hash.slice(1));
  page = given.get("page") ?? page;
  history.replaceState(null, "", "/");
  if (given.get("token")) sessionStorage.setItem("token", given.get("token"));
  const key = given.get("code") ?? sessionStorage.getItem("token");
  try {
    if (key && (await enter(key))) return;
  } catch {
    element("link").textContent = "No answer yet, trying again…";
    setTimeout(run, 1000);
    return;
  }
  ask(key ? "This key is not valid (any more)." : "Not connected");
}

element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = element("token").value.trim();
  sessionStorage.setItem("token", token);
  enter(token).then((entered) => entered || ask("This token is not the server's."));
});
run();
