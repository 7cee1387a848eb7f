/** Every write path fails once: the session goes on, `close` says so, and nothing broken is ever accepted. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { armFaults } from '../../src/base/index.ts'
import {
  createRecorder,
  open,
  recordSession,
  repairCassette,
  verifyCassette,
} from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

function failAt(point: string, nth: number): Disposable & { readonly hits: number } {
  let hits = 0
  const armed = armFaults((name) => {
    if (name !== point) return
    hits += 1
    if (hits === nth) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  })
  return {
    get hits() {
      return hits
    },
    [Symbol.dispose]: () => armed[Symbol.dispose](),
  }
}

async function recordOnce(out: string, force = false): Promise<string> {
  const recorder = createRecorder(out, {}, { force })
  for (let at = 0; at < 5; at += 1) {
    recorder.recordOutput(Buffer.from(`line ${at}\r\n`))
    recorder.recordInput({ bytes: Buffer.from('x\r') })
    recorder.markFrame()
  }
  recorder.recordFinal()
  return recorder.close()
}

describe('a full disk', () => {
  for (const [point, times] of [
    ['cassette:append', 14],
    ['cassette:document', 4],
  ] as const) {
    for (let nth = 1; nth <= times; nth += 1) {
      test(`at ${point} ${nth}`, async () => {
        const folder = tempFolder()
        const out = join(folder, 'c')
        using fault = failAt(point, nth)
        await expect(recordOnce(out)).rejects.toMatchObject({
          code: 'cassette-write-failed',
          hint: expect.stringContaining('ENOSPC'),
        })
        expect([fault.hits >= nth, existsSync(out)]).toEqual([true, false])
        fault[Symbol.dispose]()
        const [partial = ''] = readdirSync(folder)
        await repairCassette(join(folder, partial), join(folder, 'repaired'))
        expect((await open(join(folder, 'repaired'))).incomplete).toBe(true)
      })
    }
  }

  test('never reaches the program that is recorded', async () => {
    const folder = tempFolder()
    using _ = failAt('cassette:append', 2)
    let shown = ''
    const run = recordSession({
      out: join(folder, 'c'),
      argv: ['bash', '-c', 'for i in 1 2 3 4 5; do echo $i; sleep 0.02; done; touch done'],
      cwd: folder,
      onOutput: (bytes) => {
        shown += Buffer.from(bytes).toString()
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'cassette-write-failed' })
    expect([shown, existsSync(join(folder, 'done'))]).toEqual(['1\r\n2\r\n3\r\n4\r\n5\r\n', true])
  })
})

describe('a replacement that is stopped', () => {
  test('before the old one is moved away: the old one is there', async () => {
    const out = join(tempFolder(), 'c')
    const before = (await open(await recordOnce(out))).manifest().id
    using _ = failAt('cassette:move-away', 1)
    await expect(recordOnce(out, true)).rejects.toMatchObject({ code: 'io' })
    expect((await open(out)).manifest().id).toBe(before)
  })

  test('between the two renames: open finds the old one, verify says where', async () => {
    const out = join(tempFolder(), 'c')
    const before = (await open(await recordOnce(out))).manifest().id
    using _ = failAt('cassette:move-in', 1)
    await expect(recordOnce(out, true)).rejects.toMatchObject({ code: 'io' })
    const reader = await open(out)
    expect([reader.manifest().id, reader.folder]).toEqual([before, `${out}.previous`])
    expect((await verifyCassette(out)).findings.map(({ code }) => code)).toEqual(['cassette-moved'])
  })

  test('before the manifest: nothing is accepted', async () => {
    const folder = tempFolder()
    const armed = armFaults((name) => {
      if (name === 'cassette:accept') throw new Error('killed here')
    })
    await expect(recordOnce(join(folder, 'c'))).rejects.toThrow('killed here')
    armed[Symbol.dispose]()
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^c\.partial-\d+$/)])
    await expect(open(join(folder, readdirSync(folder)[0] ?? ''))).rejects.toMatchObject({
      code: 'cassette-file-missing',
    })
  })
})
