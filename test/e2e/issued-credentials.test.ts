/**
 * Servers that check what their clients bring back: cookies and tokens that the program has issued, and signatures
 * that it verifies with a secret. None of them is on the tape, and the replay has none of the secrets.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import type { RecordedProgram } from '../support/recorded-program.ts'
import { recordServer } from '../support/served-program.ts'

const SECRET = 'wh-s3cret-0f-the-Test-4711'

const server = (handler: string): string => `import http from 'node:http'
import crypto from 'node:crypto'
const secret = process.env.SIGNING_SECRET
const sign = (text) => crypto.createHmac('sha256', secret ?? '').update(text).digest('base64url')
const users = new Map()
const server = http.createServer((request, response) => {
  if (request.url === '/stop') { response.end(); server.close(); server.closeAllConnections(); return }
  let body = ''
  request.setEncoding('utf8').on('data', (text) => { body += text })
  request.on('end', () => { ${handler} })
})
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))`

/** Calls the server with what it has issued before. */
async function call(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Response> {
  const method = body === '' ? 'GET' : 'POST'
  return await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body === '' ? {} : { body }) })
}

async function expectFaithful(program: RecordedProgram, secrets: readonly string[]): Promise<void> {
  const tape = readFileSync(program.tape, 'utf8')
  for (const secret of secrets) expect(tape).not.toContain(secret)
  const { report } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
}

test('a session that is found by its cookie', async () => {
  const answers: string[] = []
  let cookie = ''
  const program = await recordServer(
    server(`const id = /sid=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]
      if (users.has(id)) { response.end('again ' + users.get(id)); return }
      const made = crypto.randomUUID(); users.set(made, users.size + 1)
      response.setHeader('set-cookie', 'sid=' + made + '; HttpOnly'); response.end('welcome')`),
    async ({ port }) => {
      const first = await call(port, '/')
      cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
      answers.push(await first.text(), await (await call(port, '/', { cookie })).text())
      await call(port, '/stop')
    },
  )
  expect(answers).toEqual(['welcome', 'again 1'])
  await expectFaithful(program, [cookie])
})

test('a token that the program has signed, in a header and in a URL', async () => {
  const answers: (string | number)[] = []
  let token = ''
  const program = await recordServer(
    server(`const given = request.headers.authorization?.slice(7) ?? new URL(request.url, 'http://x').searchParams.get('token')
      if (given === null) { const part = Buffer.from('ann ' + Date.now()).toString('base64url'); response.end(JSON.stringify({ token: part + '.' + sign(part) })); return }
      const [part, signature] = given.split('.')
      response.statusCode = signature === sign(part) ? 200 : 401
      response.end(Buffer.from(part, 'base64url').toString().slice(0, 3))`),
    async ({ port }) => {
      ;({ token } = (await (await call(port, '/')).json()) as { token: string })
      const asHeader = await call(port, '/', { authorization: `Bearer ${token}` })
      const asParameter = await call(port, `/?token=${encodeURIComponent(token)}`)
      answers.push(asHeader.status, await asHeader.text(), asParameter.status)
      await call(port, '/stop')
    },
    { env: { SIGNING_SECRET: SECRET } },
  )
  expect(answers).toEqual([200, 'ann', 200])
  await expectFaithful(program, [SECRET, token, token.split('.')[1] ?? ''])
})

test.each(['hex', 'base64'] as const)(
  'a webhook whose signature in %s the program verifies',
  async (encoding) => {
    const body = '{"event":"push","n":0.5}'
    const signature = createHmac('sha256', SECRET).update(body).digest(encoding)
    const answers: string[] = []
    const program = await recordServer(
      server(`const expected = 'sha256=' + crypto.createHmac('sha256', secret ?? '').update(body).digest('${encoding}')
      const given = request.headers['x-hub-signature-256'] ?? ''
      const isSame = given.length === expected.length && crypto.timingSafeEqual(Buffer.from(given), Buffer.from(expected))
      response.end(isSame ? 'right' : 'wrong')`),
      async ({ port }) => {
        for (const value of [signature, signature.replace(/^../, 'ab')])
          answers.push(
            await (await call(port, '/', { 'x-hub-signature-256': `sha256=${value}` }, body)).text(),
          )
        await call(port, '/stop')
      },
      { env: { SIGNING_SECRET: SECRET } },
    )
    expect(answers).toEqual(['right', 'wrong'])
    await expectFaithful(program, [SECRET, signature])
  },
)

test('a cookie with its signature in another cookie', async () => {
  const answers: string[] = []
  let cookies = ''
  const program = await recordServer(
    server(`const found = Object.fromEntries((request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=')))
      const isRight = found.count !== undefined && found['count.sig'] === sign('count=' + found.count)
      const count = isRight ? Number(Buffer.from(found.count, 'base64url')) + 1 : 1
      const next = Buffer.from(String(count).padStart(12, '0')).toString('base64url')
      response.setHeader('set-cookie', ['count=' + next, 'count.sig=' + sign('count=' + next)])
      response.end('visit ' + count)`),
    async ({ port }) => {
      for (let visit = 0; visit < 3; visit += 1) {
        const answer = await call(port, '/', cookies === '' ? {} : { cookie: cookies })
        cookies = answer.headers.getSetCookie().join('; ')
        answers.push(await answer.text())
      }
      await call(port, '/stop')
    },
    { env: { SIGNING_SECRET: SECRET } },
  )
  expect(answers).toEqual(['visit 1', 'visit 2', 'visit 3'])
  await expectFaithful(program, [SECRET, ...cookies.split('; ')])
})

