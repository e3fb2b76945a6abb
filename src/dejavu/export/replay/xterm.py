"""xterm.js as a terminal to compare with: @xterm/headless in a node process of ours.

Requests and answers are lines of JSON. The package is looked for where TERMINAL_NODE points, then in
~/.cache/terminal-node; widths are those of Unicode 11 where its addon is installed next to it.
"""

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any

from dejavu.model import CaptureError

_PATIENCE = 30.0  # seconds for one answer
_PACKAGES = "@xterm/headless@6 @xterm/addon-unicode11@0.9"
# Written here and not in a file, so that every way of installing this package brings it along.
_SCRIPT = r"""
const { Terminal } = require('@xterm/headless');
let unicode = null;
try { unicode = require('@xterm/addon-unicode11').Unicode11Addon; } catch { }
let terminal = null;
const orders = {
  open: ([cols, rows]) => {
    terminal = new Terminal(
      { cols, rows, scrollback: 10000, allowProposedApi: true, logLevel: 'off' });
    if (unicode) { terminal.loadAddon(new unicode()); terminal.unicode.activeVersion = '11'; }
    return {};
  },
  feed: data => new Promise(done => terminal.write(Buffer.from(data, 'base64'), () => done({}))),
  resize: ([cols, rows]) => { terminal.resize(cols, rows); return {}; },
  read: () => {
    const buffer = terminal.buffer.active, rows = [];
    for (let row = 0; row < terminal.rows; row++)
      rows.push(buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '');
    return { rows, cursor: [buffer.cursorY, Math.min(buffer.cursorX, terminal.cols - 1)] };
  },
};
let chain = Promise.resolve();
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  const [name, value] = JSON.parse(line);
  chain = chain.then(async () =>
    process.stdout.write(JSON.stringify(await orders[name](value)) + '\n'));
});
"""


def installed() -> Path | None:
    """The folder of node modules that holds @xterm/headless."""
    places = [os.environ.get("TERMINAL_NODE"), Path.home() / ".cache" / "terminal-node"]
    for folder in places:
        if folder and (Path(folder) / "node_modules" / "@xterm" / "headless").is_dir():
            return Path(folder) / "node_modules"
    return None


class Xterm:
    """A terminal of `columns` by `lines`."""

    name = "xterm.js"

    def __init__(self, columns: int, lines: int) -> None:
        modules, node = installed(), shutil.which("node")
        if modules is None or node is None:
            missing = "node" if node is None else "@xterm/headless"
            raise CaptureError(
                f"{missing} is missing; install node, then: "
                f"npm install --prefix ~/.cache/terminal-node {_PACKAGES} "
                "(or let TERMINAL_NODE name the folder that holds its node_modules)"
            )
        process = subprocess.Popen(
            [node, "-e", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", os.defpath), "NODE_PATH": str(modules)},
        )
        assert process.stdin  # noqa: S101 - both are pipes of ours
        assert process.stdout  # noqa: S101 - for the type checker
        self._node = process
        self._orders, self._answers = process.stdin, process.stdout
        try:
            self._order("open", [columns, lines])
        except BaseException:
            self.close()
            raise

    def _order(self, name: str, value: object = None) -> dict[str, Any]:
        """One order, one answer."""
        try:
            self._orders.write(json.dumps([name, value]).encode() + b"\n")
            self._orders.flush()
        except BrokenPipeError:
            raise CaptureError("xterm.js ended before its time") from None
        if not select.select([self._answers], [], [], _PATIENCE)[0]:
            raise CaptureError("xterm.js did not answer in time")
        answer = self._answers.readline()
        if not answer:
            raise CaptureError("xterm.js ended before its time")
        return dict(json.loads(answer))

    def feed(self, data: bytes) -> None:
        """Bytes for the terminal."""
        self._order("feed", base64.b64encode(data).decode())

    def resize(self, columns: int, lines: int) -> None:
        """Another size."""
        self._order("resize", [columns, lines])

    def read(self) -> tuple[list[str], tuple[int, int]]:
        """The rows without trailing blanks, and the cursor's row and column."""
        shown = self._order("read")
        row, column = shown["cursor"]
        return [str(text).rstrip() for text in shown["rows"]], (int(row), int(column))

    def close(self) -> None:
        """End the process."""
        self._node.kill()
        self._node.communicate()
