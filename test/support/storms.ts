/** Runs a storm in recordings of at most 25 rounds each, and replays each one once, without its servers. */
import { expect } from 'vitest'
import { scaled } from './campaign.ts'
import type { RecordedProgram } from './recorded-program.ts'

const ROUNDS_OF_ONE_TAPE = 25

export async function storm(
  full: number,
  record: (rounds: number) => Promise<RecordedProgram>,
): Promise<void> {
  for (let left = scaled(full, 1); left > 0; left -= ROUNDS_OF_ONE_TAPE) {
    const rounds = Math.min(left, ROUNDS_OF_ONE_TAPE)
    const program = await record(rounds)
    expect(program.recorded).toMatchObject({ code: 0 })
    expect(program.recorded.stdout.match(/^round \d+ [0-9a-f]{64}$/gm)).toHaveLength(rounds)
    const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
    expect(stdout).toBe(program.recorded.stdout)
  }
}

/** Prints one line per round: a hash over everything that was noted in it, in its order. */
export const LEDGER = `
import { createHash } from 'node:crypto'
const rounds = Number(process.env.ROUNDS)
const noted = []
const note = (...words) => noted.push(words.join(' '))
const closeRound = (round) => console.log('round', round, createHash('sha256').update(noted.splice(0).join('\\n')).digest('hex'))
`
