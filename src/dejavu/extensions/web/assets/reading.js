// Views that are only read: the keys of every view, j and k through what can be opened or scrolled.
import { onKeys, step } from "./page.js";

const items = () => document.querySelectorAll("main summary, main .scroll, main .findings > li");
for (const item of document.querySelectorAll("main .findings > li")) item.tabIndex = -1;
onKeys({ j: () => step(items(), 1), k: () => step(items(), -1) });
