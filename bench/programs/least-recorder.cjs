/**
 * The least that a recorder of connections does, to know what no recorder can save: `node -r` it.
 *
 * Bytes that arrive wait for a turn of their own, in the async context of their connection; one regular expression
 * searches them for six shapes of keys; one line of JSON is written before the tick ends. With LEAST_FRAMES, messages
 * are read out of the frames of a WebSocket. What it lacks: any other boundary, a replay, values known to be secret,
 * secrets in pieces or in another encoding, compression, errors, back-pressure, TLS, a seal.
 *
 * Decision 0600.
 */
const { AsyncResource } = require('node:async_hooks')
const fs = require('node:fs')
const net = require('node:net')

const SECRET =
  /sk-[A-Za-z0-9]{20}|ghp_[A-Za-z0-9]{30}|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10}|xox[abp]-|-----BEGIN/
const BUFFER_BYTES = 256 * 1024
const readsFrames = process.env.LEAST_FRAMES === '1'
const file = fs.openSync(process.env.LEAST_TAPE, 'w', 0o600)
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
const startMs = performance.now()
let filled = 0
let written = 0
let isScheduled = false
let seq = 0

function flush() {
  isScheduled = false
  written += fs.writeSync(file, buffer, written, filled - written)
  if (filled < BUFFER_BYTES / 2) return
  filled = 0
  written = 0
}

function record(of, direction, bytes) {
  const found = bytes.toString()
  const text = SECRET.test(found) ? '<redacted:key>' : found
  const ms = Math.trunc(performance.now() - startMs)
  const line = `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":${Date.now()},"monotonic_ms":${ms},"kind":{"kind":"stream_chunk","of":${of},"direction":"${direction}","data":{"text":${JSON.stringify(text)}}}}\n`
  seq += 1
  filled += buffer.write(line, filled)
  if (isScheduled) return
  isScheduled = true
  queueMicrotask(flush)
}

const waiting = []
function deliver() {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(deliver)
  next.resource.runInAsyncScope(next.receive, undefined, next.bytes)
}

/** Calls `each` with the payload of each frame, and the bytes of the frame. A frame comes in one piece here. */
function readFrames(bytes, each) {
  for (let at = 0; at < bytes.length; ) {
    const isMasked = (bytes[at + 1] & 0x80) !== 0
    let length = bytes[at + 1] & 0x7f
    let start = at + 2
    if (length === 126) {
      length = bytes.readUInt16BE(start)
      start += 2
    }
    if (isMasked) start += 4
    const payload = isMasked ? Buffer.allocUnsafe(length) : bytes.subarray(start, start + length)
    if (isMasked)
      for (let n = 0; n < length; n += 1) payload[n] = bytes[start + n] ^ bytes[start - 4 + (n & 3)]
    each(payload, bytes.subarray(at, start + length))
    at = start + length
  }
}

let connections = 0
function follow(socket) {
  connections += 1
  const of = connections
  const handle = socket._handle
  // Otherwise the parser of a server reads the handle itself.
  handle._consumed = true
  const resource = new AsyncResource('least')
  let hasHead = !readsFrames
  let hasSentHead = !readsFrames
  const arrive = (recorded, bytes) => {
    const receive = (given) => {
      record(of, 'in', recorded)
      socket.push(given)
    }
    waiting.push({ resource, bytes, receive })
    if (waiting.length === 1) setImmediate(deliver)
  }
  const { onread } = handle
  const { push } = socket
  handle.onread = function (memory) {
    if (memory === undefined) return Reflect.apply(onread, this, [memory])
    socket.push = (bytes) => {
      if (!hasHead || !readsFrames) {
        hasHead = true
        arrive(bytes, bytes)
      } else readFrames(bytes, arrive)
      return true
    }
    try {
      return Reflect.apply(onread, this, [memory])
    } finally {
      socket.push = push
    }
  }
  for (const name of ['writev', 'writeBuffer', 'writeLatin1String', 'writeUtf8String']) {
    const write = handle[name]
    handle[name] = function (request, data, areBuffers) {
      if (!hasSentHead) hasSentHead = true
      else if (!readsFrames) record(of, 'out', bytesOf(data, areBuffers))
      else readFrames(bytesOf(data, areBuffers), (payload) => record(of, 'out', payload))
      return Reflect.apply(write, this, [request, data, areBuffers])
    }
  }
}

function bytesOf(data, areBuffers) {
  if (typeof data === 'string') return Buffer.from(data)
  if (!Array.isArray(data)) return data
  if (areBuffers) return Buffer.concat(data)
  const parts = []
  for (let at = 0; at < data.length; at += 2)
    parts.push(typeof data[at] === 'string' ? Buffer.from(data[at], data[at + 1]) : data[at])
  return Buffer.concat(parts)
}

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  this.once('connect', () => follow(this))
  return Reflect.apply(connect, this, args)
}
const { emit } = net.Server.prototype
net.Server.prototype.emit = function (name, ...args) {
  if (name === 'connection') follow(args[0])
  return Reflect.apply(emit, this, [name, ...args])
}
