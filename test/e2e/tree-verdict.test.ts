/** What a replay of one tape leaves out: the tapes of children. The verdict and the reports name it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ANSWER = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
})
const ASK = `
const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] })
const headers = { 'content-type': 'application/json' }
const answer = await fetch(process.env.MODEL + '/v1/chat/completions', { method: 'POST', headers, body })
console.log((await answer.json()).choices[0].message.content)
`
const START = `
import { spawnSync } from 'node:child_process'
process.stdout.write(spawnSync(process.execPath, ['child.mjs'], { encoding: 'utf8' }).stdout)
`

/** Records `main.mjs`, and stops the model. */
async function recorded(main: string, child: string): Promise<string> {
  const folder = tempFolder()
  writeFileSync(join(folder, 'main.mjs'), main)
  writeFileSync(join(folder, 'child.mjs'), child)
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(ANSWER))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const env = { PATH: process.env.PATH, MODEL: `http://127.0.0.1:${port}` }
  const command = ['record', '--out', 'run.tape', '--', process.execPath, 'main.mjs']
  expect((await reprise(command, { cwd: folder, env })).code).toBe(0)
  return folder
}

async function replayed(folder: string, ...args: string[]) {
  const run = await reprise(['replay', 'run.tape', '--report', 'report.json', ...args], { cwd: folder })
  return { ...run, report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) }
}

test('model calls of children only: a plain replay is unverified and names the command, --tree is faithful', async () => {
  const folder = await recorded(START, ASK)
  const { code, stderr, report } = await replayed(folder)
  expect([code, report.verdict]).toEqual([2, 'unverified'])
  const command = 'reprise replay run.tape --tree'
  expect(report.unreplayed).toEqual({ tapes: ['1.tape'], model_calls: 1, command })
  expect(stderr).toContain(
    `all model calls (1) are on the tapes of children, which were not replayed: ${command}\n`,
  )
  const tree = await replayed(folder, '--tree')
  expect([tree.code, tree.stderr, tree.report.tree_verdict]).toEqual([0, '', 'faithful'])
})

test('a program with model calls of its own and a Node child: faithful, and the report has the tapes of children', async () => {
  const folder = await recorded(`${START}${ASK}`, 'console.log(Math.random())')
  const { code, stderr, report } = await replayed(folder)
  expect([code, stderr, report.verdict]).toEqual([0, '', 'faithful'])
  expect(report.unreplayed).toMatchObject({ tapes: ['1.tape'], model_calls: 0 })
})

test('fidelity --against replays the tapes of children, and every format has a row for each', async () => {
  const folder = await recorded(START, 'console.log("a")\nsetTimeout(() => undefined, 1)')
  const against = (format: string) =>
    reprise(['fidelity', '--against', 'run.tape', '--report', 'out', '--format', format], { cwd: folder })
  const written = (): string => readFileSync(join(folder, 'out'), 'utf8')
  expect((await against('json')).code).toBe(0)
  expect(JSON.parse(written())).toMatchObject({
    passed: true,
    children: [{ tape: '1.tape', verdict: 'same', message: null }],
  })
  writeFileSync(join(folder, 'child.mjs'), 'console.log("a")')
  const { code, stderr, stdout } = await against('json')
  expect([code, stdout.includes('not the same: 1 of 1 child tape')]).toEqual([2, true])
  expect(stderr).toMatch(/^reprise: child 1\.tape: The program ended before record \d+/m)
  expect(JSON.parse(written())).toMatchObject({
    verdict: 'same',
    passed: false,
    children: [{ tape: '1.tape', verdict: 'diverged' }],
  })
  await against('junit')
  expect(written()).toMatch(
    /failures="1"[\s\S]*<testcase [^>]*name="child 1\.tape">\s*<failure type="child_diverged"/,
  )
  await against('markdown')
  expect(written()).toContain('- child 1&#46;tape&#58; The program ended before record')
  await against('github')
  expect(written()).toContain('::error title=fidelity::child 1.tape: The program ended before record')
})
