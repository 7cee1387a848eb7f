/**
 * A MongoDB server of one collection, for the official driver: OP_MSG over TCP, SCRAM-SHA-256, `insert`, `find`
 * in batches, `getMore`, and an error for every other command. Its BSON is the driver's own package.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'

type Document = Record<string, unknown>
type Bson = {
  serialize(document: Document): Uint8Array
  deserialize(bytes: Uint8Array): Document
  calculateObjectSize(document: Document): number
  Binary: new (bytes: Uint8Array) => { readonly buffer: Uint8Array }
  Long: { fromNumber(value: number): unknown }
}

const OP_MSG = 2013
const OP_QUERY = 2004

export async function startFakeMongo(
  packages: string,
  user: string,
  password: string,
): Promise<{ port: number; stop(): Promise<unknown> }> {
  const bson: Bson = createRequire(join(packages, 'package.json'))('bson')
  const rows: Document[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    const answer = answersOf(bson, rows, scram(bson, user, password))
    let held = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      held = Buffer.concat([held, bytes])
      while (held.length >= 16 && held.length >= held.readInt32LE(0)) {
        const message = held.subarray(0, held.readInt32LE(0))
        held = held.subarray(message.length)
        socket.write(replyTo(bson, message, answer))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The first message of a connection may be an OP_QUERY; everything else is OP_MSG. */
function replyTo(bson: Bson, message: Buffer, answer: (command: Document) => Document): Buffer {
  const [id, code] = [message.readInt32LE(4), message.readInt32LE(12)]
  if (code === OP_QUERY) {
    const start = message.indexOf(0, 20) + 1 + 8
    const body = bson.serialize(answer(bson.deserialize(message.subarray(start))))
    const head = Buffer.alloc(20)
    head.writeInt32LE(8, 0)
    head.writeInt32LE(1, 16)
    return framed(id, 1, Buffer.concat([head, body]))
  }
  const body = bson.serialize(answer(commandOf(bson, message)))
  return framed(id, OP_MSG, Buffer.concat([Buffer.alloc(5), body]))
}

function framed(answers: number, code: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.writeInt32LE(16 + body.length, 0)
  head.writeInt32LE(answers, 8)
  head.writeInt32LE(code, 12)
  return Buffer.concat([head, body])
}

/** A document, and lists of documents in sections of their own. */
function commandOf(bson: Bson, message: Buffer): Document {
  const command: Document = {}
  for (let at = 20; at < message.length; ) {
    const isList = message[at] === 1
    const size = message.readInt32LE(at + 1)
    if (!isList) Object.assign(command, bson.deserialize(message.subarray(at + 1, at + 1 + size)))
    else {
      const end = message.indexOf(0, at + 5)
      const list: Document[] = []
      for (let next = end + 1; next < at + 1 + size; next += message.readInt32LE(next))
        list.push(bson.deserialize(message.subarray(next, next + message.readInt32LE(next))))
      command[message.toString('utf8', at + 5, end)] = list
    }
    at += 1 + size
  }
  return command
}

function answersOf(
  bson: Bson,
  rows: Document[],
  login: (command: Document) => Document,
): (command: Document) => Document {
  const cursor = (id: number, name: string, batch: readonly Document[]): Document => ({
    cursor: { id: bson.Long.fromNumber(id), ns: 'work.notes', [name]: batch },
    ok: 1,
  })
  return (command) => {
    switch (Object.keys(command)[0]?.toLowerCase()) {
      case 'hello':
      case 'ismaster':
        return { ...HELLO, ok: 1 }
      case 'saslstart':
      case 'saslcontinue':
        return login(command)
      case 'insert':
        if (Array.isArray(command.documents)) rows.push(...command.documents)
        return { n: rows.length, ok: 1 }
      case 'find':
        return cursor(7, 'firstBatch', rows.slice(0, 2))
      case 'getmore':
        return cursor(0, 'nextBatch', rows.slice(2))
      case 'ping':
      case 'endsessions':
        return { ok: 1 }
      default:
        return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: 'no such command' }
    }
  }
}

const HELLO: Document = {
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
  saslSupportedMechs: ['SCRAM-SHA-256'],
}

/** The server's side of SCRAM-SHA-256. */
function scram(bson: Bson, user: string, password: string): (command: Document) => Document {
  const salt = randomBytes(24)
  const salted = pbkdf2Sync(password, salt, 4096, 32, 'sha256')
  const sign = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const clientKey = sign(salted, 'Client Key')
  const storedKey = createHash('sha256').update(clientKey).digest()
  let first = ''
  let offer = ''
  const step = (text: string, done: boolean): Document => ({
    conversationId: 1,
    done,
    payload: new bson.Binary(Buffer.from(text)),
    ok: 1,
  })
  return ({ payload }) => {
    const text = payload instanceof bson.Binary ? Buffer.from(payload.buffer).toString('utf8') : ''
    if (text === '') return step('', true)
    if (text.startsWith('n,,')) {
      first = text.slice(3)
      offer = `r=${/r=(.*)/.exec(first)?.[1]}${randomBytes(18).toString('base64')},s=${salt.toString('base64')},i=4096`
      return first.startsWith(`n=${user},`) ? step(offer, false) : DENIED
    }
    const [, unsigned = '', proof = ''] = /^(.*),p=(.*)$/.exec(text) ?? []
    const signed = `${first},${offer},${unsigned}`
    const signature = sign(storedKey, signed)
    const key = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0))
    if (!clientKey.equals(key)) return DENIED
    return step(`v=${sign(sign(salted, 'Server Key'), signed).toString('base64')}`, true)
  }
}

const DENIED: Document = {
  ok: 0,
  code: 18,
  codeName: 'AuthenticationFailed',
  errmsg: 'Authentication failed.',
}
