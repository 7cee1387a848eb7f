/**
 * The pages of docs/frameworks: installs what the page names, at the versions of docs/agents.md, and runs every
 * block: record against a local model, replay with the model stopped and no network, and the test of the page.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { installed } from '../../scripts/agents/drive.ts'
import { type AgentRow, agents } from '../../scripts/agents/list.ts'
import { startModel } from '../../scripts/agents/model.ts'
import { needs } from '../support/outside.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folderOfPages = join(root, 'docs/frameworks')

/** The row of docs/agents.md whose versions are installed. MCP has none of its own. */
const rows: Readonly<Record<string, string | readonly string[]>> = {
  adk: 'Google ADK',
  'ai-sdk': 'AI SDK',
  langgraph: 'LangGraph',
  mastra: 'Mastra',
  mcp: ['@modelcontextprotocol/sdk@1.32.2', '@modelcontextprotocol/server-everything@2026.8.31'],
  'openai-agents': '@openai/agents',
}
const pages = readdirSync(folderOfPages).map((name) => name.replace(/\.md$/, ''))

test('every page has a row', () => {
  expect(pages.sort()).toEqual(Object.keys(rows).sort())
})

test.for(pages)('%s', { timeout: 600_000 }, async (page, context) => {
  needs(context, 'unshare')
  const text = readFileSync(join(folderOfPages, `${page}.md`), 'utf8')
  const [install = '', commands = '', tests = ''] = blocksOf(text, 'sh')
  const agent = rowOf(page)
  for (const name of packagesIn(install))
    expect(agent.packages.map(plainName), `${page} installs ${name}`).toContain(name)
  const folder = installed(agent, process.execPath, join(tmpdir(), 'reprise-framework-pages'))
  // The folder is kept from run to run; its links may lead to another checkout.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  link(root, join(folder, 'node_modules/reprise'))
  link('../reprise/bin/reprise.js', join(folder, 'node_modules/.bin/reprise'))
  for (const left of ['run.tape', 'run.tape.cas', '__tapes__'])
    rmSync(join(folder, left), { recursive: true, force: true })
  for (const code of blocksOf(text, 'js'))
    writeFileSync(join(folder, /^\/\/ (\S+)\n/.exec(code)?.[1] ?? ''), code)

  const [record = '', ...later] = commands.trim().split('\n')
  const [recordTest = '', replayTest = ''] = tests.trim().split('\n')
  const model = await startModel(folder)
  const withModel = {
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${model.url}/v1`,
    GEMINI_API_KEY: 'key',
    GOOGLE_GEMINI_BASE_URL: model.url,
  }
  const recorded = await run(record, folder, withModel)
  expect(recorded.code, recorded.stderr).toBe(0)
  expect(recorded.stdout).toContain('forty-two')
  expect(recorded.stderr).toContain('no gaps')
  const recordedTest = await run(recordTest, folder, withModel)
  expect(recordedTest.code, recordedTest.stdout).toBe(0)
  await model.stop()

  // A key is not needed, but clients refuse to start without one.
  const keys = { OPENAI_API_KEY: 'other', GEMINI_API_KEY: 'other' }
  for (const line of later) {
    const replayed = await run(line, folder, keys, ['unshare', '-rn'])
    expect([line, replayed.code], replayed.stderr).toEqual([line, 0])
    if (line.includes(' replay ')) expect(replayed.stdout).toBe(recorded.stdout)
  }
  const replayedTest = await run(replayTest, folder, { ...withModel, ...keys }, ['unshare', '-rn'])
  expect(replayedTest.code, replayedTest.stdout).toBe(0)
  expect(replayedTest.stdout).toContain('replayed: ')
})

function rowOf(page: string): AgentRow {
  const row = rows[page] ?? ''
  if (typeof row !== 'string')
    return { name: page, kind: 'framework', packages: row, nodes: [20], task: '', start: () => [] }
  const found = agents.find(({ name }) => name === row)
  if (found === undefined) throw new Error(`no agent ${row} in the list`)
  // Pages import the provider by its own name.
  const packages = found.packages.map((name) => name.replace(/^openai-v2@npm:/, ''))
  return { ...found, packages }
}

/** The packages of `npm install` lines, without those for development. */
function packagesIn(block: string): string[] {
  return [...block.matchAll(/^npm install (?!-D)(.+)$/gm)].flatMap(([, names = '']) =>
    names.split(' ').map(plainName),
  )
}

function plainName(name: string): string {
  return name.replace(/(?<=.)@.*$/, '')
}

function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Async: the model of this process has to answer meanwhile. */
function run(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  before: readonly string[] = [],
): Promise<Ended> {
  const [program = '', ...words] = [...before, 'bash', '-c', line]
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd,
      env: { PATH: process.env.PATH, HOME: tmpdir(), npm_config_offline: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (part) => {
      output.stdout += String(part)
    })
    child.stderr.on('data', (part) => {
      output.stderr += String(part)
    })
    child.on('close', (code) => resolve({ code, ...output }))
  })
}

function link(target: string, path: string): void {
  rmSync(path, { force: true })
  symlinkSync(target, path)
}
