import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyTape } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { needs } from '../support/outside.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

/** Prints everything that it takes in: any difference in a replay shows on stdout. */
const CURIOUS = `
  const base = process.env.BASE
  const say = (...words) => console.log(...words)
  say(Date.now(), new Date().toISOString(), performance.now(), process.hrtime.bigint(), Math.random(), crypto.randomUUID(), process.pid)
  say(process.env.HOME, process.env.NOT_SET, 'PATH' in process.env)
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(async (n) => {
    const response = await fetch(base + '/parallel', { method: 'POST', body: JSON.stringify({ n }), headers: { 'content-type': 'application/json' } })
    const answer = await response.json()
    say('arrived', n, answer.random, response.headers.get('x-random'))
    return answer
  }))
  say(answers.length, await Promise.race([fetch(base + '/slow').then((r) => r.text()), new Promise((resolve) => setTimeout(resolve, 4, 'timer'))]))
  for await (const chunk of (await fetch(base + '/stream')).body) say('chunk', Buffer.from(chunk).toString('hex'))
  for (const path of ['/die', '/cut']) {
    try { say(await (await fetch(base + path)).text()) } catch (error) { say(error.name, error.message, error.cause?.code, error.cause?.name, error.cause?.message) }
  }
  const landed = await fetch(base + '/redirect')
  say(landed.url, landed.redirected, (await landed.text()).length)
  say(Buffer.from(await (await fetch(base + '/binary')).arrayBuffer()).toString('base64').length)
  try { await fetch(base + '/stream?n=50', { signal: AbortSignal.timeout(10) }).then((r) => r.text()) } catch (error) { say(error.name, error.message) }
  const ticks = []
  const interval = setInterval(() => { ticks.push(Date.now()); if (ticks.length === 3) { clearInterval(interval); say('ticks', ticks) } }, 2)
  process.exitCode = 7
`

describe('a program that knows nothing of Reprise', () => {
  test('comes out the same from the tape alone, ten times, with the server gone', async () => {
    const own = await startLocalServer()
    const program = await recordProgram(CURIOUS, { BASE: own.url })
    await own.stop()
    expect(program.recorded).toMatchObject({ code: 7, stderr: '' })
    expect(await verifyTape(program.tape)).toMatchObject({ ok: true })
    for (let round = 0; round < 10; round += 1) {
      const replay = await program.replay({ env: { PATH: process.env.PATH } })
      expect(replay.report).toMatchObject({
        verdict: 'faithful',
        divergences: [],
        unused: [],
        exit_code: 7,
        clock_reads: { extra: 0, missing: 0 },
      })
      expect(replay).toMatchObject({ code: 7, stdout: program.recorded.stdout, stderr: '' })
    }
  })

  test('behaves with recording as without: output, exit code, connections', async () => {
    const source = `
      const seen = []
      for (let n = 0; n < 20; n += 1) {
        seen.push((await (await fetch(process.env.BASE + '/plain', { method: 'POST', body: String(n) })).json()).body)
        // Gives the connection the time to be free again, or it depends on a race whether a second one is
        // made.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      console.log(seen.join(), typeof Date.now(), new Date() instanceof Date, fetch.name, fetch.length, setTimeout.length)
      console.error('to stderr')
      process.exit(3)`
    const before = server.connections()
    const plain = await runChild(process.execPath, ['--input-type=module', '-e', source], {
      env: { ...process.env, BASE: server.url },
    })
    const between = server.connections()
    const program = await recordProgram(source, { BASE: server.url })
    expect(program.recorded).toEqual(plain)
    expect(server.connections() - between).toBe(between - before)
  })

  test('replays in a network of its own, which has none', async (context) => {
    needs(context, 'unshare')
    const program = await recordProgram(CURIOUS, { BASE: server.url })
    const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
    const run = await runChild('unshare', ['-rn', process.execPath, bin, 'replay', program.tape], {
      cwd: program.folder,
    })
    if (/Operation not permitted/.test(run.stderr)) return context.skip('the right to unshare a network')
    expect(run).toMatchObject({ code: 7, stdout: program.recorded.stdout, stderr: '' })
  })

  test.each([
    ['throws', 'setTimeout(() => { throw new Error("boom") }, 1)', 1],
    ['rejects', 'await fetch(process.env.BASE + "/x"); Promise.reject(new Error("no"))', 1],
    ['never settles', 'console.log("waiting"); await new Promise(() => {})', 13],
    ['exits in mid-flight', 'fetch(process.env.BASE + "/slow"); setTimeout(() => process.exit(4), 1)', 4],
    [
      'catches what it throws',
      'process.on("uncaughtException", (e) => { console.log("caught", e.message); setTimeout(() => console.log("later"), 1) }); setTimeout(() => { throw new Error("boom") }, 1)',
      0,
    ],
    [
      'does more before it exits',
      'let n = 0; process.on("beforeExit", () => { if (n++ < 2) setTimeout(() => console.log("more", n), 1) })',
      0,
    ],
    [
      "leaves an unref'd interval",
      'setInterval(() => console.log("tick"), 1).unref(); await fetch(process.env.BASE + "/slow")',
      0,
    ],
  ])('that %s ends the same way', async (_how, source, code) => {
    const program = await recordProgram(source, { BASE: server.url })
    expect(program.recorded.code).toBe(code)
    const replay = await program.replay()
    expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [] })
    expect(replay.stdout).toBe(program.recorded.stdout)
    expect(replay.code).toBe(code)
  })

  test('that catches an error which only the replay has diverges, with a verdict', async () => {
    const source = (thrown: string): string =>
      `process.on("uncaughtException", () => {}); console.log(Date.now()); process.nextTick(() => { ${thrown} })`
    const program = await recordProgram(source(''))
    program.change(source('throw new Error("boom")'))
    const { code, report } = await program.replay()
    expect([code, report.verdict]).toEqual([2, 'diverged'])
  })
})

