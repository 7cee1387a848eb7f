/**
 * Programs with subprocesses, recorded once and replayed twenty times with nothing to start: every replay
 * prints the same and is faithful.
 */
import { expect, test } from 'vitest'
import { binary, forkedChild, parallel, steadyPrograms } from '../process/programs.ts'
import { campaignSeed, campaignSize, scaled } from '../support/campaign.ts'
import { recordProgram } from '../support/recorded-program.ts'

const programs: typeof steadyPrograms = [
  ['twenty at once', parallel],
  ['binary output', binary],
  ...steadyPrograms,
]

// The short form takes one of them: test/process/replay.test.ts replays each of them once.
const chosen =
  campaignSize === 'short' ? programs.filter((_, at) => at === campaignSeed % programs.length) : programs

test.each(chosen)(
  '%s',
  async (_name, source) => {
    const program = await recordProgram(source, {}, 'agent.mjs', [], { 'forked.mjs': forkedChild })
    expect(program.recorded.code).toBe(0)
    for (let round = 0; round < scaled(20, 2); round += 1) {
      const { report, ...run } = await program.replay({ env: { ...process.env, PATH: '/nonexistent' } })
      expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
      expect(run).toEqual(program.recorded)
    }
  },
  600_000,
)
