/**
 * Whole programs, whole worlds: files, children, MCP servers, models, the web. Recorded once, replayed again
 * and again with all of that gone. `npm run campaign -- world` replays each twenty times.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scaled } from '../support/campaign.ts'
import { needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { nastyProgram, recordInWorld, researchAgent } from '../support/world-program.ts'

const programs: readonly {
  readonly name: string
  readonly script: string
  readonly code: number
  readonly says: string
}[] = [
  { name: 'the research agent', script: researchAgent, code: 0, says: 'report: Clocks drift, tapes do not.' },
  {
    name: 'binary files in every style',
    script: nastyProgram('binary-files'),
    code: 0,
    says: 'log 8 true false true',
  },
  {
    name: 'parallel spawns',
    script: nastyProgram('parallel-spawns'),
    code: 0,
    says: 'spawn no-such-program-at-all ENOENT',
  },
  {
    name: 'MCP with notifications and sampling',
    script: nastyProgram('mcp-with-sampling'),
    code: 0,
    says: 'cancelled McpError',
  },
  {
    name: 'streams between children and files',
    script: nastyProgram('piped-streams'),
    code: 0,
    says: 'to a file and to another',
  },
  { name: 'a crash in the middle', script: nastyProgram('crash-in-the-middle'), code: 1, says: 'started 24' },
]

describe('with servers dead, the data folder gone and nothing to spawn', () => {
  for (const { name, script, code, says } of programs) {
    test(`${name}: every replay is faithful`, { timeout: 600_000 }, async (context) => {
      needs(context, 'git', 'sh', 'sort')
      const recording = await recordInWorld(script)
      expect(recording.recorded.code).toBe(code)
      expect(recording.recorded.stdout).toContain(says)
      for (let n = 0; n < scaled(20); n += 1) {
        const { report, stdout, stderr, code: replayedCode } = await recording.replay()
        expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [], exit_code: code })
        expect(stdout).toBe(recording.recorded.stdout)
        expect(stderr).toBe(recording.recorded.stderr)
        expect(replayedCode).toBe(code)
      }
    })
  }
})

test('a replay opens no socket, starts no process and no file that is not its own code', {
  timeout: 600_000,
}, async (context) => {
  needs(context, 'strace', 'git')
  const { tape, workspace, bareEnv } = await recordInWorld(researchAgent)
  const trace = join(tempFolder(), 'trace')
  const bin = join(import.meta.dirname, '../../bin/reprise.js')
  const calls = 'trace=connect,bind,execve,open,openat,creat'
  const strace = ['-f', '-qq', '-e', calls, '-o', trace, process.execPath, bin, 'replay', tape]
  const run = await runChild('/usr/bin/env', [`PATH=${process.env.PATH}`, 'strace', ...strace], {
    cwd: workspace,
    env: { ...bareEnv },
  })
  if (/ptrace|not permitted/i.test(run.stderr)) return context.skip('the right to trace')
  expect(run.code).toBe(0)
  const seen = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => line.replace(/^\d+ +/, ''))
  expect(seen.filter((line) => /^(?:connect|bind)\(/.test(line))).toEqual([])
  // The command line, and the program that it runs.
  expect(seen.filter((line) => line.startsWith('execve(') && line.endsWith('= 0'))).toHaveLength(2)
  const opened = seen.flatMap(
    (line) => /^(?:openat\(AT_FDCWD, |open\(|creat\()"([^"]+)"/.exec(line)?.[1] ?? [],
  )
  expect(opened).toContain(tape)
  expect(opened.filter((path) => path.startsWith(workspace) || /notes|reports|\.git\b/.test(path))).toEqual(
    [],
  )
  const project = join(import.meta.dirname, '../..')
  const known = [
    project,
    tape,
    '/proc/',
    '/sys/',
    '/dev/',
    '/etc/',
    '/lib',
    '/usr/',
    process.execPath.replace(/\/bin\/node$/, ''),
  ]
  expect(
    opened.filter(
      (path) => !known.some((start) => path.startsWith(start)) && !path.includes('reprise-replay-'),
    ),
  ).toEqual([])
})