describe('a program that was changed', () => {
  const ASKS = (body: string): string => `
    const response = await fetch(process.env.BASE + '/v1/messages', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${body} })
      .catch((error) => ({ text: async () => 'swallowed ' + error.message }))
    console.log((await response.text()).length > 0)`

  test('is told the first divergence, the closest record and the differing field, even if it swallows the error', async () => {
    const program = await recordProgram(
      ASKS(`JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] })`),
      { BASE: server.url },
    )
    program.change(ASKS(`JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'goodbye' }] })`))
    const replay = await program.replay({ env: { ...process.env, BASE: server.url } })
    expect(replay.code).toBe(2)
    expect(replay.report.verdict).toBe('diverged')
    expect(replay.report.divergences[0]).toMatchObject({
      category: 'unmatched',
      path: '$.messages[0].content',
    })
    expect(replay.stderr).toContain(
      'differs at $.messages[0].content\nreprise:       recorded   "hello"\nreprise:       now        "goodbye"\n',
    )
    expect(replay.stderr).toContain('POST http://127.0.0.1')
    expect(replay.report.unused.map(({ summary }) => summary)).toEqual([
      expect.stringContaining('/v1/messages'),
    ])
  })

  test.each([
    [
      'asks once more',
      `await fetch(process.env.BASE + '/a'); await fetch(process.env.BASE + '/a').catch(() => 0)`,
    ],
    ['asks for less', '1'],
    ['asks for something else', `await fetch(process.env.BASE + '/b').catch(() => 0)`],
    ['wants more random values', `await fetch(process.env.BASE + '/a'); try { Math.random() } catch {}`],
    ['prints something else', `await fetch(process.env.BASE + '/a'); console.log('other')`],
    ['exits otherwise', `await fetch(process.env.BASE + '/a'); process.exit(9)`],
    ['sets another timer', `await fetch(process.env.BASE + '/a'); try { setTimeout(() => 0, 77) } catch {}`],
  ])('and %s is not called faithful', async (_how, source) => {
    const program = await recordProgram(`await fetch(process.env.BASE + '/a')`, { BASE: server.url })
    program.change(source)
    const replay = await program.replay({ env: { ...process.env, BASE: server.url } })
    expect(replay.code).toBe(2)
    expect(replay.report.verdict).toBe('diverged')
  })

  test('and swaps two requests still gets each its own answer', async () => {
    const ask = (names: string): string =>
      `for (const name of ${names}) console.log(name, (await (await fetch(process.env.BASE + '/' + name)).json()).path)`
    const program = await recordProgram(ask("['a', 'b']"), { BASE: server.url })
    program.change(ask("['b', 'a']"))
    const replay = await program.replay({ env: { ...process.env, BASE: server.url } })
    expect(replay.stdout).toBe('b /b\na /a\n')
    expect(replay.report.divergences).toMatchObject([{ category: 'out_of_order' }, { category: 'stdout' }])
  })

  test('and only reads the clock more often is forgiven, unless every byte must be equal', async () => {
    const program = await recordProgram('console.log(typeof Date.now())')
    program.change('Date.now(); console.log(typeof Date.now())')
    expect((await program.replay()).report).toMatchObject({
      verdict: 'unverified',
      reasons: ['the program has changed: agent.mjs'],
      divergences: [],
      clock_reads: { extra: 1, missing: 0 },
    })
    expect((await program.replay({ args: ['--mode', 'byte-identical'] })).report).toMatchObject({
      verdict: 'diverged',
      divergences: [{ category: 'clock_extra' }],
    })
  })
})

