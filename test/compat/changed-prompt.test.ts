/** A prompt that was changed after the recording: the first divergence names the field, with both values. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startModelServer } from './models/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(['ai-sdk', 'langchain', 'anthropic'])('%s', async (client) => {
  const folder = tempFolder()
  const [tape, question] = [join(folder, 'run.tape'), join(folder, 'question.mjs')]
  writeFileSync(question, "export const question = 'And tomorrow?'")
  const server = await startModelServer()
  const command = ['--', process.execPath, 'test/compat/models/changed-prompt.mjs', client, question]
  const env = { ...process.env, MODEL_SERVER: server.url, MODEL_REFUSED: server.url, OPENAI_API_KEY: 'none' }
  const recorded = await reprise(['record', '--quiet', '--out', tape, ...command], { cwd: root, env })
  await server.stop()
  expect(recorded).toMatchObject({ code: 0, stderr: '' })

  writeFileSync(question, "export const question = 'And next week?'")
  const report = join(folder, 'report.json')
  const replayed = await reprise(['replay', tape, '--report', report], { cwd: root })
  expect(replayed.code).toBe(2)
  const [first] = JSON.parse(readFileSync(report, 'utf8')).divergences
  expect(first.message).toContain('$.messages[2].content')
  expect(first.message).toContain('And tomorrow?')
  expect(first.message).toContain('And next week?')
  expect(replayed.stderr).toContain('$.messages[2].content')
})
