// PostgreSQL as WebAssembly behind a socket on the loopback: `node pglite.mjs PACKAGE`, and the port is its first line.
// It has one session, so a client holds it from its first message to the end of its transaction. No COPY and no
// prepared statement outlives that. A login is `set session authorization`.
import net from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const dist = (name) => pathToFileURL(path.join(process.argv[2], 'dist', name)).href
const { PGlite } = await import(dist('index.js'))
const { timescaledb } = await import(dist('timescaledb/index.js'))
const { vector } = await import(dist('vector/index.js'))
const db = await PGlite.create({ extensions: { timescaledb, vector } })

const message = (letter, ...parts) => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const text = (...words) => Buffer.from(words.join('\0') + '\0')
const number = (value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value); return bytes }
const settings = {
  server_version: '17.5', server_encoding: 'UTF8', client_encoding: 'UTF8', integer_datetimes: 'on',
  standard_conforming_strings: 'on', DateStyle: 'ISO, MDY', TimeZone: 'UTC',
}
const hello = Buffer.concat([
  message('R', number(0)),
  ...Object.entries(settings).map((pair) => message('S', text(...pair))),
  message('K', number(1), number(1)),
  message('Z', Buffer.from('I')),
])

let owner = null
const waiting = []

async function turn(client) {
  while (client.messages.length) {
    if (client.fresh) { // no role of another client is left
      await db.exec(`reset session authorization; set session authorization "${client.user.replaceAll('"', '""')}"`)
      client.fresh = false
    }
    const answer = Buffer.from(await db.execProtocolRaw(client.messages.shift(), { syncToFs: false }))
    if (answer.length) client.socket.write(answer)
    client.idle = answer.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49])) // ReadyForQuery, idle
    if (client.idle && !client.messages.length) return true
  }
  return false
}

async function next() {
  if (owner) return
  while ((owner = waiting.shift())) {
    const client = owner
    try {
      if (!(await turn(client)) && !client.closed) return // within a transaction: more will come
      if (client.closed && !client.idle) await db.exec('rollback')
    } catch (error) {
      client.socket.destroy(error)
    }
    client.fresh = true
  }
}

function ready(client) {
  if (owner === client) { // it continues its transaction
    if (client.running) return
    client.running = true
    turn(client).then((over) => {
      client.running = false
      if (over || client.closed) { owner = null; client.fresh = true; return next() }
      if (client.messages.length) ready(client)
    }, (error) => { client.socket.destroy(error); owner = null; next() })
  } else if (!waiting.includes(client)) {
    waiting.push(client)
    next()
  }
}

net.createServer((socket) => {
  const client = { socket, messages: [], user: 'postgres', fresh: true, idle: true, closed: false, running: false }
  let data = Buffer.alloc(0)
  let begun = false
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('close', () => {
    client.closed = true
    if (owner === client && !client.running) db.exec('rollback').finally(() => { owner = null; next() })
  })
  socket.on('data', (chunk) => {
    data = Buffer.concat([data, chunk])
    for (;;) {
      const start = begun ? 1 : 0
      if (data.length < start + 4) break
      const size = start + data.readInt32BE(start)
      if (data.length < size) break
      const whole = data.subarray(0, size)
      data = data.subarray(size)
      if (begun && whole[0] === 0x58) { socket.end(); break } // Terminate
      if (begun) client.messages.push(Uint8Array.from(whole))
      else if ([80877103, 80877104].includes(whole.readInt32BE(4))) socket.write('N') // no encryption here
      else {
        const words = whole.subarray(8).toString().split('\0')
        client.user = words[words.indexOf('user') + 1]
        begun = true
        socket.write(hello)
      }
    }
    if (client.messages.length) ready(client)
  })
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
