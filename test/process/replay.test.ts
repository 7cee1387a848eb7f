/**
 * Subprocesses through the built command line: as in a plain run while recorded, and again from the tape with
 * nothing to start on the PATH.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { binary, forkedChild, interactive, parallel, steadyPrograms } from './programs.ts'

/** Nothing can be started by name; what a replay starts is refused by the system. */
const NOTHING = { ...process.env, PATH: '/nonexistent' }

describe('a program with subprocesses', () => {
  it.each(steadyPrograms)('%s: recorded as it runs plain, and replayed', async (_name, source) => {
    const files = { 'forked.mjs': forkedChild }
    const plain = await runPlain(source, files)
    const program = await recordProgram(source, {}, 'agent.mjs', [], files)
    expect(program.recorded).toEqual(plain)
    expect(plain.code).toBe(0)
    const { report, ...run } = await program.replay({ env: NOTHING })
    expect(report.divergences).toEqual([])
    expect(report.verdict).toBe('faithful')
    expect(run).toEqual(program.recorded)
  })

  it.each([
    ['twenty at once, in the order in which they ended', parallel],
    ['binary output, cut where the world cut it', binary],
  ])('%s', async (_name, source) => {
    const program = await recordProgram(source)
    expect(program.recorded.code).toBe(0)
    const run = await program.replay({ env: NOTHING })
    expect(run.stdout).toBe(program.recorded.stdout)
    expect(run.report.verdict).toBe('faithful')
  })

  it('crashes in the middle, and crashes again', async () => {
    const program = await recordProgram(`
      import { spawn } from 'node:child_process'
      const child = spawn('sh', ['-c', 'echo one; sleep 0.05; echo two; sleep 20'])
      let seen = ''
      child.stdout.on('data', (bytes) => { seen += bytes; if (seen.includes('two')) { console.log(seen); child.kill(); throw new Error('in the middle') } })`)
    expect(program.recorded).toMatchObject({ code: 1, stdout: 'one\ntwo\n\n' })
    const run = await program.replay({ env: NOTHING })
    expect(run).toMatchObject({ code: 1, stdout: 'one\ntwo\n\n' })
    expect(run.report.verdict).toBe('faithful')
  })

  it('leaves a child running', async () => {
    const program = await recordProgram(`
      import { spawn } from 'node:child_process'
      const server = spawn('sh', ['-c', 'echo up; sleep 2'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
      server.stdout.once('data', (bytes) => { console.log(String(bytes)); server.unref(); server.stdout.destroy() })
      const quiet = spawn('sleep', ['2'], { detached: true, stdio: 'ignore' })
      quiet.unref()`)
    expect(program.recorded).toMatchObject({ code: 0, stdout: 'up\n\n' })
    const run = await program.replay({ env: NOTHING })
    expect(run).toMatchObject({ code: 0, stdout: 'up\n\n' })
    expect(run.report.verdict).toBe('faithful')
  })

  it('moves with its folder: paths below it are the recorded ones', async () => {
    const program = await recordProgram(`
      import { execFileSync } from 'node:child_process'
      import { fileURLToPath } from 'node:url'
      const here = fileURLToPath(new URL('.', import.meta.url))
      console.log(execFileSync('sh', ['-c', 'echo ran', here + 'x'], { cwd: here, encoding: 'utf8' }))`)
    const elsewhere = join(tempFolder(), 'elsewhere')
    mkdirSync(elsewhere)
    for (const name of ['agent.mjs', 'run.tape'])
      copyFileSync(join(program.folder, name), join(elsewhere, name))
    rmSync(program.folder, { recursive: true })
    const run = await reprise(['replay', join(elsewhere, 'run.tape')], { cwd: elsewhere, env: NOTHING })
    expect(run).toMatchObject({ code: 0, stdout: 'ran\n\n' })
  })

  it('says in the seal that subprocesses are captured', async () => {
    const program = await recordProgram(`import { execSync } from 'node:child_process'\nexecSync('true')`)
    const summary = JSON.parse((await reprise(['inspect', program.tape, '--json'])).stdout)
    expect(summary.boundaries.process).toBe('captured')
    expect(summary.gaps).toEqual([])
  })
})

