/**
 * Programs that drive a terminal through node-pty, recorded and replayed by the built command line: nothing
 * is started in a replay.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { open } from '../../src/cassette/index.ts'
import { verifyTape } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import type { ChildRun } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const lydell = dirname(dirname(fileURLToPath(import.meta.resolve('@lydell/node-pty'))))

type Program = {
  readonly folder: string
  readonly tape: string
  readonly recorded: ChildRun
  write(source: string): void
  replay(env?: NodeJS.ProcessEnv): Promise<ChildRun>
}

/** A folder with both names of the package, and a program in it, recorded. */
async function recordDriver(
  source: string,
  { name = 'agent.mjs', env = {} }: { name?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Program> {
  const folder = join(tempFolder(), 'driver')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(lydell, join(folder, 'node_modules', '@lydell'))
  cpSync(join(lydell, 'node-pty'), join(folder, 'node_modules', 'node-pty'), { recursive: true })
  const script = join(folder, name)
  writeFileSync(script, source)
  const tape = join(folder, 'run.tape')
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, name], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  return {
    folder,
    tape,
    recorded,
    write: (changed) => writeFileSync(script, changed),
    async replay(replayEnv = { PATH: '/nonexistent' }) {
      const again = join(tempFolder(), 'again.tape')
      const run = await reprise(['replay', tape, '--emit-tape', again], { cwd: folder, env: replayEnv })
      if (run.code === 0) expect(linesOf(again)).toEqual(linesOf(tape))
      return run
    },
  }
}

/** The driver's own tools: wait for text, keep everything. */
const TOOLS = `
  let seen = ''
  const chunks = []
  term.onData((data) => { seen += data; chunks.push(data.length) })
  const exited = new Promise((resolve) => term.onExit(resolve))
  const until = (text) => new Promise((resolve) => {
    const look = () => { if (seen.includes(text)) { resolve(); return true } }
    if (!look()) { const watch = term.onData(() => { if (look()) watch.dispose() }) }
  })
`

const bashWith = (spawn: string, typed = 'echo answer-$((6*7))'): string => `
  ${spawn}
  const term = spawn('bash', ['--norc', '--noprofile'], { cols: 80, rows: 24, name: 'xterm-256color', env: { PATH: process.env.PATH, PS1: '$ ' } })
  ${TOOLS}
  const run = async () => {
    await until('$ ')
    term.write(${JSON.stringify(`${typed}\r`)})
    await until('-42\\r\\n')
    term.resize(100, 30)
    term.write('stty size\\r')
    await until('30 100')
    term.write('exit 3\\r')
    console.log(JSON.stringify([await exited, term.pid, term.cols, term.rows, term.process, chunks, seen]))
  }
  run()
`

const DEFAULT_IMPORT = "import pty from 'node-pty'; const { spawn } = pty"

describe('a shell on a terminal', () => {
  test.each([
    ['import, by default', 'agent.mjs', DEFAULT_IMPORT],
    ['import, by name', 'agent.mjs', "import { spawn } from '@lydell/node-pty'"],
    ['import, as a namespace', 'agent.mjs', "import * as pty from 'node-pty'; const { spawn } = pty"],
    ['import, later', 'agent.mjs', "const { spawn } = await import('@lydell/node-pty')"],
    ['require', 'agent.cjs', "const { spawn } = require('node-pty')"],
  ])('%s: comes out the same from the tape alone', async (_way, name, spawn) => {
    const program = await recordDriver(bashWith(spawn), { name })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(program.recorded.stdout)).toMatchObject([
      { exitCode: 3, signal: 0 },
      expect.any(Number),
      100,
      30,
      'bash',
      expect.anything(),
      expect.stringContaining('answer-42'),
    ])
    for (let round = 0; round < 3; round += 1) {
      expect(await program.replay()).toMatchObject({ code: 0, stdout: program.recorded.stdout, stderr: '' })
    }
  })

  test('has a cassette that shows the screen and what was typed, and the tape says so', async () => {
    const program = await recordDriver(bashWith(DEFAULT_IMPORT))
    const [name = ''] = readdirSync(`${program.tape}.cassettes`)
    const cassette = await open(join(`${program.tape}.cassettes`, name))
    expect(cassette.final().finalText).toContain('answer-42')
    expect(
      Buffer.concat(cassette.inputs().flatMap(({ bytes }) => (bytes === null ? [] : [bytes]))).toString(),
    ).toBe('echo answer-$((6*7))\rstty size\rexit 3\r')
    expect(cassette.final().exit).toMatchObject({ code: 3, exited: true })
    expect(await verifyTape(program.tape)).toMatchObject({ ok: true, sealed: true })
    const inspected = JSON.parse((await reprise(['inspect', program.tape, '--json'])).stdout)
    expect(inspected).toMatchObject({
      kinds: { terminal_session: 1 },
      boundaries: { terminal: 'captured' },
      gaps: [],
      terminals: [
        {
          seq: Number(name),
          program: 'bash --norc --noprofile',
          exit_code: 3,
          cassette: join(`${program.tape}.cassettes`, name),
        },
      ],
    })
    expect(await reprise(['verify', program.tape])).toMatchObject({ code: 0 })
  })

  test('other input than was typed is a divergence, and decides the exit code', async () => {
    const program = await recordDriver(bashWith(DEFAULT_IMPORT))
    program.write(bashWith(DEFAULT_IMPORT, 'echo other-$((6*7))'))
    const replay = await program.replay()
    expect(replay.code).toBe(2)
    expect(replay.stderr).toContain(
      'the program typed "echo other-$((6*7))\\r", the recording has "echo answer-$((6*7))\\r" typed',
    )
  })

  test.each([
    ['types less', `term.write('stty size\\r')`, ''],
    ['does not resize', 'term.resize(100, 30)', ''],
    ['resizes otherwise', 'term.resize(100, 30)', 'term.resize(100, 31)'],
    ['starts another program', "'--noprofile'", "'--noprofile', '-i'"],
  ])('a program that %s diverges', async (_what, from, to) => {
    const source = bashWith(DEFAULT_IMPORT)
    const program = await recordDriver(source)
    program.write(source.replace(from, to))
    expect((await program.replay()).code).toBe(2)
  })

  test('another environment, name or owner of the terminal is a divergence', async () => {
    const source = (env: string, options = '') => `
      import pty from 'node-pty'
      process.env.SET = 'by-the-program'
      delete process.env.GIVEN_AND_DELETED
      const starts = [${env}].map((env) => pty.spawn('true', [], { env${options} }))
      await Promise.all(starts.map((term) => new Promise((resolve) => term.onExit(resolve))))`
    const all = [
      'undefined',
      'process.env',
      "{ ...process.env, A: '1' }",
      "{ PATH: process.env.PATH, B: '2' }",
    ]
    const program = await recordDriver(source(all.join()), {
      env: { GIVEN_AND_DELETED: 'x', API_KEY: 'opaque-value-that-no-rule-knows-4711' },
    })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(program.tape, 'utf8')).not.toContain('4711')
    expect(await program.replay()).toMatchObject({ code: 0, stderr: '' })
    const changes: readonly (readonly [string, string, string?])[] = [
      ["undefined,process.env,{ ...process.env, A: '2' },{ PATH: process.env.PATH, B: '2' }", 'env.A'],
      ["undefined,process.env,{ ...process.env },{ PATH: process.env.PATH, B: '2' }", 'env.A'],
      ["undefined,process.env,{ ...process.env, A: '1' },{ B: '2' }", 'env.PATH'],
      [
        "undefined,process.env,{ ...process.env, A: '1', SET: 'x' },{ PATH: process.env.PATH, B: '2' }",
        'env.SET',
      ],
      [all.join(), 'term', ", name: 'dumb'"],
      [all.join(), 'uid', ', uid: 1234'],
    ]
    for (const [env, path, options] of changes) {
      program.write(source(env, options))
      const replayed = await program.replay()
      expect(replayed, `${env} ${options}`).toMatchObject({ code: 2 })
      expect(replayed.stderr).toContain(`is started with another ${path}`)
    }
  })

  test('is killed, and a second one is left running when the program ends', async () => {
    const program = await recordDriver(`
      import pty from 'node-pty'
      const first = pty.spawn('sleep', ['60'], { handleFlowControl: true })
      const second = pty.spawn('bash', ['--norc'], { env: { PATH: process.env.PATH, PS1: 'ready> ' }, encoding: null })
      const said = []
      second.on('data', (data) => { said.push(data); if (Buffer.concat(said).includes('ready> ')) first.kill('SIGTERM') })
      first.on('exit', (code, signal) => {
        first.write('nobody reads this')
        first.kill()
        console.log(code, signal, Buffer.isBuffer(said[0]), Buffer.concat(said).toString())
        process.exit(0)
      })
    `)
    expect(program.recorded).toMatchObject({ code: 0, stdout: expect.stringContaining('0 15 true') })
    expect(readdirSync(`${program.tape}.cassettes`)).toHaveLength(2)
    expect(await reprise(['verify', program.tape])).toMatchObject({ code: 0 })
    expect(await program.replay()).toMatchObject({ code: 0, stdout: program.recorded.stdout, stderr: '' })
  })

  test('vim on the alternate screen', async (context) => {
    needs(context, 'vim')
    const program = await recordDriver(`
      import { spawn } from '@lydell/node-pty'
      const term = spawn('vim', ['-u', 'NONE', '-n', '-i', 'NONE'], { cols: 60, rows: 12, name: 'xterm-256color' })
      ${TOOLS}
      await until('~')
      term.write('ihello from the tape')
      await until('the tape')
      term.write('\\x1b:q!\\r')
      console.log((await exited).exitCode, seen.includes('\\x1b[?1049h'), seen.length)
    `)
    expect(program.recorded).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 true \d+\n$/) })
    expect(await program.replay()).toMatchObject({ code: 0, stdout: program.recorded.stdout, stderr: '' })
  })

  test('10 MB of output arrive whole and in the same chunks', async () => {
    const program = await recordDriver(`
      import { spawn } from 'node-pty'
      import { createHash } from 'node:crypto'
      const term = spawn('bash', ['-c', 'yes 0123456789abcdef | head -c 10000000'], { encoding: null })
      const hash = createHash('sha256')
      let chunks = 0
      term.onData((data) => { hash.update(data).update(String(data.length)); chunks += 1 })
      term.onExit(({ exitCode }) => console.log(exitCode, chunks, hash.digest('hex')))
    `)
    expect(program.recorded.code).toBe(0)
    expect(await program.replay()).toMatchObject({ code: 0, stdout: program.recorded.stdout, stderr: '' })
  })
})

