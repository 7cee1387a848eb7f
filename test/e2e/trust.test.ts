/**
 * A tape does not choose what is executed: what `replay` and `fidelity --against` run without a word of the
 * user's.
 */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { reseal } from '../support/reseal.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = 'console.log(Date.now() > 0 && "ran")'

async function recorded(...command: string[]): Promise<string> {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'agent.mjs'), SOURCE)
  writeFileSync(join(cwd, 'setup.mjs'), '')
  await reprise(['record', '--out', 'run.tape', '--', process.execPath, ...command], { cwd })
  return cwd
}

function editHeader(cwd: string, edit: (program: Record<string, unknown>) => void): void {
  reseal(join(cwd, 'run.tape'), ([header = '', ...records]) => {
    const value = JSON.parse(header)
    edit(value.program)
    return [JSON.stringify(value), ...records]
  })
}

test.each<[what: string, command: string[], edit: (program: Record<string, unknown>) => void, shown: string]>(
  [
    ['inline source', ['-e', SOURCE], () => undefined, '-e'],
    [
      'an option that loads code',
      ['--import', './setup.mjs', 'agent.mjs'],
      () => undefined,
      '--import ./setup.mjs',
    ],
    [
      'an option that opens a port',
      ['agent.mjs'],
      (program) => Object.assign(program, { exec_args: ['--inspect=0'] }),
      '--inspect',
    ],
    [
      'a script in a URL',
      ['agent.mjs'],
      (program) => Object.assign(program, { script: `data:text/javascript,${SOURCE}` }),
      'data:',
    ],
    [
      'a script that is not there',
      ['agent.mjs'],
      (program) => Object.assign(program, { script: 'gone.mjs' }),
      'gone.mjs',
    ],
  ],
)(
  '%s is not run unasked, and the refusal prints the command and the flag',
  async (_what, command, edit, shown) => {
    const cwd = await recorded(...command)
    editHeader(cwd, edit)
    const replay = await reprise(['replay', 'run.tape'], { cwd })
    expect([replay.code, replay.stdout]).toEqual([125, ''])
    for (const part of ['[replay-untrusted]', '--trust', shown]) expect(replay.stderr).toContain(part)
    for (const more of [[], ['--live']]) {
      const against = await reprise(['fidelity', '--against', 'run.tape', ...more], { cwd })
      expect([against.code, against.stdout, against.stderr.includes('[replay-untrusted]')]).toEqual([
        1,
        '',
        true,
      ])
    }
  },
)

test.each(['./node', '$ROOT/node', 'the absolute path'])(
  'a file named node that comes with the tape is not executed, not even for its version: %s',
  async (name) => {
    const cwd = await recorded('agent.mjs')
    const file = join(cwd, 'node')
    writeFileSync(file, '#!/bin/sh\necho executed > executed.txt\necho v99.0.0\n', { mode: 0o755 })
    reseal(join(cwd, 'run.tape'), ([header = '', ...records]) => {
      const command = [name === 'the absolute path' ? file : name, 'agent.mjs']
      return [JSON.stringify({ ...JSON.parse(header), command, node: 'v99.0.0' }), ...records]
    })
    expect(await reprise(['replay', 'run.tape'], { cwd })).toMatchObject({ code: 0, stdout: 'ran\n' })
    await reprise(['fidelity', '--against', 'run.tape'], { cwd })
    expect(existsSync(join(cwd, 'executed.txt'))).toBe(false)
    if (name !== 'the absolute path') return
    await reprise(['replay', 'run.tape', '--trust'], { cwd })
    expect(existsSync(join(cwd, 'executed.txt'))).toBe(true)
  },
)

test('--trust runs what the tape names', async () => {
  const cwd = await recorded('-e', SOURCE)
  expect(await reprise(['replay', 'run.tape', '--trust'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'ran\n',
  })
  expect(await reprise(['fidelity', '--against', 'run.tape', '--trust'], { cwd })).toMatchObject({ code: 0 })
})

test('a seal that was signed with the given key is trusted; another key, a changed line or no signature is not', async () => {
  const cwd = await recorded('-e', SOURCE)
  const tape = join(cwd, 'run.tape')
  const pair = (): { privateKey: string; publicKey: string } =>
    generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
  const [mine, other] = [pair(), pair()]
  writeFileSync(join(cwd, 'mine.pem'), mine.publicKey)
  const replay = () => reprise(['replay', 'run.tape', '--key', 'mine.pem'], { cwd })
  expect((await replay()).stderr).toContain('the seal is not signed')
  reseal(tape, (lines) => lines, mine.privateKey)
  expect(await replay()).toMatchObject({ code: 0, stdout: 'ran\n' })
  const signed = readFileSync(tape, 'utf8')
  writeFileSync(tape, signed.replace('console.log', 'console.warn'))
  expect(await replay()).toMatchObject({ code: 125, stdout: '' })
  reseal(tape, (lines) => lines, other.privateKey)
  expect(await replay()).toMatchObject({ code: 125, stdout: '' })
})

test('a command after -- is the choice of the user', async () => {
  const cwd = await recorded('--import', './setup.mjs', 'agent.mjs')
  expect(existsSync(join(cwd, 'setup.mjs'))).toBe(true)
  const run = await reprise(
    ['replay', 'run.tape', '--', process.execPath, '--import', './setup.mjs', 'agent.mjs'],
    { cwd },
  )
  expect(run).toMatchObject({ code: 0, stdout: 'ran\n' })
})

test('another program than the recorded one is unverified, and both are named', async () => {
  const cwd = await recorded('agent.mjs')
  writeFileSync(join(cwd, 'other.mjs'), `${SOURCE} //`)
  const run = await reprise(['replay', 'run.tape', '--', process.execPath, 'other.mjs'], { cwd })
  expect([run.code, run.stdout]).toEqual([2, 'ran\n'])
  expect(run.stderr).toContain('another program ran: recorded was agent.mjs, this is other.mjs')
  // The same content under another name is the same program.
  writeFileSync(join(cwd, 'copy.mjs'), SOURCE)
  expect(await reprise(['replay', 'run.tape', '--', process.execPath, 'copy.mjs'], { cwd })).toMatchObject({
    code: 0,
  })
  const other = await reprise(['replay', 'run.tape', '--', process.execPath, 'agent.mjs', 'more'], { cwd })
  expect([other.code, other.stderr.includes('with other arguments')]).toEqual([2, true])
})
