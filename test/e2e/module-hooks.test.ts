/** Hooks on a thread of their own run unseen: a replay has them only if the recording had them. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const AGENT = `
  import { readFileSync } from 'node:fs'
  console.log(readFileSync('input.txt', 'utf8'))
  await import(['./', 'changed', '.mjs'].join(''))`

/** Hooks that write a file when their thread begins. */
const HOOKS = `
  import { register } from 'node:module'
  const source = "import fs from 'node:fs'; fs.writeFileSync('escaped', '')"
  try { register('data:text/javascript,' + encodeURIComponent(source)) } catch {}`

test('a program that registered no hooks is refused them, also if it swallows the error', async () => {
  const files = { 'input.txt': 'input', 'changed.mjs': '' }
  const program = await recordProgram(AGENT, {}, 'agent.mjs', [], files)
  expect((await program.replay()).code).toBe(0)
  writeFileSync(join(program.folder, 'changed.mjs'), HOOKS)
  const { code, stderr } = await program.replay()
  expect([code, stderr.includes('module.register')]).toEqual([2, true])
  expect(existsSync(join(program.folder, 'escaped'))).toBe(false)
})

test('a program that registered hooks has them in a replay', async () => {
  const source =
    "import { register } from 'node:module'; register('data:text/javascript,'); console.log('registered')"
  const program = await recordProgram(source)
  expect(await program.replay()).toMatchObject({ code: 0, stdout: 'registered\n' })
})
