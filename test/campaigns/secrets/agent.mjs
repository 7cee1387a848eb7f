/** The recorded program of the campaign `secrets`: sends the message of each cell through its channel. */
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { messageIn } from './cells.mjs'

const node = process.execPath
const CHUNKS = 3

/** Cut in pieces of about the same length. */
function pieces(text, count = CHUNKS) {
  const size = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size)).filter(
    (piece) => piece !== '',
  )
}

const IN_NODE = {
  ignore: '0',
  swallow: 'process.stdin.resume()',
  echo: 'process.stdin.pipe(process.stdout)',
  complain: 'process.stdin.pipe(process.stderr)',
}
const IN_SHELL = { ignore: ':', swallow: 'cat >/dev/null', echo: 'cat', complain: 'cat >&2' }

/** Every fourth child is a Node process with a tape of its own, which takes most of the time of the campaign. */
function childOf(id, what, args = []) {
  return id % 4 === 0 ? [node, ['-e', IN_NODE[what], ...args]] : ['sh', ['-c', IN_SHELL[what], 'sh', ...args]]
}

const escaped = (char) => encodeURIComponent(char)
/** A name has at most 255 bytes, and half of a secret is none: a long one is left out. */
const safeName = (text) => (text.length > 140 ? 'long' : text.replace(/[/\0\n]/g, escaped))
const headerSafe = (text) => text.replace(/[^\x20-\x7e]/gu, escaped)
const ended = (child) => new Promise((resolve) => child.on('close', resolve))

async function answer(context, how) {
  const response = await fetch(`${context.url}/${how}?cell=${context.id}`)
  return response.text()
}

function request(context, options, parts) {
  return new Promise((resolve, reject) => {
    const sent = http.request(`${context.url}/sink`, { method: 'POST', ...options }, (response) => {
      response.resume()
      response.on('end', resolve)
    })
    sent.on('error', reject)
    for (const part of parts) sent.write(part)
    sent.end()
  })
}

const post = (context, body, headers = {}, path = '/sink') =>
  fetch(`${context.url}${path}`, { method: 'POST', body, headers }).then((response) => response.text())

