/** `reprise audit …` as it is built and run. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../src/journal/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { gated } from './journal-contract.ts'

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/journal/${name}`, import.meta.url))
const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

function file(text: string | Buffer, name = 'log.jsonl'): string {
  const path = join(tempFolder(), name)
  writeFileSync(path, text)
  return path
}

const line = (seq: number): string => `${JSON.stringify({ seq, event: gated(seq) })}\n`
const bare = (n: number): string => `${JSON.stringify(gated(n))}\n`

describe('audit <file>', () => {
  test.each(['ask_user', 'spawn_lifecycle'])(
    '--json --view base is upstream’s snapshot of %s',
    async (name) => {
      const { code, stdout, stderr } = await reprise([
        'audit',
        fixture(`golden/events_${name}.json`),
        '--json',
        '--view',
        'base',
      ])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject(
        JSON.parse(readFileSync(fixture(`golden/os_snapshot_${name}.json`), 'utf8')),
      )
      expect(Object.keys(JSON.parse(stdout))).toEqual([
        'last_suspend',
        'last_resumed_turn',
        'process_by_agent',
        'budget_exceeded',
        'signals',
        'page_out_count',
        'page_in_count',
        'tool_gated_count',
        'memory_written_count',
        'memory_queried_count',
        'memory_validation_failed_count',
        'memory_retrieval_result_count',
      ])
    },
  )

  test('the report for people has the process tree and the time line', async () => {
    const { stdout } = await reprise(['audit', fixture('golden/events_spawn_lifecycle.json')])
    expect(stdout).toContain(
      'processes\n  parent  session\n  └─ child-1  worker, shared, turn 4  joined (completed)\n',
    )
    expect(stdout).toContain('time line\n  0  t1    agent child-1 (worker) running\n')
  })

  test.each([
    ['lines of entries', [0, 1, 2, 3].map(line).join('')],
    ['lines of bare events', [0, 1, 2, 3].map(bare).join('')],
    ['an array of entries', `[${[0, 1, 2, 3].map(line).join(',')}]`],
    ['a pretty-printed array of bare events', JSON.stringify([0, 1, 2, 3].map(gated), null, 2)],
    [
      'lines with CRLF and a byte order mark',
      `\ufeff${[0, 1, 2, 3].map(bare).join('').replaceAll('\n', '\r\n')}`,
    ],
    ['an object with events', JSON.stringify({ events: [0, 1, 2, 3].map(gated) }, null, 1)],
  ])('reads %s, and --at counts bare events from 0', async (_name, text) => {
    const path = file(text)
    const count = async (...options: string[]): Promise<number> =>
      JSON.parse((await reprise(['audit', path, '--json', '--view', 'base', ...options])).stdout)
        .tool_gated_count
    expect([await count(), await count('--at', '1'), await count('--at', '0')]).toEqual([4, 2, 1])
    expect((await reprise(['audit', path])).stderr).toBe('')
  })

  test('--compat base keeps the fault of the base version', async () => {
    const path = fixture('golden/every-kind.jsonl')
    const count = async (...options: string[]): Promise<number> =>
      JSON.parse((await reprise(['audit', '--json', '--view', 'base', path, ...options])).stdout)
        .memory_retrieval_result_count
    expect([await count(), await count('--compat', 'base')]).toEqual([1, 0])
  })

  test('--json --view extended is snake_case throughout', async () => {
    const { stdout } = await reprise(['audit', fixture('golden/every-kind.jsonl'), '--json'])
    const view = JSON.parse(stdout)
    expect(view).toMatchObject({
      events: 31,
      suspended_now: null,
      runs: [{ run_id: 'run-1', total_tokens: 1234 }],
      os_snapshot: { tool_gated_count: 1 },
    })
    const keys = stdout.match(/"[A-Za-z_]+":/g) ?? []
    expect(keys.filter((key) => /[A-Z]/.test(key))).toEqual([])
  })

  test('an empty file is an empty session', async () => {
    expect(await reprise(['audit', file('')])).toMatchObject({ code: 0, stderr: '' })
  })

  test('a damaged journal is shown as far as it is whole, the damage named on stderr, exit 0', async () => {
    const path = file(
      `${line(0)}{"seq":1,"event":{"kind":"too\n${line(2).trim()}${line(3)}\0\0\0\n${line(4)}{"seq":5,"ev`,
    )
    const { code, stdout, stderr } = await reprise(['audit', path, '--json', '--view', 'base'])
    expect({ code, gated: JSON.parse(stdout).tool_gated_count }).toEqual({ code: 0, gated: 4 })
    expect(stderr.split('\n').map((text) => text.replace(/^.*log.jsonl: /, ''))).toEqual([
      'line 2 is damaged (torn): 29 characters lost',
      'line 3 is damaged (glued), 2 whole records in it were read',
      'line 4 is damaged (nul)',
      'line 6 is damaged (torn): 12 characters lost',
      '',
    ])
  })

  test('a torn array is read up to the tear', async () => {
    const { code, stdout, stderr } = await reprise([
      'audit',
      file(JSON.stringify([gated(0), gated(1)]).slice(0, -20), 'a.json'),
      '--json',
      '--view',
      'base',
    ])
    expect({ code, gated: JSON.parse(stdout).tool_gated_count }).toEqual({ code: 0, gated: 1 })
    expect(stderr).toContain('(torn): element 1')
  })

  test('one wrong event among whole ones is named with its path and stepped over', async () => {
    const { code, stderr } = await reprise([
      'audit',
      file(`${bare(0)}{"kind":"tool_gated","turn":"one"}\n${bare(2)}`),
    ])
    expect(code).toBe(0)
    expect(stderr).toContain(
      'line 2 is damaged (invalid): $.turn expected a whole number from 0 to 4294967295, got "one"',
    )
  })

  test('rotated parts are read with the journal', async () => {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's', rotateBytes: 300 })
    for (let n = 0; n < 10; n += 1) await journal.append(gated(n))
    expect(JSON.parse((await reprise(['audit', join(dir, 's.jsonl'), '--json'])).stdout)).toMatchObject({
      events: 10,
      first_seq: 0,
    })
  })
})

describe('bad input: one clear line with a code, nothing written', () => {
  const deep = `{"kind":"note","x":${'['.repeat(5000)}${']'.repeat(5000)}}\n`
  test.each([
    ['not JSON', 'this is not a log\n', 1, 'audit-input'],
    ['binary', Buffer.from([0xff, 0xfe, 0, 1, 2, 3, 10, 200, 201]), 1, 'audit-input'],
    ['JSON of something else', '{"name":"package"}\n', 1, 'audit-input'],
    ['a number', '42\n', 1, 'audit-input'],
    [
      'wrong types throughout',
      '{"kind":"tool_gated","turn":-1,"call_id":1,"tool":null,"reason":[]}\n',
      1,
      'event-invalid',
    ],
    ['an entry without an event', '{"seq":0,"event":5}\n', 1, 'event-invalid'],
    ['nested too deep', deep, 1, 'audit-input'],
    ['an array nested too deep', `[${deep}]`, 1, 'audit-input'],
  ])('%s', async (_name, text, code, word) => {
    const run = await reprise(['audit', file(text)])
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`^reprise: .* \\[${word}\\]; hint: `))
    expect(run.stderr).not.toContain('    at ')
  })

  test('a line of 70 MB is stepped over without being held', async () => {
    const path = file(
      Buffer.concat([
        Buffer.from(line(0)),
        Buffer.alloc(70 * 1024 * 1024, 0x61),
        Buffer.from(`\n${line(2)}`),
      ]),
    )
    const { code, stdout, stderr } = await reprise(['audit', path, '--json', '--view', 'base'])
    expect({ code, gated: JSON.parse(stdout).tool_gated_count }).toEqual({ code: 0, gated: 2 })
    expect(stderr).toContain('line 2 is damaged (too-long)')
  })

  test('hostile text does not reach the terminal as it is', async () => {
    const path = file(
      `${JSON.stringify({ kind: 'tool_denied', turn: 0, call_id: 'c', tool_name: '\u001b[31mred\u202e', reason: 'a\nb' })}\n`,
    )
    const { stdout } = await reprise(['audit', path])
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toContain('\u202e')
  })

  test.each([
    ['no file', ['audit', '/nowhere/at/all.jsonl'], 1, 'not-found'],
    ['a folder', ['audit', '.'], 1, 'not-a-file'],
    ['no argument', ['audit'], 64, 'usage'],
    ['an unknown view', ['audit', 'x', '--view', 'wide'], 64, 'usage'],
    ['an unknown compat', ['audit', 'x', '--compat', 'newer'], 64, 'usage'],
    ['--at that is no number', ['audit', 'x', '--at', '-1'], 64, 'usage'],
    ['an unknown level', ['audit', 'check', 'x', '--level', 'mild'], 64, 'usage'],
    ['an unknown format', ['audit', 'import', 'x', '--from', 'word', '--out', 'y'], 64, 'usage'],
    ['import without --out', ['audit', 'import', 'x', '--from', 'codex'], 64, 'usage'],
    ['a session id that leaves its folder', ['audit', 'verify', '.hidden.jsonl'], 1, 'session-id-invalid'],
  ])('%s', async (_name, words, code, word) => {
    const run = await reprise(words)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(`[${word}]`)
  })
})

describe('audit check', () => {
  test('exit 0 where all is there, exit 2 with the list where not', async () => {
    expect(await reprise(['audit', 'check', fixture('golden/events_ask_user.json')])).toMatchObject({
      code: 0,
    })
    const path = file(`${bare(0)}${JSON.stringify({ ...gated(1), category: 'mm' })}\n`)
    const base = await reprise(['audit', 'check', path])
    expect(base).toMatchObject({ code: 2 })
    expect(base.stdout).toContain('seq 0 tool_gated: category is missing (syscall)')
    const strict = await reprise(['audit', 'check', path, '--level', 'strict', '--json'])
    expect(strict).toMatchObject({ code: 2 })
    expect(JSON.parse(strict.stdout)).toMatchObject({
      ok: false,
      level: 'strict',
      checked: 2,
      findings: [
        {
          seq: 0,
          kind: 'tool_gated',
          field: 'category',
          problem: 'missing',
          expected: 'syscall',
          actual: null,
        },
        {
          seq: 1,
          kind: 'tool_gated',
          field: 'category',
          problem: 'wrong',
          expected: 'syscall',
          actual: 'mm',
        },
      ],
    })
  })

  test('damage is a finding', async () => {
    expect(
      await reprise([
        'audit',
        'check',
        file(`${JSON.stringify({ ...gated(1), category: 'syscall' })}\n{"kin`),
      ]),
    ).toMatchObject({ code: 2 })
  })
})

describe('audit import', () => {
  test('writes a journal that verifies and says what became of each record', async () => {
    const out = join(tempFolder(), 'session.jsonl')
    const run = await reprise([
      'audit',
      'import',
      '--from',
      'claude-code',
      fixture('logs/claude-code-2.1.197.jsonl'),
      '--out',
      out,
      '--json',
    ])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(run.stdout)).toMatchObject({
      from: 'claude-code',
      events: 28,
      records: 49,
      damaged: 0,
      unmapped: expect.arrayContaining([expect.objectContaining({ type: 'mode' })]),
    })
    expect(await reprise(['audit', 'verify', out])).toMatchObject({ code: 0 })
    expect(await reprise(['audit', 'check', '--level', 'strict', out])).toMatchObject({ code: 0 })
  })

  test('an existing file is kept, unless --force', async () => {
    const out = file('mine', 'out.jsonl')
    const words = ['audit', 'import', '--from', 'codex', fixture('logs/codex-0.166.0.jsonl'), '--out', out]
    expect(await reprise(words)).toMatchObject({ code: 1, stderr: expect.stringContaining('[out-exists]') })
    expect(readFileSync(out, 'utf8')).toBe('mine')
    expect(await reprise([...words, '--force'])).toMatchObject({ code: 0 })
    expect(readFileSync(out, 'utf8')).toContain('run_started')
  })

  test('a log of another kind is refused and nothing is written', async () => {
    const out = join(tempFolder(), 'out.jsonl')
    const run = await reprise([
      'audit',
      'import',
      '--from',
      'codex',
      fixture('logs/claude-code-2.1.197.jsonl'),
      '--out',
      out,
    ])
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('[audit-input]') })
    expect(readdirSync(join(out, '..'))).toEqual([])
  })

  test('secrets in a log do not reach the journal', async () => {
    const key = `sk-ant-api03-${'Ab3dE5gH'.repeat(11)}-AAAAAA`
    const text = readFileSync(fixture('logs/claude-code-2.1.197.jsonl'), 'utf8').replaceAll(
      'Look around',
      `Look around with ${key}`,
    )
    const out = join(tempFolder(), 'out.jsonl')
    await reprise(['audit', 'import', '--from', 'claude-code', file(text), '--out', out])
    expect(readFileSync(out, 'utf8')).not.toContain(key)
    expect(readFileSync(out, 'utf8')).toContain('Look around with <redacted:')
  })
})

describe('audit verify', () => {
  test('whole: 0; cut tail: 2; signed by another key: 2', async () => {
    const dir = tempFolder()
    const mine = generateKeyPairSync('ed25519')
    const other = generateKeyPairSync('ed25519')
    const pem = (key: typeof mine.publicKey, name: string): string =>
      file(key.export({ type: 'spki', format: 'pem' }).toString(), name)
    {
      await using journal = await openJournal({
        dir,
        session: 's',
        signingKey: mine.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      })
      await journal.appendAll([gated(0), gated(1), gated(2)])
    }
    const path = join(dir, 's.jsonl')
    expect(
      await reprise(['audit', 'verify', path, '--public-key', pem(mine.publicKey, 'mine.pem')]),
    ).toMatchObject({ code: 0 })
    expect(
      await reprise(['audit', 'verify', path, '--public-key', pem(other.publicKey, 'other.pem')]),
    ).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('signature-other-key'),
    })
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(0, 2).join('\n').concat('\n'))
    const cut = await reprise(['audit', 'verify', path, '--json'])
    expect(cut.code).toBe(2)
    expect(JSON.parse(cut.stdout)).toMatchObject({ ok: false, findings: [{ code: 'cut-tail' }] })
    expect(await reprise(['audit', 'verify', file(line(0) + line(2), 'kept.log')])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('seq-gap'),
    })
    expect(await reprise(['audit', 'verify', path, '--public-key', file('nonsense', 'k.pem')])).toMatchObject(
      {
        code: 1,
        stderr: expect.stringContaining('[journal-key-invalid]'),
      },
    )
  })
})

describe('audit tail', () => {
  test('shows the newest, and with -f what comes, until it is told to stop', async () => {
    const dir = tempFolder()
    const path = join(dir, 's.jsonl')
    writeFileSync(path, [0, 1, 2].map(line).join(''))
    const child = spawn(process.execPath, [bin, 'audit', 'tail', '-f', '-n', '2', '--json', path])
    const seen: number[] = []
    for await (const text of createInterface({ input: child.stdout })) {
      const { seq } = JSON.parse(text)
      seen.push(seq)
      if (seq === 2) appendFileSync(path, line(3))
      if (seq === 3) child.kill('SIGTERM')
    }
    const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))
    expect({ seen, code }).toEqual({ seen: [1, 2, 3], code: 0 })
  })
})

test('a reader that closes its end early is no error, also of a journal that is followed', async () => {
  const dir = tempFolder()
  const path = join(dir, 's.jsonl')
  writeFileSync(path, Array.from({ length: 3000 }, (_, n) => line(n)).join(''))
  for (const words of [
    ['audit', path],
    ['audit', 'tail', '-f', '-n', '3000', path],
  ]) {
    const child = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout.once('data', () => {
      child.stdout.destroy()
      appendFileSync(path, line(3000))
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
})

describe('audit export', () => {
  test('otlp and csv, to stdout and to a file', async () => {
    const log = fixture('logs/codex-0.166.0.jsonl')
    const otlp = JSON.parse((await reprise(['audit', 'export', '--format', 'otlp', log])).stdout)
    expect(
      otlp.resourceSpans[0].scopeSpans[0].spans.filter((span: { name: string }) =>
        span.name.startsWith('execute_tool'),
      ).length,
    ).toBe(3)
    const csv = await reprise(['audit', 'export', '--format', 'csv', fixture('golden/every-kind.jsonl')])
    expect(csv.stdout.trimEnd().split('\r\n').length).toBe(32)
    const out = join(tempFolder(), 'x.csv')
    mkdirSync(join(out, '..'), { recursive: true })
    expect(await reprise(['audit', 'export', '--format', 'csv', log, '--out', out])).toMatchObject({
      code: 0,
      stdout: '',
    })
    expect(existsSync(out)).toBe(true)
    expect(await reprise(['audit', 'export', '--format', 'csv', log, '--out', out])).toMatchObject({
      code: 1,
    })
  })
})
