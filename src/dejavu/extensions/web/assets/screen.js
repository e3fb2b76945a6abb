// A session's screen as styled spans: texts and classes, colours by properties, contrast kept.
import { ask, plain } from "./page.js";

const PALETTE = ["#2e3436", "#ef6b6b", "#8ad15a", "#e5c355", "#7aa7f0", "#c99ae0", "#4fc4c4",
  "#d8d8d2", "#8a8d88", "#ff8f8f", "#a8ea7c", "#ffe27a", "#9cc1ff", "#e0b8f5", "#7fe3e3", "#ffffff"];
const INK = "#d8d8d2";
const PAPER = "#16181b";
const ENOUGH = 4.5; // WCAG 2.2 AA for text
const INTERVAL = 500; // milliseconds

function hex(color, standard) {
  if (typeof color === "string") return /^#[0-9a-f]{6}$/i.test(color) ? color : standard;
  if (!Number.isInteger(color) || color < 0 || color > 255) return standard;
  if (color < 16) return PALETTE[color];
  const level = (n) => (n ? 55 + 40 * n : 0);
  const cube = color - 16;
  const parts = color > 231 ? Array(3).fill(8 + 10 * (color - 232))
    : [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

function luminance(color) {
  const [red, green, blue] = channels(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// The foreground, moved towards white or black as far as it takes to be read.
export function legible(fg, bg) {
  if (contrast(fg, bg) >= ENOUGH) return fg;
  const goal = contrast("#ffffff", bg) > contrast("#000000", bg) ? 255 : 0;
  for (let share = 0.1; share <= 1.001; share += 0.1) {
    const mixed = channels(fg).map((part) => Math.round(part + (goal - part) * share));
    const color = `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    if (contrast(color, bg) >= ENOUGH) return color;
  }
  return goal ? "#ffffff" : "#000000";
}

export function paint(span) {
  const child = document.createElement("span");
  child.textContent = plain(span.text);
  let [fg, bg] = [hex(span.fg, INK), hex(span.bg, PAPER)];
  if (span.inverse) [fg, bg] = [bg, fg];
  if (span.fg !== undefined || span.bg !== undefined || span.inverse) {
    child.style.color = legible(fg, bg);
    if (bg !== PAPER) child.style.backgroundColor = bg;
  }
  for (const name of ["bold", "dim", "italic", "underline", "strike", "invisible"]) {
    if (span[name]) child.classList.add(name);
  }
  return child;
}

// Polls while `place` is shown and the window is looked at; the picture is replaced when it changed.
export function follow(place, session, name) {
  const picture = document.createElement("pre");
  picture.className = "screen";
  picture.tabIndex = 0;
  picture.setAttribute("aria-label", `Screen of ${plain(name)}`);
  place.replaceChildren(picture);
  let last = "";
  let timer = 0;
  async function look() {
    if (document.visibilityState === "visible" && place.offsetParent !== null) {
      try {
        const answer = await ask(`v1/sessions/${encodeURIComponent(session)}/screen?styles=true`);
        const screen = await answer.json();
        const text = JSON.stringify(screen.spans ?? screen.error);
        if (text !== last) {
          last = text;
          const rows = screen.spans ?? [[{ text: screen.error }]];
          picture.replaceChildren(...rows.flatMap((row) => [...row.map(paint), "\n"]));
        }
      } catch {
        // The server is away: the page says so elsewhere.
      }
    }
    timer = setTimeout(look, INTERVAL);
  }
  look();
  return () => clearTimeout(timer);
}