/** Each gets the message, and a context: the address of the server, a folder, the number of the cell. */
export const channels = {
  // Output.
  'console.log': (text) => console.log(`value: ${text} end`),
  'console.error': (text) => console.error(`value: ${text} end`),
  'stdout in pieces': (text) => pieces(text).forEach((piece) => void process.stdout.write(piece)),
  'console.table': (text) => console.table([{ value: text }]),
  'console.log of an object': (text) => console.log({ nested: { value: text } }),
  // Files.
  writeFileSync: (text, { folder, id }) => fs.writeFileSync(join(folder, `out-${id}.txt`), `a ${text} b\n`),
  'writeFile, promises': (text, { folder, id }) =>
    fs.promises.writeFile(join(folder, `out-${id}.txt`), `a ${text} b\n`),
  'writeFile, callback': (text, { folder, id }) =>
    new Promise((resolve, reject) =>
      fs.writeFile(join(folder, `out-${id}.txt`), text, (error) => (error ? reject(error) : resolve())),
    ),
  'JSON file': (text, { folder, id }) =>
    fs.writeFileSync(join(folder, `out-${id}.json`), JSON.stringify({ note: text })),
  appendFileSync: (text, { folder, id }) => fs.appendFileSync(join(folder, `out-${id}.txt`), `a ${text} b\n`),
  'write stream': (text, { folder, id }) =>
    new Promise((resolve) => {
      const stream = fs.createWriteStream(join(folder, `out-${id}.txt`))
      for (const piece of pieces(text)) stream.write(piece)
      stream.end(resolve)
    }),
  'writeSync in pieces': (text, { folder, id }) => {
    const descriptor = fs.openSync(join(folder, `out-${id}.txt`), 'w')
    for (const piece of pieces(text)) fs.writeSync(descriptor, piece)
    fs.closeSync(descriptor)
  },
  'file handle': async (text, { folder, id }) => {
    const handle = await fs.promises.open(join(folder, `out-${id}.txt`), 'w')
    await handle.write(`a ${text} b`)
    await handle.close()
  },
  readFileSync: (_text, { folder, id }) => fs.readFileSync(join(folder, `in-${id}.txt`), 'utf8').length,
  'readFile, promises': (_text, { folder, id }) => fs.promises.readFile(join(folder, `in-${id}.txt`)),
  'read stream': async (_text, { folder, id }) => {
    for await (const _chunk of fs.createReadStream(join(folder, `in-${id}.txt`), { highWaterMark: 24 }))
      void _chunk
  },
  'readSync in pieces': (_text, { folder, id }) => {
    const descriptor = fs.openSync(join(folder, `in-${id}.txt`), 'r')
    const buffer = Buffer.alloc(16)
    while (fs.readSync(descriptor, buffer) > 0);
    fs.closeSync(descriptor)
  },
  'file name': (text, { folder, id }) => fs.writeFileSync(join(folder, `out-${id}-${safeName(text)}`), 'x'),
  'folder name': (text, { folder, id }) => fs.mkdirSync(join(folder, `dir-${id}-${safeName(text)}`)),
  mkdtemp: (text, { folder, id }) => fs.mkdtempSync(join(folder, `tmp-${id}-${safeName(text)}_`)),
  'missing file': (text, { folder }) => fs.existsSync(join(folder, safeName(text))),
  'error of a missing file': (text, { folder }) => {
    try {
      fs.readFileSync(join(folder, 'none', safeName(text)))
    } catch (error) {
      console.log(error.message)
    }
  },
  symlink: (text, { folder, id }) => fs.symlinkSync(safeName(text), join(folder, `link-${id}`)),
  rename: (text, { folder, id }) => {
    fs.writeFileSync(join(folder, `out-${id}`), 'x')
    fs.renameSync(join(folder, `out-${id}`), join(folder, `moved-${id}-${safeName(text)}`))
  },
  readdir: (_text, { folder, id }) => fs.readdirSync(join(folder, `names-${id}`)).length,
  // Requests.
  'JSON body': (text, context) =>
    post(context, JSON.stringify({ note: text }), { 'content-type': 'application/json' }),
  'JSON in a JSON body': (text, context) =>
    post(context, JSON.stringify({ arguments: JSON.stringify({ note: text }) }), {
      'content-type': 'application/json',
    }),
  'text body': (text, context) => post(context, `a ${text} b`, { 'content-type': 'text/plain' }),
  'form body': (text, context) => post(context, new URLSearchParams({ q: text, other: '1' })),
  'name of a file in a multipart body': (text, context) => {
    const form = new FormData()
    form.set('file', new Blob(['content']), text)
    return post(context, form)
  },
  'multipart body': (text, context) => {
    const form = new FormData()
    form.set('field', text)
    return post(context, form)
  },
  'binary body': (text, context) =>
    post(context, Buffer.concat([Buffer.from([0, 255, 7]), Buffer.from(text), Buffer.from([200])])),
  'body in pieces': (text, context) =>
    request(context, { headers: { 'content-type': 'text/plain' } }, pieces(text)),
  'x-api-key': (text, context) => post(context, 'x', { 'x-api-key': headerSafe(text) }),
  authorization: (text, context) => post(context, 'x', { authorization: `Bearer ${headerSafe(text)}` }),
  'cookie header': (text, context) => post(context, 'x', { cookie: `session=${headerSafe(text)}` }),
  'a plain header': (text, context) => post(context, 'x', { 'x-note': `see ${headerSafe(text)}` }),
  'query of a URL': (text, context) => post(context, 'x', {}, `/sink?q=${encodeURIComponent(text)}`),
  'secret parameter': (text, context) => post(context, 'x', {}, `/sink?api_key=${encodeURIComponent(text)}`),
  'path of a URL': (text, context) => post(context, 'x', {}, `/sink/${encodeURIComponent(text)}`),
  'call of a model': (text, context) =>
    post(
      context,
      JSON.stringify({
        model: 'claude',
        max_tokens: 9,
        messages: [{ role: 'user', content: `use ${text} now` }],
      }),
      { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      '/v1/messages',
    ),
  'result of a tool': (text, context) =>
    post(
      context,
      JSON.stringify({
        model: 'claude',
        max_tokens: 9,
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] }],
      }),
      { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      '/v1/messages',
    ),
  // Answers.
  'JSON answer': (_text, context) => answer(context, 'json'),
  'text answer': (_text, context) => answer(context, 'text'),
  'answer in pieces': (_text, context) => answer(context, 'pieces'),
  'one event': (_text, context) => answer(context, 'event'),
  'one event in pieces': (_text, context) => answer(context, 'event-pieces'),
  'gzip answer': (_text, context) => answer(context, 'gzip'),
  'br answer': (_text, context) => answer(context, 'br'),
  'header of an answer': (_text, context) => answer(context, 'header'),
  'set-cookie': (_text, context) => answer(context, 'cookie'),
  'status 500': (_text, context) => answer(context, 'failed'),
  // Subprocesses.
  'argument of a child': (text, { id }) => spawnSync(...childOf(id, 'ignore', [text])),
  'option of a child': (text, { id }) => spawnSync(...childOf(id, 'ignore', [`--note=${text}`])),
  'variable of a child': (text, { id }) =>
    spawnSync(...childOf(id, 'ignore'), { env: { ...process.env, NOTE: text } }),
  'stdin of a child': (text, { id }) => spawnSync(...childOf(id, 'swallow'), { input: `a ${text} b` }),
  'stdout of a child': (text, { id }) =>
    execFileSync(...childOf(id, 'echo'), { input: `a ${text} b` }).length,
  'stdout of a child in pieces': async (text, { id }) => {
    const child = spawn(...childOf(id, 'echo'))
    child.stdout.resume()
    for (const piece of pieces(text)) child.stdin.write(piece)
    child.stdin.end()
    await ended(child)
  },
  'stderr of a child': (text, { id }) => spawnSync(...childOf(id, 'complain'), { input: text }),
  'message to a child': async (text) => {
    const child = fork(new URL('./echo.mjs', import.meta.url), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.send({ note: text })
    await ended(child)
  },
  // Of the program itself.
  'error that is caught': (text) => {
    try {
      throw new Error(`no use for ${text}`)
    } catch (error) {
      console.error(error.stack)
    }
  },
  'console.log with %s': (text) => {
    console.log('%s and %j', text, { text })
  },
}

/** One after the other, so that a cell that fails names itself. */
export async function perform(seed, cells, url, folder) {
  for (const [id, cell] of cells.entries()) {
    await channels[cell.channel](messageIn(process.env, seed, cell), { url, folder, id })
  }
}
