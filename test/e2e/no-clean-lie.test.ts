/**
 * A replay never calls a run faithful that was not one, and a tape that is not whole is never the base of
 * anything.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

describe('a tape that was edited by hand', () => {
  const source = `
    import fs from 'node:fs'
    fs.writeFileSync('in.txt', 'approve: no')
    fs.readFileSync('in.txt')
    console.log('done', Date.now() > 0)`

  test('is not whole: its replay is unverified, and says why', async () => {
    const program = await recordProgram(source)
    writeFileSync(program.tape, readFileSync(program.tape, 'utf8').replaceAll('approve: no', 'approve: it'))
    const { code, report } = await program.replay()
    expect(code).toBe(2)
    expect(report.verdict).not.toBe('faithful')
    expect(report.reasons.join()).toContain('the tape is not whole')
  })

  test('is not applied, not even with --force', async () => {
    const program = await recordProgram(source)
    writeFileSync(program.tape, readFileSync(program.tape, 'utf8').replaceAll('approve: no', 'approve: it'))
    const to = join(program.folder, 'to')
    mkdirSync(to)
    const run = await reprise(['apply', program.tape, '--to', to, '--yes', '--force'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('the tape is not whole')
    expect(existsSync(join(to, 'in.txt'))).toBe(false)
  })
})

const randomness: readonly (readonly [what: string, recorded: string, replayed: string, category: string])[] =
  [
    ['more bytes', 'crypto.randomBytes(16)', 'crypto.randomBytes(32)', 'random_size'],
    [
      'more bytes of the web',
      'crypto.webcrypto.getRandomValues(new Uint8Array(4))',
      'crypto.webcrypto.getRandomValues(new Uint8Array(8))',
      'random_size',
    ],
    [
      'fewer bytes to fill',
      'crypto.randomFillSync(Buffer.alloc(8))',
      'crypto.randomFillSync(Buffer.alloc(4))',
      'random_size',
    ],
    ['one draw fewer', 'Math.random()', '0', 'random_missing'],
  ]

test.for(randomness)(
  'a program that asks for other randomness is told so: %s',
  async ([, recorded, replayed, category]) => {
    const program = await recordProgram(`import crypto from 'node:crypto'\n${recorded}\nconsole.log('done')`)
    program.change(`import crypto from 'node:crypto'\ntry { ${replayed} } catch {}\nconsole.log('done')`)
    const { code, report } = await program.replay()
    expect(code).toBe(2)
    expect(report.divergences.map((divergence) => divergence.category)).toContain(category)
  },
)

test('a divergence in a listener of the end has a verdict', async () => {
  const source = (text: string): string => `
    import fs from 'node:fs'
    process.on('exit', () => fs.appendFileSync('exit.txt', '${text}'))`
  const program = await recordProgram(source('one'))
  program.change(source('two'))
  const { code, report } = await program.replay()
  expect(code).toBe(2)
  expect(report.verdict).toBe('diverged')
})

test('a secret that is read from a .env file reaches no tape, and its replay is faithful', async () => {
  const source = `
    import fs from 'node:fs'
    if (!fs.existsSync('.env')) fs.writeFileSync('.env', ['# settings', 'export TOKEN="s3cr3t-' + 'Zx81-value-QQ"', 'PORT=8080', ''].join('\\n'))
    const [, token] = /TOKEN="(.*)"/.exec(fs.readFileSync('.env', 'utf8'))
    console.log(token.length > 3, token)`
  const program = await recordProgram(source)
  expect(program.recorded.stdout).toBe('true s3cr3t-Zx81-value-QQ\n')
  expect(readFileSync(program.tape, 'utf8')).not.toContain('Zx81-value-QQ')
  const { report } = await program.replay()
  expect(report.verdict).toBe('faithful')
})

test.for([
  ['fs.writeSync(1, text)', 'stdout'],
  ["fs.write(2, Buffer.from(text), () => console.log('told'))", 'stderr'],
  ['fs.createWriteStream(null, { fd: 1 }).write(text)', 'stdout'],
] as const)('what is written by descriptor counts as output: %s', async ([statement, stream]) => {
  const source = (text: string): string => `import fs from 'node:fs'\nconst text = '${text}'\n${statement}`
  const program = await recordProgram(source('one'))
  const same = await program.replay()
  expect(same.report.verdict).toBe('faithful')
  expect(same[stream]).toBe(program.recorded[stream])
  program.change(source('two'))
  const { code, report } = await program.replay()
  expect(code).toBe(2)
  expect(report.divergences.map((divergence) => divergence.category)).toContain(stream)
})

test('a tape whose payloads are gone is refused in one line', async () => {
  const program = await recordProgram(
    `import fs from 'node:fs'\nfs.writeFileSync('big.txt', 'x'.repeat(9000))\nfs.readFileSync('big.txt')`,
  )
  const folder = `${program.tape}.cas`
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (name.isFile()) rmSync(join(name.parentPath, name.name))
  const some = await reprise(['replay', program.tape], { cwd: program.folder })
  expect(some.code).not.toBe(0)
  expect(some.stderr).toContain('[cas-missing]')
  expect(some.stderr).not.toContain('    at ')
  rmSync(folder, { recursive: true })
  expect(await reprise(['replay', program.tape], { cwd: program.folder })).toEqual({
    code: 125,
    signal: null,
    stdout: '',
    stderr: `reprise: the folder with the payloads of ${program.tape} is not there [cas-missing]; hint: put ${folder} back next to the tape\n`,
  })
})
