import { test, expect } from "@microsoft/tui-test";
import fs from "node:fs";

const python = process.env.TESTING_PYTHON ?? "python3";

async function exited(terminal: any) {
  for (let n = 0; n < 200 && terminal.exitResult === null; n++)
    await new Promise((done) => setTimeout(done, 50));
  expect(terminal.exitResult?.exitCode).toBe(0);
}

test.describe("vim", () => {
  test.use({ program: { file: "vim", args: ["-u", "NONE", "-N"] }, rows: 12, columns: 60 });
  test("vim", async ({ terminal }) => {
    await expect(terminal.getByText("~", { strict: false })).toBeVisible();
    terminal.write("ihello\rworld");
    terminal.keyEscape();
    await expect(terminal.getByText("world")).toBeVisible();
    await expect(terminal.getByText("INSERT")).not.toBeVisible();
    await expect(terminal).toMatchSnapshot({ includeColors: true });
    terminal.submit(":q!");
    await exited(terminal);
  });
});

test.describe("less", () => {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join("");
  fs.writeFileSync("/tmp/dejavu-lines.txt", lines);
  test.use({ program: { file: "less", args: ["/tmp/dejavu-lines.txt"] }, rows: 12, columns: 60 });
  test("less", async ({ terminal }) => {
    await expect(terminal.getByText("line 10")).toBeVisible();
    terminal.write(" ");
    await expect(terminal.getByText("line 21")).toBeVisible();
    await expect(terminal).toMatchSnapshot({ includeColors: true });
    terminal.write("q");
    await exited(terminal);
  });
});

test.describe("top", () => {
  test.use({ program: { file: "top" }, rows: 12, columns: 80 });
  test("top", async ({ terminal }) => {
    await expect(terminal.getByText("load average")).toBeVisible();
    await expect(terminal.getByText("PID USER")).toBeVisible();
    terminal.write("q");
    await exited(terminal);
  });
});

test.describe("menu", () => {
  test.use({ program: { file: python, args: ["menu.py"] }, rows: 8, columns: 30 });
  test("menu", async ({ terminal }) => {
    await expect(terminal.getByText("Apple")).toBeVisible();
    terminal.keyDown(2);
    await expect(terminal.getByText("Ñandú")).toBeVisible();
    await expect(terminal).toMatchSnapshot({ includeColors: true });
    terminal.submit("");
    await exited(terminal);
  });
});

test.describe("counter", () => {
  test.use({ program: { file: python, args: ["counter.py"] }, rows: 12, columns: 50 });
  test("counter", async ({ terminal }) => {
    await expect(terminal.getByText("0 clicks")).toBeVisible();
    terminal.submit("");
    await expect(terminal.getByText("1 clicks")).toBeVisible();
    await expect(terminal).toMatchSnapshot({ includeColors: true });
    terminal.keyPress("q", { ctrl: true });
    await exited(terminal);
  });
});
