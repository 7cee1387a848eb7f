/**
 * `reprise view` as a user runs it: the address, Ctrl-C, a bundle, an export, a read-only folder, two tapes
 * after a divergence.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RangeAccess } from '../../src/viewer/protocol.ts'
import { createRangeSource } from '../../src/viewer/source/range-source.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const EVIL = '</script><script>alert(1)</script><img src=x onerror=alert(1)>\u001b]0;pwned\u0007\u202e'
const HEADER = `{"type":"header","version":1,"harn_version":"reprise/0.1.0","started_at_unix_ms":null,"script_path":null,"argv":[],"producer":{"name":"reprise","version":"0.0.9"},"command":["node",${JSON.stringify(EVIL)}]}`
const record = (seq: number, kind: object): string =>
  JSON.stringify({
    type: 'record',
    seq,
    phase: 'user_script',
    virtual_time_ms: 1000 + seq,
    monotonic_ms: seq,
    kind,
  })

function evilTape(): string {
  const path = join(tempFolder(), 'run.tape')
  const payload = {
    content_hash: 'x',
    text: JSON.stringify({ text: EVIL, tool_calls: [{ name: EVIL }], model: EVIL }),
  }
  const lines = [
    record(0, {
      kind: 'llm_call',
      request_digest: 'x',
      response: payload,
      request: { messages: [{ role: EVIL, content: EVIL }] },
    }),
    record(1, {
      kind: 'file_write',
      path: EVIL,
      content_hash: 'x',
      len_bytes: 3,
      payload: { content_hash: 'x', text: EVIL },
    }),
    record(2, { kind: EVIL, what: EVIL }),
    record(3, { kind: 'gap', boundary: 'network', reason: EVIL }),
    EVIL.slice(0, 60),
  ]
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`)
  return path
}

/** The address that a running viewer prints. */
async function addressOf(child: ChildProcess, stream: 'stdout' | 'stderr'): Promise<string> {
  let text = ''
  for await (const chunk of child[stream] ?? []) {
    text += String(chunk)
    const url = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\//.exec(text)?.[0]
    if (url !== undefined) return url
  }
  throw new Error(`no address in ${JSON.stringify(text)}`)
}

function start(args: readonly string[], cwd?: string): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], { stdio: 'pipe', cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const exited = (child: ChildProcess): Promise<number | null> =>
  child.exitCode === null
    ? new Promise((resolve) => child.once('exit', resolve))
    : Promise.resolve(child.exitCode)

async function call(url: string, method: string, ...args: readonly unknown[]) {
  const answer = await fetch(`${url}api/${method}?p=${encodeURIComponent(JSON.stringify(args))}`)
  return { status: answer.status, value: JSON.parse(await answer.text()) }
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'prints an address, serves the page, and ends cleanly on %s',
  async (signal) => {
    const child = start(['view', evilTape()])
    const url = await addressOf(child, 'stdout')
    expect(await (await fetch(url)).text()).toContain('id="reprise-boot"')
    expect(await call(url, 'document')).toMatchObject({
      status: 200,
      value: { items: [{ id: '0', type: 'tape' }] },
    })
    // A page that follows holds a connection open: it must not keep the viewer alive.
    const following = await fetch(`${url}api/follow`)
    expect(following.headers.get('content-type')).toBe('text/event-stream')
    child.kill(signal)
    expect(await exited(child)).toBe(0)
  },
)

describe('a hostile tape', () => {
  test.each([[[]], [['--llm', '1']], [['--files']], [['--slow']], [['--raw']]])(
    'does nothing in the terminal: inspect %j',
    async (flags) => {
      const { code, stdout, stderr } = await reprise(['inspect', evilTape(), ...flags])
      expect(code).toBe(0)
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202e]/)
    },
  )

  test('is only base64 in an export, whose policy allows nothing from elsewhere', async () => {
    const tape = evilTape()
    const out = join(tempFolder(), 'run.html')
    expect(await reprise(['view', tape, '--export', out])).toMatchObject({ code: 0, stderr: '' })
    const html = readFileSync(out, 'utf8')
    expect(html).not.toContain('alert(1)')
    expect(html).toContain("default-src 'none'; script-src 'sha256-")
    expect(html).not.toMatch(/connect-src (?!'none')/)
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const again = await reprise(['view', tape, '--export', out])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('[out-exists]')
    const parts = new Map(
      [
        ...html.matchAll(/<script type="application\/octet-stream" data-part="([^"]+)">([^<]*)<\/script>/g),
      ].map(([, name = '', text = '']) => [name, Buffer.from(text, 'base64')] as const),
    )
    const source = createRangeSource({
      size: async (name) => parts.get(name)?.length ?? null,
      read: async (name, from, to) => parts.get(name)?.subarray(from, to) ?? new Uint8Array(),
    })
    expect((await source.document()).capabilities).toMatchObject({ source: 'export', follow: false })
    expect((await source.details('0', 1)).view).toMatchObject({ type: 'file', action: 'write', path: EVIL })
  })
})

