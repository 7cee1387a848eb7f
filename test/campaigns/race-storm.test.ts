import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { startLocalServer } from '../support/local-server.ts'
import { recordProgram } from '../support/recorded-program.ts'

/**
 * Each round lets fetches, timers, intervals, immediates and streams race in another way and prints who won
 * and in which order.
 */
const STORM = `
  const base = process.env.BASE
  const rounds = Number(process.env.ROUNDS)
  const { createHash } = await import('node:crypto')
  const ledger = createHash('sha256')
  const say = (...words) => ledger.update(words.join(' ') + '\\n')
  const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value))

  async function round(n) {
    const kinds = [
      async () => { const r = await Promise.race([fetch(base + '/race' + n).then((r) => r.json()).then((j) => j.random), sleep(n % 9, 'timer')]); say(n, 'race', r) },
      async () => { for (const r of await Promise.all([1, 2, 3].map((i) => fetch(base + '/all', { method: 'POST', body: n + ':' + i }).then((r) => r.json()).then((j) => (say(n, i, 'came'), j.random))))) say(n, r) },
      async () => { const [a, b] = await Promise.all([fetch(base + '/stream?n=3'), fetch(base + '/stream?n=4')]); await Promise.all([a, b].map(async (r, i) => { for await (const c of r.body) say(n, i, Buffer.from(c).toString('hex')) })) },
      async () => { try { say(n, (await (await fetch(base + '/stream?n=6', { signal: AbortSignal.timeout(1 + (n % 7)) })).text()).length) } catch (e) { say(n, e.name) } },
      async () => { let ticks = 0; await new Promise((resolve) => { const t = setInterval(() => { say(n, 'tick', ticks); if (++ticks === 3) { clearInterval(t); resolve() } }, 1) }) },
      async () => { const winner = await Promise.race([sleep(2, 'a'), sleep(2, 'b'), new Promise((r) => setImmediate(r, 'immediate')), fetch(base + '/x').then((r) => r.text()).then(() => 'fetch')]); say(n, winner, Date.now(), Math.random()) },
      async () => { try { await fetch(base + '/die') } catch (e) { say(n, e.cause?.code) } },
      async () => { const c = new AbortController(); const p = fetch(base + '/slow' + n, { signal: c.signal }); const t = setTimeout(() => c.abort(), n % 6); try { say(n, (await (await p).json()).random) } catch (e) { say(n, e.name) } clearTimeout(t) },
    ]
    await kinds[n % kinds.length]()
  }

  let next = 0
  await Promise.all(Array.from({ length: 24 }, async () => { while (next < rounds) await round(next++) }))
  console.log(ledger.digest('hex'), next)
`

test('parallel fetches, races against timers and interleaved streams come out as recorded, every time', async () => {
  const server = await startLocalServer()
  const program = await recordProgram(STORM, { BASE: server.url, ROUNDS: String(scaled(10_000, 160)) })
  await server.stop()
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  for (let time = 0; time < (campaignSize === 'short' ? 2 : 5); time += 1) {
    const replay = await program.replay()
    expect(replay.report).toMatchObject({
      verdict: 'faithful',
      divergences: [],
      unused: [],
      clock_reads: { extra: 0, missing: 0 },
    })
    expect(replay.stdout).toBe(program.recorded.stdout)
  }
})
