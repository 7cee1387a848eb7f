/**
 * The built command line on real recordings: what it prints, how it ends, what it leaves. And the commands of
 * the guide, in their order.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startSession } from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'bin/reprise.js')

function reprise(cwd: string, args: readonly string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [bin, ...args], { cwd, encoding: 'utf8', input })
}

function outcome(cwd: string, args: readonly string[], input = ''): [number | null, string, string] {
  const { status, stdout, stderr } = reprise(cwd, args, input)
  return [status, stdout, stderr]
}

function recorded(program = 'echo hello; exit 3', more: readonly string[] = []): string {
  const folder = tempFolder()
  reprise(folder, ['cassette', 'record', '--out', 'c', ...more, '--', 'bash', '-c', program])
  return folder
}

test('cassette diff: the same screens and another exit are different, and it says in what', () => {
  const folder = recorded('echo hello; exit 3')
  reprise(folder, ['cassette', 'record', '--out', 'd', '--', 'bash', '-c', 'echo hello; exit 4'])
  expect(outcome(folder, ['cassette', 'diff', 'c', 'd'])).toEqual([
    2,
    'exit: code 3 and code 4\ndifferent: the exit, after the same 1 screens\n',
    '',
  ])
})

describe('cassette record', () => {
  test('shows the output, ends with the exit code, leaves one folder', () => {
    const folder = tempFolder()
    expect(
      outcome(folder, ['cassette', 'record', '--out', 'c', '--', 'bash', '-c', 'echo hello; exit 3']),
    ).toEqual([3, 'hello\r\n', ''])
    expect(readdirSync(folder)).toEqual(['c'])
  })

  test.each([
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
  ])('%s ends with %i', (program, code) => {
    expect(outcome(tempFolder(), ['cassette', 'record', '--out', 'c', '--', 'bash', '-c', program])[0]).toBe(
      code,
    )
  })

  test('types what is piped in, and Ctrl-D at its end', () => {
    const folder = tempFolder()
    expect(
      outcome(
        folder,
        ['cassette', 'record', '--out', 'c', '--', 'bash', '-c', 'stty -echo; echo ready; cat; echo end'],
        'piped\n',
      )[0],
    ).toBe(0)
    expect(readFileSync(join(folder, 'c/output.raw'), 'utf8')).toMatch(/piped\r\n.*end\r\n$/s)
  })

  test('writes a report', () => {
    const folder = recorded('exit 4', [
      '--report',
      'report.json',
      '--timeout',
      '5000',
      '--rows',
      '10',
      '--cols',
      '40',
      '--idle-limit',
      '100',
    ])
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
      cassette: 'c',
      exit_code: 4,
      timed_out: false,
      bytes: 0,
    })
    expect(JSON.parse(readFileSync(join(folder, 'c/manifest.json'), 'utf8'))).toMatchObject({
      terminal: { initial_rows: 10, initial_cols: 40 },
      command: { timeout_ms: 5000 },
    })
  })

  test.each([
    [['--out', 'c', '--', 'no-such-program'], 125, '[cassette-spawn]'],
    [['--out', 'c', '--cwd', 'nowhere', '--', 'true'], 125, 'no such folder'],
    [['--out', 'c', '--rows', '0', '--', 'true'], 64, 'not a number from 1 up'],
    [['--out', 'c', '--rows', '20000', '--', 'true'], 125, '[cassette-terminal-size]'],
    [['--out', 'c', '--script', 'none.txt', '--', 'true'], 125, '[not-found]'],
    [['--out', 'c', '--scrub', 'NO_SUCH_NAME', '--', 'true'], 64, 'no such variable'],
    [['--out', 'c'], 64, '[usage]'],
    [['--', 'true'], 64, '[usage]'],
    [['--out', 'taken', '--', 'true'], 125, '[out-exists]'],
  ])('%j', (args, code, says) => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'taken'))
    const [status, stdout, stderr] = outcome(folder, ['cassette', 'record', ...args])
    expect([status, stdout, stderr.trim().split('\n').length, stderr.includes(says)]).toEqual([
      code,
      '',
      1,
      true,
    ])
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  test('on a real terminal: keys and resizes are passed through, and the terminal gets its modes back', async () => {
    const folder = tempFolder()
    const program = 'echo ready; while read -t 20 line; do [ "$line" = end ] && exit 6; stty size; done'
    await using session = startSession({
      argv: [
        process.execPath,
        bin,
        'cassette',
        'record',
        '--out',
        join(folder, 'c'),
        '--',
        'bash',
        '-c',
        program,
      ],
      size: { rows: 20, cols: 60 },
    })
    let seen = ''
    let answered = 0
    let code: number | null = null
    for await (const event of session.events()) {
      if (event.kind === 'exit') code = event.exit.code
      if (event.kind !== 'output') continue
      seen += Buffer.from(event.bytes).toString()
      // One question per answer: the resize takes its own way, so it is asked for until it has arrived.
      const answers = (seen.match(/ready\r+\n|\d+ \d+\r+\n/g) ?? []).length
      if (answers === answered) continue
      answered = answers
      if (answers === 2) session.resize({ rows: 25, cols: 70 })
      void session.write(Buffer.from(seen.includes('25 70') ? 'end\r' : 'again\r'))
    }
    expect([code, seen.includes('20 60')]).toEqual([6, true])
    expect(seen).toContain('25 70')
    const input = readFileSync(join(folder, 'c/input.jsonl'), 'utf8')
    expect(input).toContain('"kind":"resize","size":{"Rows":25,"Cols":70}')
  })
})

describe('looking', () => {
  const folder = () => recorded('printf "one\\n"; sleep 1; printf "\\033[31mtwo\\033[0m\\n"')

  test('show, at moments, as text, JSON and a picture', () => {
    const at = folder()
    expect(outcome(at, ['cassette', 'show', 'c'])).toEqual([0, 'one\ntwo\n', ''])
    // A busy machine may read both prints late: only a moment between them is certain.
    const [first, second] = readFileSync(join(at, 'c/output.jsonl'), 'utf8').split('\n')
    const between = Math.floor((JSON.parse(first ?? '').t_ms + JSON.parse(second ?? '').t_ms) / 2)
    expect(outcome(at, ['cassette', 'show', 'c', '--at', String(between)])).toEqual([0, 'one\n', ''])
    expect(outcome(at, ['cassette', 'show', 'c', '--at', 'seq:1'])).toEqual([0, 'one\n', ''])
    expect(JSON.parse(outcome(at, ['cassette', 'show', 'c', '--json'])[1])).toMatchObject({
      size: { rows: 24, cols: 80 },
      cursor: { row: 2, col: 0 },
    })
    expect(outcome(at, ['cassette', 'show', 'c', '--svg', 'x.svg'])[0]).toBe(0)
    expect(readFileSync(join(at, 'x.svg'), 'utf8')).toContain('fill="#cd3131">two</text>')
    expect(outcome(at, ['cassette', 'show', 'c', '--svg', 'x.svg'])[2]).toContain('[out-exists]')
    expect(outcome(at, ['cassette', 'show', 'c', '--at', 'noon'])[0]).toBe(64)
    expect(outcome(at, ['cassette', 'show', 'c', '--at', 'seq:99'])[2]).toContain('[cassette-moment]')
  })

  test('replay, with and without waiting, and its mistakes', () => {
    const at = folder()
    const raw = readFileSync(join(at, 'c/output.raw'), 'utf8')
    expect(outcome(at, ['cassette', 'replay', 'c'])).toEqual([0, raw, ''])
    expect(outcome(at, ['cassette', 'replay', 'c', '--scale', '0.1'])).toEqual([0, raw, ''])
    expect(outcome(at, ['cassette', 'replay', 'c', '--mode', 'warp'])).toEqual([
      64,
      '',
      expect.stringContaining('--mode warp: no such mode [usage]'),
    ])
    expect(outcome(at, ['cassette', 'replay', 'c', '--mode', 'scaled', '--scale', '0'])).toEqual([
      64,
      '',
      expect.stringContaining('--scale 0: not a number above 0 [usage]'),
    ])
    expect(JSON.parse(outcome(at, ['cassette', 'replay', 'c', '--json'])[1])).toMatchObject({
      bytes: raw.length,
      exit: { code: 0 },
    })
  })

  test('verify, by both names, and show of what is damaged', () => {
    const at = folder()
    expect(outcome(at, ['cassette', 'verify', 'c'])).toEqual([
      0,
      expect.stringMatching(/^c: whole, \d+ events\n$/),
      '',
    ])
    appendFileSync(join(at, 'c/frames.jsonl'), ' ')
    for (const words of [
      ['cassette', 'verify', 'c'],
      ['verify', 'c'],
    ]) {
      expect(outcome(at, words)).toEqual([
        2,
        expect.stringContaining(
          'finding: cassette: frames.jsonl is not what was recorded [cassette-file-digest]',
        ),
        '',
      ])
    }
    expect(outcome(at, ['cassette', 'show', 'c'])).toEqual([
      0,
      'one\ntwo\n',
      expect.stringContaining('[cassette-file-digest]'),
    ])
    rmSync(join(at, 'c/final.json'))
    expect(outcome(at, ['cassette', 'verify', 'c', '--json'])[0]).toBe(2)
    expect(outcome(at, ['cassette', 'show', 'c'])[0]).toBe(1)
    expect(outcome(at, ['cassette', 'verify', 'none'])).toEqual([
      1,
      '',
      expect.stringContaining('[not-found]'),
    ])
  })

  test('hostile text in a cassette never acts on the terminal', () => {
    const at = recorded('printf "safe\\n"')
    const frames = readFileSync(join(at, 'c/manifest.json'), 'utf8').replace(
      '"bash"',
      '"\\u001b]0;owned\\u0007"',
    )
    writeFileSync(join(at, 'c/manifest.json'), frames)
    const [, stdout, stderr] = outcome(at, ['cassette', 'verify', 'c'])
    expect(`${stdout}${stderr}`).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
  })
})

test('scrub, by check and by copy', () => {
  const at = tempFolder()
  spawnSync(
    process.execPath,
    [bin, 'cassette', 'record', '--out', 'c', '--', 'bash', '-c', 'echo hunter-2-and-more'],
    { cwd: at },
  )
  const env = { ...process.env, LATER_TOKEN: 'hunter-2-and-more' }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args], { cwd: at, encoding: 'utf8', env })
  expect([run('scrub', 'c', '--check').status, run('scrub', 'c', '--check').stdout]).toEqual([
    2,
    expect.stringContaining('secrets found in'),
  ])
  expect(run('scrub', 'c', '--out', 'clean').status).toBe(0)
  expect([
    run('scrub', 'clean', '--check').status,
    readFileSync(join(at, 'clean/output.raw'), 'utf8'),
  ]).toEqual([0, '*****************\r\n'])
})

describe('the guide', () => {
  const guide = readFileSync(join(root, 'docs/guides/cassette.md'), 'utf8')
  const blocks = (language: string): string[] =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, code]) => code ?? '',
    )

  test('its commands run, in their order', () => {
    const at = tempFolder()
    writeFileSync(join(at, 'steps.txt'), blocks('text')[0] ?? '')
    const sh = (script: string) =>
      spawnSync('bash', ['-c', `reprise() { "${process.execPath}" "${bin}" "$@"; }\n${script}`], {
        cwd: at,
        encoding: 'utf8',
        input: '',
      })
    const [hello = '', greet = '', look = '', diff = '', formats = '', repair = ''] = blocks('sh')
    expect(blocks('sh')).toHaveLength(6)
    expect(sh(hello).status).toBe(3)
    expect(sh(greet).status).toBe(0)
    expect(sh(greet.replace('--out greet', '--out greet-again')).status).toBe(0)
    const looked = sh(`set -e\n${look}`)
    expect([looked.status, looked.stderr]).toEqual([0, ''])
    expect(looked.stdout).toContain('name? Ada\nhello Ada\n')
    expect(sh(diff)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^same: \d screens\n$/) })
    expect(sh(`set -e\n${formats}`)).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(join(at, 'greet.txt'), 'utf8')).toBe('name? Ada\nhello Ada\n')
    renameSync(join(at, 'hello'), join(at, 'hello.partial-1234'))
    rmSync(join(at, 'hello.partial-1234/manifest.json'))
    expect(sh(repair)).toMatchObject({ status: 0, stdout: expect.stringContaining('marked incomplete') })
    expect(sh('reprise verify hello-repaired')).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('[cassette-incomplete]'),
    })
  })

  test('its program runs', () => {
    const at = tempFolder()
    const code = `process.chdir(${JSON.stringify(at)})\n${(blocks('ts')[0] ?? '').replace('createRecorder, ', '')}`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('hello Ada')
    expect(existsSync(join(at, 'greet/manifest.json'))).toBe(true)
  })
})
