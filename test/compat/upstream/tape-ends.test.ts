/** Harn's tape: sleeps (A29), and the phase of what follows the program (A24). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EventTape } from '../../../src/tape/index.ts'
import { withoutFeatures } from '../../support/older-tape.ts'
import { recordProgram } from '../../support/recorded-program.ts'
import { serdeProblem } from '../../support/serde-rules.ts'
import { same } from '../../support/upstream.ts'

const START_MS = 1_767_225_600_000

describe('a sleep', () => {
  const SLEEPS = `
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
setTimeout(() => console.log('a timer of its own', Date.now()), 100)
await sleep(250)
console.log('first', Date.now())
await new Promise((resolve) => setTimeout(resolve, 750))
console.log('second', Date.now())
console.log(await new Promise((resolve) => setTimeout(resolve, 10, 'with a value')))
await promisify(setTimeout)(5)
`
  const PAUSED = ['--clock', 'paused']

  same('A29', 'it is a clock_sleep, at the time after it', async () => {
    const run = await recordProgram(SLEEPS, {}, 'agent.mjs', PAUSED)
    const { records } = EventTape.loadSync(run.tape)
    const sleeps = records.flatMap(({ kind, virtualTimeMs }) =>
      kind.kind === 'clock_sleep' ? [[kind.durationMs, virtualTimeMs - START_MS]] : [],
    )
    expect(sleeps).toEqual([
      [250, 250],
      [750, 1000],
      [10, 1010],
      [5, 1015],
    ])
    // What runs a callback is no sleep.
    expect(records.filter(({ kind }) => kind.kind === 'timer_fire')).toHaveLength(1)
    expect(readFileSync(run.tape, 'utf8').trimEnd().split('\n').map(serdeProblem)).not.toContainEqual(
      expect.anything(),
    )
    const { code, stdout, report } = await run.replay({ args: ['--mode', 'byte-identical'] })
    expect([code, stdout, report.verdict]).toEqual([0, run.recorded.stdout, 'faithful'])
  })

  test('another duration diverges', async () => {
    const run = await recordProgram(SLEEPS, {}, 'agent.mjs', PAUSED)
    run.change(SLEEPS.replace('sleep(250)', 'sleep(260)'))
    const { code, report } = await run.replay()
    expect([code, report.verdict]).toEqual([2, 'diverged'])
    expect(report.divergences[0]?.message).toContain('timers.promises.setTimeout 260')
  })

  test('a tape of 0.1, which has none, replays as before', async () => {
    const run = await recordProgram(SLEEPS, {}, 'agent.mjs', PAUSED)
    withoutFeatures(run.tape)
    expect(readFileSync(run.tape, 'utf8')).not.toContain('clock_sleep')
    const { code, report } = await run.replay({ args: ['--mode', 'byte-identical'] })
    expect([code, report.verdict]).toEqual([0, 'faithful'])
  })
})

describe('what follows the program', () => {
  const ENDS = `
import { writeFileSync } from 'node:fs'
process.on('beforeExit', () => writeFileSync('before.txt', 'still the program'))
process.on('exit', () => {
  writeFileSync('last.txt', 'done')
  Date.now()
})
Date.now()
`
  const phasesOf = (tape: string): (readonly [string, string])[] =>
    EventTape.loadSync(tape).records.map(({ kind, phase }) => [kind.kind, phase])

  same(
    'A24',
    'records of exit handlers and of the winding-down have the phase runtime_finalize',
    async () => {
      const run = await recordProgram(ENDS)
      expect(run.recorded.code, run.recorded.stderr).toBe(0)
      const phases = phasesOf(run.tape)
      const script = phases.findIndex(([, phase]) => phase === 'runtime_finalize')
      expect(phases.slice(0, script).filter(([kind]) => kind !== 'file_state')).toEqual([
        ['clock_read', 'user_script'],
        ['file_write', 'user_script'],
      ])
      expect(phases.slice(script).every(([, phase]) => phase === 'runtime_finalize')).toBe(true)
      expect(phases.slice(script).map(([kind]) => kind)).toEqual(
        expect.arrayContaining(['file_write', 'clock_read', 'file_state', 'tape_seal']),
      )
      for (const mode of ['byte-identical', 'phase-aware']) {
        const { code, report } = await run.replay({ args: ['--mode', mode] })
        expect([mode, code, report.verdict]).toEqual([mode, 0, 'faithful'])
      }
    },
  )

  test('phase-aware leaves out clock reads of the second phase, and compares the rest of it', async () => {
    const run = await recordProgram(ENDS)
    const replayed = async (source: string, mode: string) => {
      run.change(source)
      const { code, report } = await run.replay({ args: ['--mode', mode] })
      return [code, report.divergences[0]?.category ?? null]
    }
    const oneReadLess = ENDS.replace("'done')\n  Date.now()", "'done')")
    expect(oneReadLess).not.toBe(ENDS)
    const otherContent = ENDS.replace("'done'", "'other'")
    const [mode, strict] = ['phase-aware', 'byte-identical']
    // A program that changed is never called faithful: what counts here is what was found.
    expect(await replayed(oneReadLess, mode)).toEqual([2, null])
    expect(await replayed(oneReadLess, strict)).toEqual([2, 'clock_missing'])
    expect(await replayed(otherContent, mode)).toEqual([2, 'content'])
  })

  test('a tape of 0.1, which has one phase, replays as before', async () => {
    const run = await recordProgram(ENDS)
    withoutFeatures(run.tape)
    expect(phasesOf(run.tape).filter(([, phase]) => phase === 'runtime_finalize')).toEqual([
      ['tape_seal', 'runtime_finalize'],
    ])
    const { code, report } = await run.replay({ args: ['--mode', 'byte-identical'] })
    expect([code, report.verdict]).toEqual([0, 'faithful'])
  })
})