function folderAccess(folder: string): RangeAccess {
  return {
    size: async (name) => {
      try {
        return (await stat(join(folder, name))).size
      } catch {
        return null
      }
    },
    async read(name, from, to) {
      const file = await open(join(folder, name))
      try {
        const bytes = Buffer.alloc(to - from)
        return bytes.subarray(0, (await file.read(bytes, 0, bytes.length, from)).bytesRead)
      } finally {
        await file.close()
      }
    },
  }
}

describe('inspect on a terminal', () => {
  /** Runs on a pseudo-terminal of `script`, with `cat` as the pager unless told otherwise. */
  function onTerminal(tape: string, env: NodeJS.ProcessEnv): string {
    const command = `${process.execPath} ${bin} inspect ${tape}`
    const run = spawnSync('script', ['-qec', command, '/dev/null'], {
      encoding: 'utf8',
      env: { ...process.env, PAGER: 'cat', NO_COLOR: '', ...env },
    })
    expect(run.status).toBe(0)
    return run.stdout
  }

  test('has colours of its own and no escape of the tape', () => {
    const text = onTerminal(evilTape(), {})
    expect(text).toContain('\u001b[35mllm')
    expect(text.replace(/\u001b\[\d*m/g, '')).not.toMatch(/[\u001b\u0007\u202e]/)
  })

  test('has none with NO_COLOR', () => {
    expect(onTerminal(evilTape(), { NO_COLOR: '1' })).not.toContain('\u001b')
  })

  test('goes through the pager, and does without one', () => {
    expect(onTerminal(evilTape(), { PAGER: 'sed s/^/paged:/' })).toContain('paged:')
    expect(onTerminal(evilTape(), { PAGER: '' })).toContain('run.tape: 4 records, not sealed')
  })
})

test('inspect leaves nothing behind', async () => {
  const tape = evilTape()
  const temp = tempFolder()
  expect((await reprise(['inspect', tape], { env: { ...process.env, TMPDIR: temp } })).code).toBe(0)
  expect(readdirSync(join(tape, '..'))).toEqual(['run.tape'])
  expect(readdirSync(temp)).toEqual([])
})

test('a bundle answers as the server does', async () => {
  const tape = evilTape()
  const out = join(tempFolder(), 'site')
  expect(await reprise(['view', tape, tape, '--bundle', out])).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('{"source":"bundle","files":"./data/"}')
  const source = createRangeSource(folderAccess(join(out, 'data')))
  const child = start(['view', tape, tape])
  const url = await addressOf(child, 'stdout')
  const rows = { filter: {}, from: 0, count: 10 }
  expect(await source.overview('0')).toEqual((await call(url, 'overview', '0')).value)
  expect(await source.rows('0', rows)).toEqual((await call(url, 'rows', '0', rows)).value)
  for (const row of [0, 1, 2, 3, 4])
    expect(await source.details('0', row)).toEqual((await call(url, 'details', '0', row)).value)
  const search = { text: 'ALERT(1)', from: 0, count: 10 }
  expect(await source.search('0', search)).toEqual((await call(url, 'search', '0', search)).value)
  expect((await source.search('0', search)).total).toBe(5)
  expect(await source.comparison()).toEqual((await call(url, 'comparison')).value)
  expect((await reprise(['view', tape, '--bundle', out])).code).toBe(1)
  expect(
    (await reprise(['view', tape, '--bundle', out, '--force', '--without', 'payloads,search'])).code,
  ).toBe(0)
  expect((await createRangeSource(folderAccess(join(out, 'data'))).search('0', search)).total).toBe(5)
  const other = tempFolder()
  writeFileSync(join(other, 'mine.txt'), 'keep')
  expect((await reprise(['view', tape, '--bundle', other, '--force'])).code).toBe(1)
  expect(readdirSync(other)).toEqual(['mine.txt'])
})

test('a tape in a read-only folder is indexed in the cache of the user', async () => {
  const tape = evilTape()
  const [cache, out] = [tempFolder(), tempFolder()]
  chmodSync(join(tape, '..'), 0o555)
  for (const folder of [cache, out]) chmodSync(folder, 0o777)
  const args = ['view', tape, '--bundle', join(out, 'site')]
  const env = { ...process.env, XDG_CACHE_HOME: cache }
  const run =
    process.getuid?.() === 0
      ? asNobody(args, env)
      : spawnSync(process.execPath, [bin, ...args], { env, encoding: 'utf8' })
  expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
  expect(readdirSync(join(tape, '..'))).toEqual(['run.tape'])
  const [index = ''] = readdirSync(join(cache, 'reprise/viewer'))
  expect(readdirSync(join(cache, 'reprise/viewer', index))).toContain('rows.bin')
})

/** A copy of the package in a place that every user can read. */
function asNobody(args: readonly string[], env: NodeJS.ProcessEnv) {
  const project = fileURLToPath(new URL('../../', import.meta.url))
  const copy = tempFolder()
  for (const part of [
    'bin',
    'dist',
    'package.json',
    'node_modules/commander',
    'node_modules/@xterm/headless',
  ]) {
    cpSync(join(project, part), join(copy, part), { recursive: true })
  }
  chmodSync(copy, 0o755)
  return spawnSync(process.execPath, [join(copy, 'bin/reprise.js'), ...args], {
    uid: 65534,
    gid: 65534,
    cwd: '/',
    env,
    encoding: 'utf8',
  })
}

test.each([
  ['a folder of something else', (folder: string) => join(folder, 'empty'), 'view-unknown'],
  ['a file of something else', (folder: string) => join(folder, 'note.txt'), 'view-unknown'],
  ['a file that is not there', (folder: string) => join(folder, 'none.tape'), 'not-found'],
])('%s is one clear error', async (_, path, code) => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'note.txt'), 'hello\n')
  const run = await reprise(['view', path(folder)])
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(new RegExp(`^reprise: .*\\[${code}\\]; hint: .*\\n$`))
})

test('replay --view opens both runs after a divergence, on the first difference, and keeps the exit code', async () => {
  const folder = tempFolder()
  const program = (name: string): string =>
    `import { readFileSync } from 'node:fs'\nconsole.log(readFileSync('${name}', 'utf8').length > 0)\n`
  writeFileSync(join(folder, 'plan.md'), 'a plan')
  writeFileSync(join(folder, 'other.md'), 'another')
  writeFileSync(join(folder, 'agent.mjs'), program('plan.md'))
  expect(
    (await reprise(['record', '--out', 'run.tape', '--', 'node', 'agent.mjs'], { cwd: folder })).code,
  ).toBe(0)
  writeFileSync(join(folder, 'agent.mjs'), program('other.md'))
  const child = start(['replay', 'run.tape', '--view'], folder)
  const url = await addressOf(child, 'stderr')
  const { value } = await call(url, 'comparison')
  expect(value).toMatchObject({ verdict: 'diverged', recorded: '0', replayed: '1' })
  const { value: window } = await call(url, 'aligned', { from: value.firstDifference, count: 1, show: 'all' })
  expect(window.rows[0].state).not.toBe('same')
  child.kill('SIGINT')
  expect(await exited(child)).toBe(2)
})
