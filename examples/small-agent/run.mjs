/**
 * The whole story in one run: records the agent against a stand-in for a model, stops the stand-in, runs the agent again from the tape alone, and
 * says whether the two runs are the same. Run by `npm start`.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const here = fileURLToPath(new URL('.', import.meta.url))
const reprise = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'reprise-demo-'))
const tape = join(folder, 'run.tape')
const report = join(folder, 'report.json')
const key = 'sk-proj-FakeKeyForTheDemo0123456789abcdefABCDEF'

// In a thread of its own, because this one waits for the agent.
const model = new Worker(new URL('./model.mjs', import.meta.url))
const [url] = await once(model, 'message')

const recorded = run(['record', '--out', tape, '--', process.execPath, 'agent.mjs'], { MODEL_URL: url, MODEL_API_KEY: key })
await model.terminate()
console.log('the model is gone; the agent runs again from the tape alone\n')
const replayed = run(['replay', tape, '--report', report], {})

const { verdict, records, recorded_ms, replay_ms } = JSON.parse(readFileSync(report, 'utf8'))
console.log(`verdict: ${verdict} (${records} records, ${recorded_ms} ms recorded, ${replay_ms} ms replayed)`)
console.log(`same output: ${recorded.stdout === replayed.stdout}`)
console.log(`key on the tape: ${readFileSync(tape, 'utf8').includes(key)}\n`)
run(['verify', tape], {})
run(['inspect', tape], {})
const good = verdict === 'faithful' && recorded.stdout === replayed.stdout && existsSync(tape)
rmSync(folder, { recursive: true, force: true })
process.exitCode = good ? 0 : 1

function run(args, env) {
  console.log(`$ reprise ${args.map((word) => word.replace(`${folder}/`, '').replace(process.execPath, 'node')).join(' ')}`)
  const result = spawnSync(process.execPath, [reprise, ...args], { cwd: here, env: { ...process.env, ...env }, encoding: 'utf8' })
  console.log(result.stdout.replaceAll(`${folder}/`, ''))
  if (result.stderr !== '') console.log(result.stderr)
  return result
}
