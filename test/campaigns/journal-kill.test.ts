/**
 * Writers are killed (SIGKILL) at random moments and at every named point of the write path, while another
 * goes on: nothing that was acknowledged is lost or doubled, the next append works at once, and the journal
 * verifies.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sessionFiles } from '../../src/journal/file/session-files.ts'
import { verifyJournal } from '../../src/journal/file/verify-journal.ts'
import { openJournal } from '../../src/journal/index.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROUNDS = scaled(200, 12)
const writer = fileURLToPath(new URL('../support/journal-writer.mjs', import.meta.url))
const points = [
  'journal:locked',
  'journal:write',
  'journal:written',
  'journal:checkpoint',
  'journal:rotate',
  'journal:claimed',
] as const

type Promised = { readonly id: string; readonly killed: boolean }

/**
 * Runs one writer until it ends or, if `killAfter` is given, until it has said that many acknowledgements;
 * gives what it promised.
 */
async function runWriter(id: string, order: object, killAfter: number): Promise<Promised[]> {
  const child = spawn(process.execPath, [writer, JSON.stringify({ writer: id, say: true, ...order })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const promised: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    promised.push(`${id}-${line}`)
    if (promised.length === killAfter) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  return promised.map((call) => ({ id: call, killed: signal === 'SIGKILL' }))
}

test(`${ROUNDS} kills of writers`, async () => {
  const dir = join(tempFolder(), 'sessions')
  const options = { dir, session: 's', checkpointEvery: 20, rotateBytes: 20_000, durability: 'os' as const }
  const promised: Promised[] = []
  const random = seeded(campaignSeed)
  let kills = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // Every second round is killed at a named point: each point in turn.
    const point = points[Math.floor(round / 2) % points.length]
    const pass = 1 + random(point === 'journal:checkpoint' || point === 'journal:rotate' ? 3 : 40)
    const inFlight = round % 3 === 0 ? 1 : 8
    const victim =
      round % 2 === 0
        ? runWriter(`k${round}`, { options, count: 400, inFlight, killAt: { point, pass } }, 0)
        : runWriter(`k${round}`, { options, count: 400, inFlight }, 1 + random(150))
    const bystander =
      round % 4 === 0 ? runWriter(`b${round}`, { options, count: 40, inFlight: 2 }, 0) : Promise.resolve([])
    const [ofVictim, ofBystander] = await Promise.all([victim, bystander])
    promised.push(...ofVictim, ...ofBystander)
    if (ofVictim.some(({ killed }) => killed) || ofVictim.length < 400) kills += 1
    expect(ofBystander.length).toBe(round % 4 === 0 ? 40 : 0)
    await using journal = await openJournal({ ...options, lockTimeoutMs: 5000 })
    const mark = { kind: 'note', call_id: `next-${round}` }
    await journal.append(mark)
    promised.push({ id: mark.call_id, killed: false })
  }
  const found = new Map<string, number>()
  await using journal = await openJournal(options)
  for await (const { event } of journal.read()) {
    const { call_id: id } = event as { call_id: string }
    found.set(id, (found.get(id) ?? 0) + 1)
  }
  expect(promised.filter(({ id }) => found.get(id) !== 1)).toEqual([])
  expect([...found].filter(([, times]) => times > 1)).toEqual([])
  expect((await verifyJournal(sessionFiles(dir, 's'), null)).findings).toEqual([])
  // Most rounds must really have killed somebody, or this test says nothing.
  expect(kills).toBeGreaterThan(ROUNDS * 0.6)
})
