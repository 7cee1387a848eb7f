/** A name server on loopback: answers a few names with records of each type, and every other name with NXDOMAIN. */
import dgram from 'node:dgram'

const TYPES: Readonly<Record<number, () => Buffer>> = {
  1: () => Buffer.from([10, 0, 0, 7]),
  2: () => nameBytes('ns.example.test'),
  5: () => nameBytes('alias.example.test'),
  6: () =>
    Buffer.concat([nameBytes('ns.example.test'), nameBytes('admin.example.test'), numbers(1, 2, 3, 4, 5)]),
  12: () => nameBytes('back.example.test'),
  15: () => Buffer.concat([short(10), nameBytes('mail.example.test')]),
  16: () => Buffer.concat([text('v=one'), text('two')]),
  28: () => Buffer.from('fd000000000000000000000000000007', 'hex'),
  33: () => Buffer.concat([short(1), short(2), short(5060), nameBytes('sip.example.test')]),
  35: () =>
    Buffer.concat([short(1), short(2), text('s'), text('SIP+D2U'), text(''), nameBytes('sip.example.test')]),
  52: () => Buffer.from([3, 1, 1, 0xde, 0xad, 0xbe, 0xef]),
  257: () => Buffer.concat([Buffer.from([0]), text('issue'), Buffer.from('ca.example.test')]),
}

export type NameServer = { readonly address: string; questions: number; stop(): Promise<void> }

export async function startNameServer(): Promise<NameServer> {
  const socket = dgram.createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const server = {
    address: `127.0.0.1:${socket.address().port}`,
    questions: 0,
    stop: () => new Promise<void>((resolve) => socket.close(resolve)),
  }
  socket.on('message', (question, { port, address }) => {
    server.questions += 1
    socket.send(answerTo(question), port, address)
  })
  return server
}

function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 1
  const asked = question.subarray(12, end + 4)
  const type = question.readUInt16BE(end)
  const isKnown = asked.includes('example') || asked.includes('arpa')
  const data = isKnown ? TYPES[type]?.() : undefined
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data === undefined ? 0 : 1, 6)
  if (data === undefined) return Buffer.concat([head, asked])
  const record = Buffer.concat([short(0xc00c), short(type), short(1), numbers(300), short(data.length), data])
  return Buffer.concat([head, asked, record])
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([...name.split('.').map(text), Buffer.from([0])])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
}

function short(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

function numbers(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from([0, 0, value >> 8, value & 0xff])))
}
