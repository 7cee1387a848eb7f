/** What a program writes counts though it ends before it is told that the write is done. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const head = `import fs from 'node:fs'\nimport fsp from 'node:fs/promises'\n`
const programs: readonly (readonly [what: string, program: (text: string) => string])[] = [
  ['a promise that is not awaited', (text) => `fsp.writeFile('out.txt', '${text}'); process.exit(0)`],
  [
    'a stream in the middle of a write',
    (text) =>
      `const out = fs.createWriteStream('out.txt'); out.write('${text}'); out.on('open', () => setImmediate(() => process.exit(0)))`,
  ],
  [
    'a stream that adds',
    (text) =>
      `const out = fs.createWriteStream('old.log', { flags: 'a' }); out.write('${text}', () => out.write('more', () => process.exit(0)))`,
  ],
  ['a log in the overlay', (text) => `const fd = fs.openSync('old.log', 'a'); fs.writeSync(fd, '${text}')`],
]

test.for(programs)('%s', async ([what, program]) => {
  const options = what.includes('overlay') ? ['--fs', 'overlay'] : []
  const recorded = await recordProgram(head + program('first'), {}, 'agent.mjs', options, {
    'old.log': 'what was there\n',
  })
  const same = await recorded.replay()
  expect(same.report).toMatchObject({ verdict: 'faithful', divergences: [] })
  recorded.change(head + program('other'))
  const { code, report } = await recorded.replay()
  expect(code).toBe(2)
  expect(report.divergences.map(({ category }) => category)).toContain('content')
  expect(report.divergences[0]?.message).toMatch(/out\.(?:log|txt)|old\.log/)
})

test('a secret in a file that stays open reaches no tape', async () => {
  const source = `${head}const fd = fs.openSync('out.log', 'w'); fs.writeSync(fd, 'key ' + process.env.API_KEY)`
  const recorded = await recordProgram(source, { API_KEY: 'Zx81-unfinished-value' })
  expect(readFileSync(recorded.tape, 'utf8')).not.toContain('Zx81-unfinished')
  const { report } = await recorded.replay()
  expect(report.verdict).toBe('faithful')
})

test('what the tape does not say is not vouched for', async () => {
  const recorded = await recordProgram(
    `${head}const fd = fs.openSync('out.log', 'w'); fs.writeSync(fd, 'one'); fs.unlinkSync('out.log')`,
  )
  const { code, report } = await recorded.replay()
  expect(code).toBe(2)
  expect(report.verdict).toBe('unverified')
  expect(report.reasons).toEqual([
    'what was written to out.log, and not finished at the end, is not on the tape',
  ])
})

test('nothing is said of what cannot hold anything', async () => {
  const recorded = await recordProgram(
    `${head}const fd = fs.openSync('/dev/null', 'w'); fs.writeSync(fd, 'one'); console.log('done')`,
  )
  writeFileSync(`${recorded.folder}/unused`, '')
  const { report } = await recorded.replay()
  expect(report.verdict).toBe('faithful')
})