describe('the tape of a replay', () => {
  test('is byte-identical to the recorded one in the eyes of the oracle, and --against makes and compares it', async () => {
    const program = await recordProgram(CURIOUS, { BASE: server.url })
    const again = join(program.folder, 'again.tape')
    await program.replay({ args: ['--emit-tape', again] })
    expect(await verifyTape(again)).toMatchObject({ ok: true, sealed: true })
    const same = await reprise(['fidelity', program.tape, again, '--mode', 'byte', '--json'])
    expect(JSON.parse(same.stdout)).toMatchObject({ divergences: [], score: 1 })
    expect(same.code).toBe(0)
    expect((await reprise(['fidelity', '--against', program.tape], { cwd: program.folder })).code).toBe(0)
    program.change(`${CURIOUS}; await fetch(base + '/one-more').catch(() => 0)`)
    const changed = await reprise(
      ['fidelity', '--against', program.tape, '--report', join(program.folder, 'f.json')],
      { cwd: program.folder },
    )
    expect(changed.code).toBe(2)
  })

  test('shows drift when the program runs against the real world', async () => {
    const program = await recordProgram(
      `console.log((await (await fetch(process.env.BASE + '/drift')).json()).path)`,
      { BASE: server.url },
    )
    const env = { ...process.env, BASE: server.url }
    const live = await reprise(
      ['fidelity', '--against', program.tape, '--live', '--', process.execPath, 'agent.mjs'],
      { cwd: program.folder, env },
    )
    expect(live.code).toBe(2)
    expect(live.stdout).toContain('stream_chunk')
  })
})

describe('secrets', () => {
  const KEY_A = `sk-ant-api03-${'aB3'.repeat(30)}AA`
  const KEY_B = `sk-ant-api03-${'zY9'.repeat(30)}AA`
  const SOURCE = `
    const key = process.env.ANTHROPIC_API_KEY ?? 'none'
    const response = await fetch(process.env.BASE + '/v1/messages?api_key=' + key, {
      method: 'POST', headers: { 'x-api-key': key, authorization: 'Bearer ' + key, 'content-type': 'application/json' }, body: JSON.stringify({ key, say: 'hi' }) })
    const answer = await response.json()
    console.log(answer.path, answer.body.length > 0)`

  test('reach no byte of the tape, and a replay with another key, or none, matches', async () => {
    const program = await recordProgram(SOURCE, { BASE: server.url, ANTHROPIC_API_KEY: KEY_A })
    expect(program.recorded.code).toBe(0)
    const files = readdirSync(program.folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'agent.mjs',
    )
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toContain(KEY_A.slice(0, 30))
    for (const env of [{ ANTHROPIC_API_KEY: KEY_A }, { ANTHROPIC_API_KEY: KEY_B }, {}]) {
      const replay = await program.replay({ env: { PATH: process.env.PATH, BASE: server.url, ...env } })
      expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [] })
      expect(replay.stdout).toBe(program.recorded.stdout)
    }
  })
})

