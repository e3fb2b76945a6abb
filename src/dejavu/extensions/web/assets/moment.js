// A moment of a conversation: the slider loads the page of the turn it is left at.
import { onKeys } from "./page.js";

const slider = document.getElementById("turn");
const label = slider.labels[0];
slider.addEventListener("input", () => { label.textContent = `Turn ${slider.value} of ${slider.max}`; });
slider.addEventListener("change", () => slider.form.requestSubmit());
const step = (by) => { slider.value = Number(slider.value) + by; slider.form.requestSubmit(); };
onKeys({ h: () => step(-1), l: () => step(1) });
