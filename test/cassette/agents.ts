/**
 * The real terminal agents, offline: installed once into a temporary folder, each with a HOME of its own,
 * against aimock on loopback.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { type Recorded, readScript, recordSession } from '../../src/cassette/index.ts'

export type Agent = 'claude' | 'codex'
export const AGENT_KEY = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AAAA'
export const ANSWER = 'The answer is forty-two.'

/** The only step that needs the network. */
export function installAgents(): string {
  const folder = join(tmpdir(), 'reprise-agents')
  const bin = join(folder, 'node_modules/.bin')
  if (existsSync(join(bin, 'codex')) && existsSync(join(bin, 'claude'))) return bin
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(import.meta.dirname, '../agents/package.json'), join(folder, 'package.json'))
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  // Claude Code puts its binary in place after the installation, which npm may not have been allowed to do.
  const place = spawnSync(process.execPath, ['install.cjs'], {
    cwd: join(folder, 'node_modules/@anthropic-ai/claude-code'),
    stdio: 'inherit',
  })
  if (npm.status !== 0 || place.status !== 0) throw new Error('the agents could not be installed')
  return bin
}

const SCRIPTS: Readonly<Record<Agent, string>> = {
  claude: `
    timeout 90000
    wait "for shortcuts"
    paste "What is the answer?"
    wait "What is the answer?"
    quiet 500
    press enter
    wait "${ANSWER}"
    quiet 1000
    resize 36 110
    quiet 1000
    press ctrl-c
    wait "again to exit"
    press ctrl-c
    exit`,
  codex: `
    timeout 90000
    wait "gpt-5.1"
    quiet 1500
    type "What is the answer?"
    wait "What is the answer?"
    quiet 1000
    press enter
    wait "${ANSWER}"
    quiet 1000
    resize 36 110
    quiet 1000
    press ctrl-c
    exit`,
}

export async function recordAgent(agent: Agent, bin: string, out: string, home: string): Promise<Recorded> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  mock.addFixture({ match: { predicate: () => true }, response: { content: ANSWER } })
  await mock.start()
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  mkdirSync(join(home, '.codex'))
  const seen = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [AGENT_KEY.slice(-20)], rejected: [] },
  }
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({
      ...seen,
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  )
  writeFileSync(join(home, '.codex/config.toml'), codexConfig(mock.url, project))
  try {
    return await recordSession({
      out,
      argv: [agent],
      cwd: project,
      size: { rows: 30, cols: 100 },
      locale: 'C.UTF-8',
      timeoutMs: 300_000,
      script: readScript(SCRIPTS[agent]),
      env: [
        `PATH=${bin}:${process.env.PATH ?? ''}`,
        `HOME=${home}`,
        `ANTHROPIC_BASE_URL=${mock.url}`,
        `ANTHROPIC_API_KEY=${AGENT_KEY}`,
        `MOCK_KEY=${AGENT_KEY}`,
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1',
        'IS_SANDBOX=1',
        'HTTP_PROXY=http://127.0.0.1:9',
        'HTTPS_PROXY=http://127.0.0.1:9',
        'NO_PROXY=127.0.0.1,localhost',
      ],
    })
  } finally {
    await mock.stop()
  }
}

function codexConfig(url: string, project: string): string {
  const provider = `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n`
  const trust = `[projects."${project}"]\ntrust_level = "trusted"\n`
  return `model = "gpt-5.1"\nmodel_provider = "mock"\ncheck_for_update_on_startup = false\n${provider}[analytics]\nenabled = false\n${trust}`
}
