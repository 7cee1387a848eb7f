/**
 * Uploads that are made while they are sent. Each writes its first part, asks over another connection until
 * the server has seen it, and only then writes its last one: a client or a recorder that waits for the whole
 * body never gets that far. Says for each what the server had seen when.
 */
import http from 'node:http'
import { PassThrough, Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { pipeline, request, stream } from 'undici'

const { BASE } = process.env
const say = (...words) => console.log(words.join(' '))

async function isSeen(name) {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await (await fetch(`${BASE}/seen?${name}`)).text()) === 'first part')
      return 'seen before the last part was written'
    await wait(10)
  }
  return 'not seen before the last part was written'
}

async function* parts(name) {
  yield Buffer.from('first part')
  const seen = await isSeen(name)
  yield Buffer.from(`, ${seen}`)
}

const text = async (readable) => {
  let all = ''
  for await (const part of readable) all += part
  return all
}

const url = (name) => `${BASE}/upload?${name}`
const clients = {
  async fetch(name) {
    const body = ReadableStream.from(parts(name))
    return (await fetch(url(name), { method: 'POST', body, duplex: 'half' })).text()
  },
  async 'undici.request'(name) {
    const { body } = await request(url(name), { method: 'POST', body: Readable.from(parts(name)) })
    return body.text()
  },
  async 'undici.stream'(name) {
    let all = ''
    const write = (part, _encoding, done) => {
      all += part
      done()
    }
    const sink = () => new Writable({ write })
    await stream(url(name), { method: 'POST', body: Readable.from(parts(name)) }, sink)
    return all
  },
  'undici.pipeline': (name) =>
    text(Readable.from(parts(name)).pipe(pipeline(url(name), { method: 'POST' }, ({ body }) => body))),
  'http.request': (name) =>
    new Promise((resolve, reject) => {
      const sent = http.request(url(name), { method: 'POST' }, (answer) => resolve(text(answer)))
      sent.on('error', reject)
      Readable.from(parts(name)).pipe(sent)
    }),
  async 'an answer before the end'(name) {
    const body = new PassThrough()
    body.write('first part')
    const answer = await request(`${BASE}/early?${name}`, { method: 'POST', body })
    const early = await new Promise((resolve) => answer.body.once('data', (part) => resolve(String(part))))
    body.end(', the rest')
    return early + (await text(answer.body))
  },
  async 'a source that fails'(name) {
    async function* failing() {
      yield 'first part'
      await isSeen(name)
      throw new Error('no more')
    }
    return fetch(url(name), { method: 'POST', body: ReadableStream.from(failing()), duplex: 'half' }).then(
      () => 'answered',
      (error) => `${error.name}: ${error.cause?.message ?? error.message}`,
    )
  },
}

for (const [name, client] of Object.entries(clients)) say(`${name}:`, await client(encodeURIComponent(name)))
