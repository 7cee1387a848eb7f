/** Native handles that Node's public objects give away start, bind and send nothing in a replay. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
  import { readFileSync } from 'node:fs'
  console.log(readFileSync('input.txt', 'utf8'))
  await import(['./', 'changed', '.mjs'].join(''))`

/** Each error is swallowed. */
const ATTACK = `
  import { ChildProcess } from 'node:child_process'
  import { createSocket } from 'node:dgram'
  const stdio = [{ type: 'ignore' }, { type: 'ignore' }, { type: 'ignore' }]
  try {
    const Process = new ChildProcess()._handle.constructor
    new Process().spawn({ file: 'touch', args: ['touch', 'escaped'], stdio })
  } catch {}
  try {
    const socket = createSocket('udp4')
    const symbol = Object.getOwnPropertySymbols(socket).find((each) => String(each).includes('state'))
    socket[symbol].handle.bind('127.0.0.1', 0, 0)
  } catch {}`

test('the handles of a child and of a datagram socket are refused, and named', async () => {
  const cwd = tempFolder()
  for (const [name, text] of [
    ['agent.mjs', AGENT],
    ['changed.mjs', ''],
    ['input.txt', 'input'],
  ] as const)
    writeFileSync(join(cwd, name), text)
  const node = process.execPath
  expect(
    await reprise(['record', '--quiet', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd }),
  ).toMatchObject({
    code: 0,
  })
  writeFileSync(join(cwd, 'changed.mjs'), ATTACK)
  const options = ['--no-wall', '--report', 'report.json']
  expect(await reprise(['replay', 'run.tape', ...options], { cwd })).toMatchObject({ code: 2 })
  const { divergences } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  const messages: string = divergences.map(({ message }: { message: string }) => message).join('\n')
  expect(messages).toContain('Process.spawn')
  expect(messages).toContain('UDP.bind')
  expect(existsSync(join(cwd, 'escaped'))).toBe(false)
})