test('a token of the environment whose characters the program checks', async () => {
  const answers: number[] = []
  const program = await recordServer(
    server(`const [, given] = /^Bearer ([\\w.~+/-]+)$/.exec(request.headers.authorization ?? '') ?? []
      response.statusCode = given === undefined ? 400 : given === secret ? 200 : 401
      response.end()`),
    async ({ port }) => {
      for (const token of [SECRET, 'an0ther-Token-1234567'])
        answers.push((await call(port, '/', { authorization: `Bearer ${token}` })).status)
      await call(port, '/stop')
    },
    { env: { SIGNING_SECRET: SECRET } },
  )
  expect(answers).toEqual([200, 401])
  await expectFaithful(program, [SECRET, 'an0ther-Token-1234567'])
})

test('a token that Web Crypto signs and verifies', async () => {
  const answers: number[] = []
  const program = await recordServer(
    server(`const keyed = crypto.subtle.importKey('raw', Buffer.from(secret ?? ''), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
      const [part, signature] = (request.headers.authorization ?? '').slice(7).split('.')
      keyed.then(async (key) => {
        if (signature === undefined) {
          const made = Buffer.from('ann ' + Math.random()).toString('base64url')
          const bytes = await crypto.subtle.sign('HMAC', key, Buffer.from(made))
          response.end(JSON.stringify({ token: made + '.' + Buffer.from(bytes).toString('base64url') }))
        } else {
          const isRight = await crypto.subtle.verify('HMAC', key, Buffer.from(signature, 'base64url'), Buffer.from(part))
          response.statusCode = isRight ? 200 : 401
          response.end()
        }
      })`),
    async ({ port }) => {
      const { token } = (await (await call(port, '/')).json()) as { token: string }
      for (const given of [token, `${token.slice(0, -6)}AAAAAA`])
        answers.push((await call(port, '/', { authorization: `Bearer ${given}` })).status)
      await call(port, '/stop')
    },
    { env: { SIGNING_SECRET: SECRET } },
  )
  expect(answers).toEqual([200, 401])
  await expectFaithful(program, [SECRET])
})

test('a session that is verified before the form with a password is read', async () => {
  const password = 'Winter-Marble-4711'
  const answers: string[] = []
  const program = await recordServer(
    server('').replace(
      "let body = ''",
      `const [id, signature] = (request.headers.cookie ?? '').slice(4).split('.')
      const isKnown = signature !== undefined && signature === sign(id)
      const made = isKnown ? id : crypto.randomBytes(16).toString('hex')
      if (!isKnown) response.setHeader('set-cookie', 'sid=' + made + '.' + sign(made))
      let body = ''
      request.on('end', () => response.end(isKnown + ' ' + body.split('&')[0]))`,
    ),
    async ({ port }) => {
      const headers = { authorization: 'Bearer 8Jq2Vx7Lm4Tz9Wd1Hn5' }
      const first = await call(port, '/', headers)
      const cookie = first.headers.get('set-cookie') ?? ''
      answers.push(await first.text())
      const type = 'application/x-www-form-urlencoded'
      const form = { ...headers, cookie, 'content-type': type }
      answers.push(await (await call(port, '/', form, `user=ada&password=${password}`)).text())
      await call(port, '/stop')
    },
    { env: { SIGNING_SECRET: SECRET } },
  )
  expect(answers).toEqual(['false ', 'true user=ada'])
  await expectFaithful(program, [SECRET, password])
})

test('the digest of an answer with a token, in a header without its padding', async () => {
  const answers: string[] = []
  const program = await recordServer(
    server(`const token = ['{"alg":"HS256"}', '{"sub":"' + crypto.randomUUID() + '"}'].map((part) => Buffer.from(part).toString('base64url')).join('.')
      const text = JSON.stringify({ token: token + '.' + sign(token) })
      response.setHeader('etag', crypto.createHash('sha1').update(text).digest('base64').slice(0, 27))
      response.end(text)`),
    async ({ port }) => {
      const { headers } = await call(port, '/')
      answers.push(headers.get('etag') ?? '')
      await call(port, '/stop')
    },
  )
  expect(answers[0]).toHaveLength(27)
  await expectFaithful(program, answers)
})

test('a plain cookie that the program has issued, and its signature', async () => {
  const answers: string[] = []
  const program = await recordServer(
    server(`const found = Object.fromEntries((request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=')))
      const isRight = found.visits !== undefined && found['visits.sig'] === sign('visits=' + found.visits)
      const visits = isRight ? Number(found.visits) + 1 : 1
      response.setHeader('set-cookie', ['theme=dark', 'visits=' + visits, 'visits.sig=' + sign('visits=' + visits)])
      response.end(visits + ' ' + found.theme)`),
    async ({ port }) => {
      let cookie = 'other=pass'
      for (let visit = 0; visit < 3; visit += 1) {
        const answer = await call(port, '/', { cookie })
        cookie = answer.headers.getSetCookie().join('; ')
        answers.push(await answer.text())
      }
      await call(port, '/stop')
    },
  )
  expect(answers).toEqual(['1 undefined', '2 dark', '3 dark'])
  const tape = readFileSync(program.tape, 'utf8')
  expect(tape).toContain('["cookie","theme=dark; visits=1; visits.sig=<redacted:cookie')
  expect(tape).toContain('["cookie","other=<redacted:cookie>"]')
  await expectFaithful(program, [])
  expect(await reprise(['scrub', '--check', program.tape])).toMatchObject({ code: 0 })
})