describe('what a replay finds', () => {
  it('different stdin, by its line', async () => {
    const program = await recordProgram(interactive(['a', 'b', 'c']))
    program.change(interactive(['a', 'B', 'c']))
    const run = await program.replay({ env: NOTHING })
    expect(run.code).toBe(2)
    expect(run.report.divergences[0]).toMatchObject({
      category: 'content',
      path: 'line 2',
      expected: '"b"',
      actual: '"B"',
    })
    expect(run.report.divergences[0]?.message).toMatch(
      /^Replay diverged at record \d+: what the program sends to stdin of sh -c "while read line; [^\n]*" @ \* differs from line 2 on\n {2}expected {5}"b"\n {2}got {10}"B"$/,
    )
  })

  it('stdin that is shorter, longer, or missing', async () => {
    const program = await recordProgram(feeding('one\ntwo\n'))
    for (const [given, expected, actual] of [
      ['one\n', '"two"', 'the end'],
      ['one\ntwo\nthree\n', 'the end', '"three"'],
      ['', '"one"', 'the end'],
    ] as const) {
      program.change(feeding(given))
      const run = await program.replay({ env: NOTHING })
      expect(run.code).toBe(2)
      expect(run.report.divergences).toContainEqual(
        expect.objectContaining({ category: 'content', expected, actual }),
      )
    }
  })

  it('a changed argument, with the nearest that is recorded', async () => {
    const listing = (flag: string): string => `
      import { execFileSync } from 'node:child_process'
      execFileSync('true'); console.log(execFileSync('echo', ['${flag}', 'files'], { encoding: 'utf8' }))`
    const program = await recordProgram(listing('--all'))
    program.change(listing('--none'))
    const run = await program.replay({ env: NOTHING })
    expect(run.code).toBe(2)
    expect(run.report.divergences[0]).toMatchObject({
      category: 'unmatched',
      actual: 'sync echo --none files @ *',
    })
    expect(run.report.divergences[0]?.message).toMatch(/\n {2}closest {6}#\d+ sync echo --all files @ \*$/)
    expect(run.report.unused).toEqual([expect.objectContaining({ summary: 'sync echo --all files @ *' })])
  })

  it('a subprocess that is not started any more', async () => {
    const program = await recordProgram(
      `import { spawn } from 'node:child_process'\nspawn('echo', ['x']).on('close', () => spawn('true'))`,
    )
    program.change(`import { spawn } from 'node:child_process'\nspawn('echo', ['x'])`)
    const run = await program.replay({ env: NOTHING })
    expect(run.code).toBe(2)
    expect(run.report.unused).toEqual([expect.objectContaining({ summary: 'true @ *' })])
  })

  it('another signal', async () => {
    const killing = (signal: string): string => `
      import { spawn } from 'node:child_process'
      const child = spawn('sleep', ['20'])
      child.on('close', (...end) => console.log(end))
      child.on('spawn', () => child.kill('${signal}'))`
    const program = await recordProgram(killing('SIGTERM'))
    program.change(killing('SIGINT'))
    const run = await program.replay({ env: NOTHING })
    expect(run.code).toBe(2)
    expect(run.report.divergences[0]).toMatchObject({
      category: 'content',
      expected: '"SIGTERM"',
      actual: '"SIGINT"',
    })
  })
})

describe('secrets', () => {
  it('reach no tape: in arguments, environment, stdin and output', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCDEFGH'
    const program = await recordProgram(
      `
      import { spawn, spawnSync } from 'node:child_process'
      const key = process.env.OPENAI_API_KEY
      console.log(spawnSync('sh', ['-c', 'cat; echo $TOKEN', key], { input: 'key=' + key, env: { ...process.env, TOKEN: key + 'x' }, encoding: 'utf8' }).stdout.length > 20)
      const child = spawn('cat')
      child.stdout.on('data', (bytes) => console.log(String(bytes).startsWith('token')))
      child.stdin.write('token ' + key.slice(0, 12)); child.stdin.end(key.slice(12))`,
      { OPENAI_API_KEY: secret },
    )
    expect(program.recorded.code).toBe(0)
    const cas = `${program.tape}.cas`
    const text = readFileSync(program.tape, 'utf8')
    expect(text).toContain('<redacted:')
    expect(text).not.toContain('klmnopqrstuvwx')
    expect(existsSync(cas)).toBe(false)
    const run = await program.replay({
      env: { ...NOTHING, OPENAI_API_KEY: 'sk-proj-another0123456789another0123456789another01' },
    })
    expect(run.report.divergences).toEqual([])
    expect(run.report.verdict).toBe('faithful')
  })
})

describe('a process tape that was imported', () => {
  it('is served to whichever call starts the program, and what is left is told', async () => {
    const folder = tempFolder()
    writeFileSync(
      join(folder, 'p.json'),
      JSON.stringify([
        { program: 'git', args: ['status'], stdout: 'On branch main\n' },
        { program: 'git', args: ['status'], stdout: 'again\n', stderr: 'careful\n', exit_code: 3 },
        { program: 'make', args: [], cwd: '/w', stdout: 'made\n' },
        { program: 'ls' },
      ]),
    )
    writeFileSync(
      join(folder, 'agent.mjs'),
      `import { execFileSync, spawn, spawnSync } from 'node:child_process'
      console.log(execFileSync('git', ['status'], { encoding: 'utf8', cwd: '/anywhere' }))
      const git = spawn('git', ['status'])
      git.stdout.on('data', (bytes) => console.log(String(bytes))); git.stderr.on('data', (bytes) => console.log(String(bytes)))
      git.on('close', (...end) => { console.log(end); console.log(spawnSync('make', { cwd: '/w', encoding: 'utf8' }).stdout) })`,
    )
    await reprise(['import', 'process-tape', 'p.json', '--out', 'p.tape'], { cwd: folder })
    const run = await reprise(
      ['replay', 'p.tape', '--report', 'report.json', '--', process.execPath, 'agent.mjs'],
      { cwd: folder, env: NOTHING },
    )
    expect(run.stdout).toBe('On branch main\n\nagain\n\ncareful\n\n[ 3, null ]\nmade\n\n')
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    expect(report.divergences).toEqual([])
    expect(report.unused).toEqual([{ seq: 3, kind: 'process_spawn', summary: 'ls' }])
  })
})

function feeding(text: string): string {
  return `
    import { spawn } from 'node:child_process'
    const child = spawn('cat')
    child.stdout.resume()
    child.stdin.on('error', () => undefined)
    child.stdin.end(${JSON.stringify(text)})`
}

async function runPlain(
  source: string,
  files: Readonly<Record<string, string>>,
): ReturnType<typeof runChild> {
  const folder = tempFolder()
  for (const [name, text] of Object.entries({ ...files, 'agent.mjs': source }))
    writeFileSync(join(folder, name), text)
  return await runChild(process.execPath, ['agent.mjs'], { cwd: folder })
}