describe('a terminal that is opened past spawn', () => {
  test.each([
    [
      'open',
      "import pty from 'node-pty'; pty.open({}); process.exit(0)",
      'a terminal without a child is not recorded',
    ],
    [
      'the native part',
      `import { createRequire } from 'node:module'
       const native = createRequire(import.meta.url)('@lydell/node-pty-${process.platform}-${process.arch}/pty.node')
       native.open(80, 24); process.exit(0)`,
      'a terminal opened past node-pty is not recorded',
    ],
  ])('%s: is a gap, and refused in a replay', async (_way, source, reason) => {
    const program = await recordDriver(source)
    expect(program.recorded.code).toBe(0)
    const inspected = JSON.parse((await reprise(['inspect', program.tape, '--json'])).stdout)
    expect(inspected).toMatchObject({
      gaps: [{ boundary: 'terminal', reason }],
      boundaries: { terminal: 'unknown' },
    })
    expect((await program.replay()).code).toBe(2)
  })
})

describe('a secret', () => {
  const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'

  test('neither said, painted out of order nor typed reaches tape or cassette', async () => {
    const program = await recordDriver(
      `
      import { spawn } from 'node-pty'
      const script = 'echo $TOKEN; printf "\\\\033[5;20H%s\\\\033[5;1H%s\\\\n" "$(echo $TOKEN | cut -c20-)" "$(echo $TOKEN | cut -c1-19)"; echo; read -p "Password: " word; echo $word | rev; exit 0'
      const term = spawn('bash', ['-c', script], { env: { ...process.env } })
      ${TOOLS}
      await until('Password: ')
      for (const letter of 'correct horse battery') term.write(letter)
      term.write('\\r')
      console.log((await exited).exitCode)
    `,
      { env: { TOKEN: KEY, API_TOKEN: KEY } },
    )
    expect(program.recorded).toMatchObject({ code: 0, stdout: '0\n' })
    const files = [
      program.tape,
      ...filesUnder(`${program.tape}.cassettes`),
      ...(existsSync(`${program.tape}.cas`) ? filesUnder(`${program.tape}.cas`) : []),
    ]
    for (const file of files) {
      const text = readFileSync(file, 'latin1')
      expect(text, file).not.toContain(KEY)
      expect(text, file).not.toContain(KEY.slice(19))
      expect(text, file).not.toContain('horse')
    }
    expect(
      await reprise(['scrub', program.tape, '--check'], { env: { ...process.env, TOKEN: KEY } }),
    ).toMatchObject({ code: 0 })
    expect(await program.replay()).toMatchObject({ code: 0 })
  })
})

