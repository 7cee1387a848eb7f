/** The guides by problem: every program and every command of each page runs, in the order of the page. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What the commands of a page print, by page: parts of the output, and exit codes other than 0. */
const pages: readonly {
  readonly page: string
  readonly prints: readonly string[]
  readonly codes: Readonly<Record<string, number>>
}[] = [
  {
    page: 'debug-a-failed-run',
    prints: ['ENOENT', 'no-such-plan.md', 'Which file holds the plan?', '1 model call,'],
    codes: {
      'reprise record --out last-night.tape -- node agent.mjs': 1,
      'reprise replay last-night.tape': 1,
      'reprise replay last-night.tape --report report.json': 1,
    },
  },
  {
    page: 'review-a-run',
    prints: ['done', 'report.md', 'node --version'],
    // The first run has no report.md; it is applied before the second.
    codes: { 'reprise fidelity run.tape again.tape': 2 },
  },
  {
    page: 'keep-evidence',
    prints: ['42', 'sealed, signed with this key', 'hello from the terminal', 'session: whole'],
    codes: {},
  },
  {
    page: 'hand-over-state',
    prints: ['1. read the code', 'plan.md', 'build it', '2. build it'],
    codes: {},
  },
]

test.for(pages)('$page', { timeout: 120_000 }, async ({ page, prints, codes }, context) => {
  needs(context, 'openssl')
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/reprise'))
  const text = readFileSync(join(root, `docs/guides/${page}.md`), 'utf8')
  const programs = blocksOf(text, 'js').map((code) => ({ name: /^\/\/ (\S+)\n/.exec(code)?.[1] ?? '', code }))
  for (const { name, code } of programs) writeFileSync(join(folder, name), code)
  const model = await startModel()
  let printed = ''
  const env: Record<string, string> = {
    MODEL_URL: model.url,
    MODEL_KEY: 'sk-not-a-real-key-0123456789abcdef',
  }
  try {
    for (const line of blocksOf(text, 'sh').join('').trim().split('\n')) {
      const exported = /^export (\w+)=(\S+)$/.exec(line)
      if (exported !== null) env[exported[1] ?? ''] = exported[2] ?? ''
      else {
        const { code, output } = await run(line, folder, env)
        expect([line, code], output).toEqual([line, codes[line] ?? 0])
        printed += output
      }
    }
    if (programs.some(({ name }) => name === 'worker.mjs'))
      printed += (await run('node worker.mjs', folder, env)).output
  } finally {
    await model.stop()
  }
  for (const part of prints) expect(printed).toContain(part)
  expect(printed).not.toContain('sk-not-a-real-key')
})

function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)
}

/** Async: the model of this process has to answer meanwhile. */
function run(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const script = `reprise() { "${process.execPath}" "${join(root, 'bin/reprise.js')}" "$@"; }\n${line}`
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += String(part)
      })
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** Names a file that is not there, as a model that is wrong does. */
async function startModel(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const message = { role: 'assistant', content: 'no-such-plan.md' }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        object: 'chat.completion',
        model: 'gpt-4o',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
