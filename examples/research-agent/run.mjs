/**
 * The whole story in one run: records the research agent against a stand-in for its models, then takes
 * everything away (models, notes, git, MCP server) and runs the agent again from the tape alone. Says whether
 * the two runs are the same. Run by `npm start`.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { makeWorkspace } from './workspace.mjs'

const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url))
const reprise = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'reprise-demo-'))
const workspace = join(folder, 'workspace')
const tape = join(folder, 'run.tape')
const report = join(folder, 'report.json')
const keys = [
  'sk-proj-FakeKeyForTheDemo0123456789abcdefABCDEF',
  'sk-ant-api03-FakeKeyForTheDemo0123456789abcdefABCDEF',
]

mkdirSync(workspace)
makeWorkspace(workspace)
// In a thread of its own, because this one waits for the agent.
const model = new Worker(new URL('./model.mjs', import.meta.url))
const [url] = await once(model, 'message')

const recorded = run(['record', '--out', tape, '--', process.execPath, agent, 'What is on the tape?'], {
  ...process.env,
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: keys[0],
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: keys[1],
  WEB_URL: url,
})
await model.terminate()
rmSync(workspace, { recursive: true })
mkdirSync(workspace)
console.log('Models, notes, git and the MCP server are gone. The agent runs again from the tape alone.\n')
const replayed = run(['replay', tape, '--report', report], { HOME: process.env.HOME, PATH: '' })

const { verdict, records, recorded_ms, replay_ms } = JSON.parse(readFileSync(report, 'utf8'))
const sameOutput = recorded.stdout === replayed.stdout
console.log(`verdict: ${verdict} (${records} records, ${recorded_ms} ms recorded, ${replay_ms} ms replayed)`)
console.log(`same output: ${sameOutput}`)
console.log(`keys on the tape: ${keys.some((key) => readFileSync(tape, 'utf8').includes(key))}\n`)
run(['verify', tape], process.env)
run(['inspect', tape], process.env)
rmSync(workspace, { recursive: true, force: true })
console.log(
  'The tape is kept. What did the model answer in turn 2? Which files were written? What took long?',
)
for (const flags of ['--llm 2', '--files', '--slow']) console.log(`  npx reprise inspect ${tape} ${flags}`)
console.log(`Look at it in the browser:\n  npx reprise view ${tape}`)
process.exitCode = recorded.status === 0 && verdict === 'faithful' && sameOutput ? 0 : 1

function run(args, env) {
  console.log(
    `$ reprise ${args.map((word) => word.replace(`${folder}/`, '').replace(process.execPath, 'node').replace(agent, 'agent.mjs')).join(' ')}`,
  )
  const result = spawnSync(process.execPath, [reprise, ...args], { cwd: workspace, env, encoding: 'utf8' })
  console.log(result.stdout.replaceAll(`${folder}/`, ''))
  if (result.stderr !== '') console.log(result.stderr)
  return result
}
