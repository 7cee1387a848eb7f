/** In a what-if the program reads the files as this run wrote them, whatever the recording wrote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

const HEAD = `import fs from 'node:fs'
const show = () => console.log(JSON.stringify(fs.readFileSync('log.txt', 'utf8')))
const sync = (text, flags = 'a') => { const fd = fs.openSync('log.txt', flags); fs.writeSync(fd, text); fs.closeSync(fd) }
const mood = () => fs.readFileSync('mood.txt', 'utf8')
`

/** What the program shows when the mood is another one, and when the tape of that run is replayed. */
async function shownIf(source: string): Promise<readonly string[]> {
  const program = await recordProgram(HEAD + source, {}, 'agent.mjs', [], { 'mood.txt': 'calm' })
  const lines = readFileSync(program.tape, 'utf8').split('\n')
  const read = lines.find((line) => line.includes('"file_read"') && line.includes('mood.txt'))
  const out = join(program.folder, 'other.tape')
  const edit = `${JSON.parse(read ?? '{}').seq}={"content":"angry"}`
  const words = ['what-if', program.tape, '--quiet', '--set', edit, '--out', out]
  const { stdout } = await reprise(words, { cwd: program.folder })
  expect(await reprise(['replay', out], { cwd: program.folder })).toMatchObject({ code: 0, stdout })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test.each([
  [
    'lines that are appended after another content',
    "fs.writeFileSync('log.txt', mood() + '\\n'); fs.appendFileSync('log.txt', 'two\\n'); show(); sync('three\\n'); show()",
    ['angry\ntwo\n', 'angry\ntwo\nthree\n'],
  ],
  [
    'another line after lines from before the edit',
    "sync('one\\n'); sync('two\\n'); sync(mood() + '\\n'); sync('four\\n'); show()",
    ['one\ntwo\nangry\nfour\n'],
  ],
  [
    'two other lines',
    "sync('one\\n'); const now = mood(); sync(now + '\\n'); sync('three\\n'); sync(now + '\\n'); sync('five\\n'); show()",
    ['one\nangry\nthree\nangry\nfive\n'],
  ],
  [
    'the recorded content again',
    "fs.writeFileSync('log.txt', mood()); fs.writeFileSync('log.txt', 'new'); show()",
    ['new'],
  ],
  [
    'a place in the middle of another content',
    "fs.writeFileSync('log.txt', mood() + ' is the mood'); sync('ANG', 'r+'); show()",
    ['ANGry is the mood'],
  ],
  [
    'a file that is removed and made again',
    "fs.writeFileSync('log.txt', mood()); fs.rmSync('log.txt'); sync('fresh\\n'); sync('two\\n'); show()",
    ['fresh\ntwo\n'],
  ],
  [
    'an empty file in the place of another one',
    "fs.writeFileSync('log.txt', mood() === 'calm' ? 'full' : ''); fs.appendFileSync('log.txt', 'end'); show()",
    ['end'],
  ],
])('%s', async (_what, source, shown) => {
  expect(await shownIf(source)).toEqual(shown)
})
