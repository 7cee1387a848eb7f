/** `reprise fork`: exact up to a record, live from there, on a tape that replays alone. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { forkAgent, recordForkedAgent } from '../support/forked-agent.ts'
import { recordProgram } from '../support/recorded-program.ts'

test('model and MCP server go live after the record, and nothing else does', async () => {
  const agent = await recordForkedAgent()
  try {
    // The second turn's first request: how many records are before it depends on how answers arrive.
    const lines = readFileSync(agent.tape, 'utf8').split('\n')
    const request = lines.find((line) => line.includes('"effect_start"') && line.includes('"turn 1"'))
    const at: number = JSON.parse(request ?? '{}').seq
    const fork = await forkAgent(agent, at, 'llm,mcp')
    expect(fork.changed).toBe(false)
    expect(fork.requests).not.toEqual([])
    const before = agent.requestsUpTo(at)
    expect(before).not.toEqual([])
    expect(fork.requests.filter((request) => before.includes(request))).toEqual([])
    // A real server, which has had no call before.
    expect(fork.forked.stdout).toMatch(/sum \d by call 1\n[\s\S]*sum \d by call 1\n/)
    expect(fork.forked.stdout).toContain('echo failed replay-diverged')
    expect(fork.forked.stdout).toContain('written done')
    expect(fork.replayed).toMatchObject({ code: fork.forked.code, stdout: fork.forked.stdout, stderr: '' })
    const header = JSON.parse(readFileSync(fork.out, 'utf8').split('\n')[0] ?? '')
    expect(header).toMatchObject({ parent: { name: 'run.tape' }, fork: { at, live: ['llm', 'mcp'] } })
    const wrongs = [
      [],
      ['--at', 'x', '--live', 'llm'],
      ['--at', '1'],
      ['--at', '1', '--live', 'disk'],
      ['--at', '99999', '--live', 'llm'],
    ]
    for (const wrong of wrongs)
      expect(await reprise(['fork', agent.tape, ...wrong])).toMatchObject({ code: 64, stdout: '' })
    const foreign = fileURLToPath(new URL('../fixtures/tape/harn-0.8.4.tape', import.meta.url))
    const other = await reprise(['fork', foreign, '--at', '1', '--live', 'llm', '--', 'node', 'agent.mjs'])
    expect(other).toMatchObject({ code: 64, stdout: '' })
    expect(other.stderr).toContain('a tape of another system cannot be forked')
    const file = ['--at', '1', '--live', 'all', '--sandbox', agent.tape]
    const refused = await reprise(['fork', agent.tape, ...file])
    expect(refused).toMatchObject({ code: 125, stdout: '' })
    expect(refused.stderr).toContain('is not an empty folder [out-exists]')
  } finally {
    await agent.stop()
  }
}, 60_000)

test('a live fork writes what is sent to a subprocess of the tape at once', async () => {
  const agent = await recordForkedAgent()
  try {
    const records = readFileSync(agent.tape, 'utf8').trimEnd().split('\n').slice(1)
    // The next record is the first message to the server, which is longer than the second.
    const at = records.findIndex((line) => line.includes('"effect_start"') && line.includes('server.mjs'))
    const fork = await forkAgent(agent, at, 'llm')
    const sent = (tape: string): readonly unknown[] =>
      readFileSync(tape, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).kind)
        .filter((kind) => kind?.kind === 'stream_chunk' && kind.stream === 'stdin')
        .map(({ n, data }) => ({ n, data }))
    expect(sent(fork.out)).toEqual(sent(agent.tape))
    expect(fork.replayed).toMatchObject({ code: fork.forked.code, stdout: fork.forked.stdout, stderr: '' })
  } finally {
    await agent.stop()
  }
}, 60_000)

test('a file that was open at the record is refused by its name in a sandbox', async () => {
  const program = await recordProgram(
    `import fs from 'node:fs'
    const fd = fs.openSync('log.txt', 'a'); fs.writeSync(fd, 'one'); fs.writeSync(fd, 'two'); fs.closeSync(fd)`,
  )
  const lines = readFileSync(program.tape, 'utf8').split('\n')
  const { seq } = JSON.parse(lines.find((line) => line.includes('"call":"write"')) ?? '{}')
  const args = ['fork', program.tape, '--at', String(seq), '--live', 'files', '--quiet']
  const { stderr } = await reprise([...args, '--sandbox', `${program.folder}/sandbox`], {
    cwd: program.folder,
  })
  expect(stderr).toContain('log.txt was open when the run went live: it cannot be used in a sandbox')
  expect(stderr).not.toContain('is not live')
  expect(await reprise(args, { cwd: program.folder })).toMatchObject({ code: 0 })
})