describe('the cassettes of a tape', () => {
  test('missing, changed or exchanged: verify finds it, and a replay refuses', async () => {
    const program = await recordDriver(bashWith(DEFAULT_IMPORT))
    const folder = `${program.tape}.cassettes`
    const [name = ''] = readdirSync(folder)
    const away = join(program.folder, 'away')
    renameSync(join(folder, name), away)
    const missing = await reprise(['verify', program.tape, '--json'])
    expect([missing.code, JSON.parse(missing.stdout).findings]).toMatchObject([
      2,
      [{ code: 'cassette-missing', seq: Number(name) }],
    ])
    const replay = await program.replay()
    expect(replay).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the terminal cannot be replayed'),
    })
    cpSync(away, join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'input.jsonl'), '')
    expect(JSON.parse((await reprise(['verify', program.tape, '--json'])).stdout).findings[0]).toMatchObject({
      code: 'cassette-damaged',
    })
    rmSync(join(folder, name), { recursive: true })
    const other = await recordDriver(bashWith(DEFAULT_IMPORT))
    cpSync(
      join(`${other.tape}.cassettes`, readdirSync(`${other.tape}.cassettes`)[0] ?? ''),
      join(folder, name),
      { recursive: true },
    )
    expect(JSON.parse((await reprise(['verify', program.tape, '--json'])).stdout).findings[0]).toMatchObject({
      code: 'cassette-damaged',
      message: expect.stringContaining('is not the cassette that was recorded'),
    })
    expect((await program.replay()).code).toBe(2)
  })

  test('go with a scrubbed copy, a repaired copy and the tape of a replay, and with a tape that is replaced', async () => {
    const program = await recordDriver(bashWith(DEFAULT_IMPORT))
    const at = (name: string): string => join(program.folder, name)
    expect(await reprise(['scrub', program.tape, '--out', at('clean.tape')])).toMatchObject({ code: 0 })
    expect(await reprise(['repair', program.tape, '--out', at('repaired.tape')])).toMatchObject({ code: 0 })
    const env = { PATH: '/nonexistent' }
    expect(
      await reprise(['replay', program.tape, '--emit-tape', at('emitted.tape')], {
        cwd: program.folder,
        env,
      }),
    ).toMatchObject({ code: 0 })
    for (const copy of ['clean.tape', 'repaired.tape', 'emitted.tape']) {
      expect(await reprise(['verify', at(copy)]), copy).toMatchObject({ code: 0 })
      expect(await reprise(['replay', at(copy)], { cwd: program.folder, env }), copy).toMatchObject({
        code: 0,
        stdout: program.recorded.stdout,
      })
    }
    expect(await reprise(['fidelity', program.tape, at('emitted.tape')])).toMatchObject({ code: 0 })
    expect(
      await reprise(['record', '--force', '--out', program.tape, '--', process.execPath, '-e', '0'], {
        cwd: program.folder,
      }),
    ).toMatchObject({
      code: 0,
    })
    expect(existsSync(`${program.tape}.cassettes`)).toBe(false)
  })
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  )
}

/** The lines between header and seal. */
function linesOf(tape: string): string[] {
  return readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1, -1)
}
