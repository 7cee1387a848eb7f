/**
 * `reprise replay`, `reprise fidelity recorded emitted` and `reprise fidelity --against` give the same
 * verdict on the same run.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

type ExitCodes = {
  readonly replay: number | null
  readonly fidelity: number | null
  readonly against: number | null
}

/** A program whose code is in a file that its digests do not cover: it can be changed unseen. */
function recordPart(source: string): Promise<RecordedProgram> {
  return recordProgram("await import('./' + ['part', 'mjs'].join('.'))", {}, 'agent.mjs', [], {
    'part.mjs': source,
  })
}

/** `source`: replaces the part of the recorded program. */
async function exitCodes({ folder, tape }: RecordedProgram, source?: string): Promise<ExitCodes> {
  if (source !== undefined) writeFileSync(join(folder, 'part.mjs'), source)
  const emitted = join(tempFolder(), 'second.tape')
  const options = { cwd: folder }
  const { code } = await reprise(['replay', tape, '--emit-tape', emitted], options)
  const fidelity = await reprise(['fidelity', tape, emitted], options)
  const against = await reprise(['fidelity', '--against', tape], options)
  return { replay: code, fidelity: fidelity.code, against: against.code }
}

const DIFFERENT: ExitCodes = { replay: 2, fidelity: 2, against: 2 }
const SAME: ExitCodes = { replay: 0, fidelity: 0, against: 0 }

const REFUSED = "await fetch('http://127.0.0.1:4001/x').catch(() => undefined)"

const toChild = (text: string): string => `
  import { spawn } from 'node:child_process'
  const child = spawn('cat')
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.stdout.resume()
  child.stdin.end(${JSON.stringify(text)})`

const inFolder = (cwd: string): string => `
  import { spawnSync } from 'node:child_process'
  try {
    spawnSync('true', [], { cwd: ${JSON.stringify(cwd)} })
  } catch {}`

test.each([
  ['a refusal that the program swallows', 'Date.now()', `Date.now()\n${REFUSED}`],
  ['other bytes to the stdin of a child', toChild('one'), toChild('two')],
  ['another cwd of spawnSync', inFolder('/'), inFolder('/tmp')],
])('%s: all exit with 2', async (_name, source, changed) => {
  const program = await recordPart(source)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(await exitCodes(program, source)).toEqual(SAME)
  expect(await exitCodes(program, changed)).toEqual(DIFFERENT)
})

const writesByStream = (options: string): string => `
  import { createWriteStream } from 'node:fs'
  import { finished } from 'node:stream/promises'
  const stream = createWriteStream('log.txt'${options})
  stream.write('one ')
  stream.end('two')
  await finished(stream)`

test.each([
  ['from its beginning', ''],
  ['at its end', ", { flags: 'a' }"],
  ['in its middle', ", { flags: 'r+', start: 2 }"],
])(
  'an unchanged program that writes by a stream to an existing file, %s: all exit with 0',
  async (_name, options) => {
    const program = await recordProgram(writesByStream(options), {}, 'agent.mjs', [], {
      'log.txt': 'before\n',
    })
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(await exitCodes(program)).toEqual(SAME)
  },
)

test('clock reads that only one run makes count for `fidelity` of two tapes, and not for a replay', async () => {
  const program = await recordPart('Date.now()')
  expect(await exitCodes(program, 'Date.now()\nDate.now()')).toEqual({ replay: 0, fidelity: 2, against: 0 })
  const strict = await reprise(['fidelity', '--against', program.tape, '--mode', 'byte-identical'], {
    cwd: program.folder,
  })
  expect(strict).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 clock read(s) that are not on the tape'),
  })
})

test('more tolerated differences than are listed hide no other difference', async () => {
  const program = await recordPart('for (let n = 0; n < 10_500; n += 1) Date.now()')
  expect(await exitCodes(program, 'Date.now()')).toEqual({ replay: 0, fidelity: 2, against: 0 })
  expect(await exitCodes(program, `Date.now()\n${REFUSED}`)).toEqual(DIFFERENT)
  expect(await exitCodes(program, 'Date.now()\nprocess.stdout.write("more")')).toEqual(DIFFERENT)
})