describe('where values come from while recording', () => {
  test('a paused clock starts where it is told, and sleeping takes no time', async () => {
    const source = `
      const start = Date.now()
      await new Promise((resolve) => setTimeout(resolve, 3_600_000))
      const answer = await (await fetch(process.env.BASE + '/while-paused')).json()
      setTimeout(() => console.log('b', Date.now() - start), 20)
      setTimeout(() => console.log('a', Date.now() - start), 10)
      console.log(start, Date.now() - start, new Date().toISOString(), answer.path)`
    const program = await recordProgram(source, { BASE: server.url }, 'agent.mjs', [
      '--clock',
      'paused',
      '--start-at',
      '1000000',
    ])
    expect(program.recorded).toMatchObject({
      code: 0,
      stdout: '1000000 3600000 1970-01-01T01:16:40.000Z /while-paused\na 3600010\nb 3600020\n',
    })
    expect((await program.replay()).report.verdict).toBe('faithful')
  })

  test('a seed decides every random value', async () => {
    const source =
      'console.log(Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).join())'
    const outputs = await Promise.all(
      ['a', 'a', 'b'].map(
        async (seed) => (await recordProgram(source, {}, 'agent.mjs', ['--seed', seed])).recorded.stdout,
      ),
    )
    expect(outputs[0]).toBe(outputs[1])
    expect(outputs[0]).not.toBe(outputs[2])
  })

  test('a denied network reaches only what is allowed, and a replay says the same', async () => {
    const source = `
      for (const url of [process.env.BASE + '/allowed', 'http://127.0.0.2:45999/denied']) {
        try { console.log((await fetch(url)).status) } catch (error) { console.log(error.message, error.cause.code, error.cause.message) }
      }`
    const program = await recordProgram(source, { BASE: server.url }, 'agent.mjs', [
      '--network',
      'deny',
      '--allow-host',
      '127.0.0.1/32',
    ])
    expect(program.recorded.stdout).toBe(
      '200\nfetch failed ENETDENIED network denied: 127.0.0.2:45999 is not among the allowed hosts\n',
    )
    const replay = await program.replay()
    expect(replay.report.verdict).toBe('faithful')
    expect(replay.stdout).toBe(program.recorded.stdout)
  })
})

describe('reprise record', () => {
  test('refuses an existing tape, and a command in which no Node runs', async () => {
    const program = await recordProgram('1')
    const again = await reprise(['record', '--out', program.tape, '--', process.execPath, 'agent.mjs'], {
      cwd: program.folder,
    })
    expect(again.code).toBe(125)
    expect(again.stderr).toContain('[out-exists]')
    expect(
      (
        await reprise(['record', '--force', '--out', program.tape, '--', process.execPath, 'agent.mjs'], {
          cwd: program.folder,
        })
      ).code,
    ).toBe(0)
    const none = await reprise(['record', '--out', join(tempFolder(), 'x.tape'), '--', 'true'])
    expect(none.code).toBe(125)
    expect(none.stderr).toContain('[record-unclaimed]')
  })

  test('passes over npm and tapes the script that it runs', async () => {
    const program = await recordProgram('1')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(
      join(program.folder, 'package.json'),
      JSON.stringify({ scripts: { agent: 'node agent.mjs' } }),
    )
    const out = join(program.folder, 'npm.tape')
    const run = await reprise(['record', '--out', out, '--', 'npm', 'run', '--silent', 'agent'], {
      cwd: program.folder,
    })
    expect(run.code).toBe(0)
    expect((await reprise(['inspect', out, '--raw'])).stdout).toContain('"script":"agent.mjs"')
  })

  test('seals the tape when a signal ends the program, and says so by its exit code', async () => {
    const folder = tempFolder()
    const tape = join(folder, 'run.tape')
    const source = `process.stdout.write('ready'); setInterval(() => {}, 1000); setTimeout(() => process.kill(process.pid, 'SIGTERM'), 5)`
    const run = await reprise(['record', '--out', tape, '--', process.execPath, '-e', source])
    expect(run.code).toBe(143)
    expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
  })
})
