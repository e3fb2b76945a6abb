// One order a line on stdin {file, columns, lines, chunk, history}; one answer a line: {cpu} seconds.
const fs = require('fs');
const { Terminal } = require('@xterm/headless');
let unicode11 = null;
try { unicode11 = require('@xterm/addon-unicode11').Unicode11Addon; } catch { /* widths of Unicode 6 then */ }

async function run(order) {
  const data = fs.readFileSync(order.file);
  const terminal = new Terminal({
    cols: order.columns, rows: order.lines, scrollback: order.history, allowProposedApi: true, logLevel: 'off',
  });
  if (unicode11) { terminal.loadAddon(new unicode11()); terminal.unicode.activeVersion = '11'; }
  const start = process.cpuUsage();
  for (let at = 0; at < data.length; at += order.chunk) terminal.write(data.subarray(at, at + order.chunk));
  await new Promise(done => terminal.write('', done));
  const used = process.cpuUsage(start);
  terminal.dispose();
  return { cpu: (used.user + used.system) / 1e6 };
}

let chain = Promise.resolve();
process.stdout.write(JSON.stringify({ ready: true }) + '\n');
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  chain = chain.then(async () => process.stdout.write(JSON.stringify(await run(JSON.parse(line))) + '\n'));
});
