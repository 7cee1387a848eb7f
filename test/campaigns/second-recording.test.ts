/**
 * Generated programs, recorded and replayed in this process. The replay writes the lines of the recorded tape
 * again, byte for byte. If one delivered byte is corrupted, the verdict is `diverged` at that record.
 */
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInSession } from '../../src/boundaries/context.ts'
import { retireConnections } from '../../src/boundaries/network/connection.ts'
import { separatePool } from '../../src/boundaries/network/pools.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import type { Outcome } from '../../src/boundaries/session.ts'
import { readTapeEvents, type TapeRecord } from '../../src/tape/index.ts'
import type { ReplayParts } from '../../src/testbench/compose/replay-contract.ts'
import { boundaryPatches } from '../../src/testbench/install/process-boundaries.ts'
import { record } from '../../src/testbench/library/in-process.ts'
import { openReplay } from '../../src/testbench/library/open-replay.ts'
import type { ReplayReport } from '../../src/testbench/verdict/verdict.ts'
import { scaled } from '../support/campaign.ts'
import { corruptFamily } from '../support/corrupted-parts.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

type Step =
  | { readonly type: 'timer' | 'stream' | 'append'; readonly n: number }
  | { readonly type: 'fetch'; readonly path: string; readonly body: string | null }
  | { readonly type: 'clock' | 'random' | 'env' | 'read' | 'missing' | 'write' | 'readSync' | 'child' }
  /** Starts all of them before it waits for the first. */
  | { readonly type: 'together'; readonly steps: readonly Step[] }

const small = fc.integer({ min: 0, max: 4 })
const plain: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom('timer' as const, 'stream' as const, 'append' as const), n: small }),
  fc.record({
    type: fc.constant('fetch' as const),
    path: fc.constantFrom('/a', '/b', '/binary', '/cut', '/die', '/redirect', '/status?code=503'),
    body: fc.option(fc.string({ maxLength: 20 })),
  }),
  fc.record({
    type: fc.constantFrom(
      ...(['clock', 'random', 'env', 'read', 'missing', 'write', 'readSync', 'child'] as const),
    ),
  }),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: plain },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('together' as const),
      steps: fc.array(plain, { minLength: 2, maxLength: 5 }),
    }),
  },
)
const program = fc.array(step, { minLength: 1, maxLength: 8 })

const run = promisify(execFile)

/** Ignores what it receives, so that nothing but the judge can notice a corrupted byte. */
async function perform(folder: string, step: Step): Promise<void> {
  switch (step.type) {
    case 'timer':
      await new Promise((resolve) => setTimeout(resolve, step.n))
      return
    case 'stream':
      await (await fetch(`${server.url}/stream?n=${step.n}`)).arrayBuffer()
      return
    case 'fetch': {
      const init = step.body === null ? {} : { method: 'POST', body: step.body }
      await fetch(`${server.url}${step.path}`, init)
        .then(
          (response) => response.arrayBuffer(),
          () => undefined,
        )
        .catch(() => undefined)
      return
    }
    case 'clock':
      Date.now()
      performance.now()
      return
    case 'random':
      Math.random()
      randomUUID()
      randomBytes(5)
      return
    case 'env':
      void process.env.HOME
      void process.env.REPRISE_TEST_ABSENT
      return
    case 'read':
      await readFile(join(folder, 'in.txt'))
      return
    case 'missing':
      await stat(join(folder, 'absent')).catch(() => undefined)
      return
    case 'write':
      await writeFile(join(folder, 'out.txt'), 'written')
      return
    case 'append':
      await appendFile(join(folder, 'log.txt'), 'x'.repeat(step.n))
      return
    case 'readSync':
      readFileSync(join(folder, 'in.txt'), 'utf8')
      return
    case 'child':
      await run('echo', ['hello'])
      return
    case 'together':
      await Promise.all(step.steps.map((each) => perform(folder, each)))
  }
}

async function performAll(folder: string, steps: readonly Step[]): Promise<void> {
  for (const each of steps) await perform(folder, each)
}

async function recorded(
  steps: readonly Step[],
): Promise<{ readonly tape: string; readonly body: () => Promise<void> }> {
  const folder = tempFolder()
  const tape = join(tempFolder(), 'run.tape')
  writeFileSync(join(folder, 'in.txt'), 'input\n')
  const body = (): Promise<void> => performAll(folder, steps)
  await record(tape, body)
  return { tape, body }
}

type Replayed = {
  readonly report: ReplayReport
  readonly lines: readonly string[]
  readonly noticed: unknown
}

async function replayed(
  tape: string,
  body: () => Promise<void>,
  replaceParts?: (parts: ReplayParts) => ReplayParts,
): Promise<Replayed> {
  const second = join(tempFolder(), 'second.tape')
  using replay = openReplay({ path: tape, match: undefined, scrub: undefined, replaceParts, emit: second })
  separatePool(replay.session)
  using _patches = installPatches(boundaryPatches())
  await runInSession(replay.session, body)
  retireConnections(replay.session)
  const report = replay.judge()
  return { report, lines: linesOf(second), noticed: replay.firstDivergence() }
}

/** The lines between header and seal. */
function linesOf(tape: string): string[] {
  return readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1, -1)
}

test('a replay of a generated program writes the recorded lines again', async () => {
  const property = fc.asyncProperty(program, async (steps) => {
    const { tape, body } = await recorded(steps)
    const { report, lines } = await replayed(tape, body)
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
    expect(lines).toEqual(linesOf(tape))
  })
  await fc.assert(property, { numRuns: scaled(1000, 15) })
})

/** The chunks of response bodies. */
function chunksOf(tape: string): TapeRecord[] {
  return [...readTapeEvents(tape)].flatMap((event) => {
    if (event.type !== 'record' || event.record.kind.kind !== 'stream_chunk') return []
    return event.record.kind.direction === 'in' && event.record.kind.stream === undefined
      ? [event.record]
      : []
  })
}

function flipped(outcome: Outcome): Outcome {
  if (outcome.type !== 'chunk') return outcome
  return { ...outcome, bytes: Uint8Array.from(outcome.bytes, (byte, at) => (at === 0 ? byte ^ 1 : byte)) }
}

test('one corrupted byte of a generated program is found at its record', async () => {
  const property = fc.asyncProperty(program, fc.nat(), async (steps, which) => {
    const { tape, body } = await recorded([...steps, { type: 'stream', n: 2 }])
    const chunks = chunksOf(tape)
    const chosen = chunks[which % chunks.length]
    const isChosen = ({ seq }: TapeRecord): boolean => seq === chosen?.seq
    const corrupted = corruptFamily('http', isChosen, (deliveries) =>
      deliveries.map((delivery) => ({ ...delivery, outcome: flipped(delivery.outcome) })),
    )
    const { report, noticed } = await replayed(tape, body, corrupted)
    expect(noticed).toBeNull()
    expect(report.verdict).toBe('diverged')
    expect(report.divergences[0]?.seq).toBe(chosen?.seq)
  })
  await fc.assert(property, { numRuns: scaled(500, 10) })
})
