import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { armFaults } from '../../src/base/index.ts'
import { ownerText, ownLockOwner } from '../../src/journal/file/lock-owner.ts'
import { type FileJournalOptions, openJournal } from '../../src/journal/index.ts'
import { fs } from '../../src/real/index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { collect, gated, journalContract } from './journal-contract.ts'

const shared = mkdtempSync(join(tmpdir(), 'reprise-journal-'))
afterAll(() => rmSync(shared, { recursive: true, force: true }))
let sessions = 0

journalContract(
  'file',
  (session) => openJournal({ dir: shared, session }),
  () => `s${++sessions}`,
)

const line = (seq: number): string => `${JSON.stringify({ seq, event: gated(seq) })}\n`

async function appendTo(
  dir: string,
  options: Partial<FileJournalOptions> = {},
  turn = 9,
): Promise<{ seq: number; repairs: readonly { reason: string; kept: number; removed: number }[] }> {
  await using journal = await openJournal({ dir, session: 's', ...options })
  const seq = await journal.append(gated(turn))
  return { seq, repairs: journal.repairs }
}

describe('the file', () => {
  test('lines are seq and event, nothing else; mode 0600; no lock stays', async () => {
    const dir = join(tempFolder(), 'new', 'folder')
    await appendTo(dir, {}, 1)
    expect(readFileSync(join(dir, 's.jsonl'), 'utf8')).toBe(
      `${JSON.stringify({ seq: 0, event: gated(1) })}\n`,
    )
    expect(statSync(join(dir, 's.jsonl')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir).toSorted()).toEqual(['s.checkpoints.jsonl', 's.jsonl'])
  })

  test('time and chain only on request, chain last', async () => {
    const dir = tempFolder()
    await appendTo(dir, { at: true, chain: true })
    expect(Object.keys(JSON.parse(readFileSync(join(dir, 's.jsonl'), 'utf8')))).toEqual([
      'seq',
      'event',
      'at',
      'chain',
    ])
  })

  test('the next seq follows the highest one, after gaps, repeats and Python’s spacing', async () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 's.jsonl'), `${line(0)}{"seq": 7, "event": {"kind": "note"}}\n${line(3)}`)
    expect((await appendTo(dir)).seq).toBe(8)
  })

  test('the file may be removed or replaced between two appends', async () => {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's' })
    await journal.append(gated(0))
    rmSync(join(dir, 's.jsonl'))
    await journal.append(gated(1))
    expect(readFileSync(join(dir, 's.jsonl'), 'utf8').split('\n').length).toBe(2)
  })
})

describe('repair of the end', () => {
  const rows: [string, string, { seq: number; reason: string; kept: number }, number[]][] = [
    ['a torn last line', `${line(0)}{"seq":1,"event":{"ki`, { seq: 1, reason: 'torn', kept: 0 }, [0, 1]],
    [
      'a torn line that got its newline',
      `${line(0)}{"seq":1,"event":{"ki\n`,
      { seq: 1, reason: 'torn', kept: 0 },
      [0, 1],
    ],
    [
      'a whole line without its newline',
      `${line(0)}${line(1).trim()}`,
      { seq: 2, reason: 'no-newline', kept: 1 },
      [0, 1, 2],
    ],
    ['a run of NUL bytes', `${line(0)}${'\0'.repeat(5000)}`, { seq: 1, reason: 'nul', kept: 0 }, [0, 1]],
    [
      'a record behind NUL bytes',
      `${line(0)}${'\0'.repeat(50)}${line(1)}`,
      { seq: 2, reason: 'nul', kept: 1 },
      [0, 1, 2],
    ],
    [
      'two glued records',
      `${line(0)}${line(1).trim()}${line(2)}`,
      { seq: 3, reason: 'glued', kept: 2 },
      [0, 1, 2, 3],
    ],
    [
      'a record glued to a torn one',
      `${line(0)}{"seq":1,"event":{"ki${line(2)}`,
      { seq: 3, reason: 'glued', kept: 1 },
      [0, 2, 3],
    ],
    [
      'several damaged lines',
      `${line(0)}{"seq":1,"e\n\0\0\0\n{"seq":2`,
      { seq: 1, reason: 'torn', kept: 0 },
      [0, 1],
    ],
  ]
  test.each(rows)('%s', async (_name, text, { seq, reason, kept }, seqs) => {
    const dir = tempFolder()
    writeFileSync(join(dir, 's.jsonl'), text)
    const done = await appendTo(dir)
    expect(done.seq).toBe(seq)
    expect(done.repairs).toMatchObject([{ reason, kept }])
    const lines = readFileSync(join(dir, 's.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((text) => JSON.parse(text).seq)).toEqual(seqs)
    const noted = JSON.parse(readFileSync(join(dir, 's.repairs.jsonl'), 'utf8'))
    expect(text.endsWith(Buffer.from(noted.bytes, 'base64').toString('utf8'))).toBe(true)
  })

  test('a file of nothing but damage', async () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 's.jsonl'), '{"seq":0,"ev')
    expect(await appendTo(dir)).toMatchObject({ seq: 0, repairs: [{ reason: 'torn' }] })
  })

  test('damage in the middle stays where it is, is named on reading, and the rest is read', async () => {
    const dir = tempFolder()
    const text = `${line(0)}{"seq":1,"ev\n${line(2).trim()}${line(3)}${line(4)}`
    writeFileSync(join(dir, 's.jsonl'), text)
    expect(await appendTo(dir)).toEqual({ seq: 5, repairs: [] })
    expect(readFileSync(join(dir, 's.jsonl'), 'utf8').startsWith(text)).toBe(true)
    const damage: unknown[] = []
    await using journal = await openJournal({
      dir,
      session: 's',
      onDamage: ({ line: at, reason, recovered }) => damage.push({ at, reason, recovered }),
    })
    expect((await collect(journal.read())).map((entry) => entry.seq)).toEqual([0, 2, 3, 4, 5])
    expect(damage).toEqual([
      { at: 2, reason: 'torn', recovered: 0 },
      { at: 3, reason: 'glued', recovered: 2 },
    ])
  })

  test('a crash between the two writes of a repair neither loses nor doubles a record', async () => {
    for (const point of ['journal:repair-noted', 'journal:repair-written']) {
      const dir = tempFolder()
      writeFileSync(join(dir, 's.jsonl'), `${line(0)}${'\0'.repeat(300)}${line(1)}`)
      {
        using _armed = armFaults((name) => {
          if (name === point) throw new Error('killed here')
        })
        await expect(appendTo(dir)).rejects.toThrow('killed here')
      }
      expect((await appendTo(dir)).seq).toBe(2)
      const seqs = readFileSync(join(dir, 's.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text).seq)
      expect(seqs).toEqual([0, 1, 2])
    }
  })

  test('a warm writer repairs what another left behind', async () => {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's' })
    await journal.append(gated(0))
    appendFileSync(join(dir, 's.jsonl'), '{"seq":1,"event":{"kind":"to')
    expect(await journal.append(gated(1))).toBe(1)
    expect(journal.repairs).toMatchObject([{ reason: 'torn' }])
  })
})

describe('failing writes', () => {
  test('a full disk leaves no half line, gives its code, and the next append works', async () => {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's' })
    await journal.append(gated(0))
    {
      using _armed = armFaults((name) => {
        if (name === 'journal:written') throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      })
      await expect(journal.append(gated(1))).rejects.toMatchObject({
        code: 'journal-write-failed',
        details: { system: 'ENOSPC' },
      })
    }
    expect(await journal.append(gated(2))).toBe(1)
    expect((await collect(journal.read())).map((entry) => entry.event)).toEqual([gated(0), gated(2)])
  })

  test('a folder that cannot be made, a path that is a folder', async () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 'file'), '')
    await expect(openJournal({ dir: join(dir, 'file', 'x'), session: 's' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('the lock', () => {
  const lockOf = (pid: number, start: number): string =>
    ownerText({ ...ownLockOwner('0'.repeat(16)), pid, start: start.toString(36) })

  test('its owner fits into an inode', () => {
    expect(
      ownerText({ ...ownLockOwner('0'.repeat(16)), pid: 4194304, start: (1e11).toString(36) }).length,
    ).toBeLessThan(60)
  })

  test('a dead owner is taken over at once, also where the one who was doing that has died', async () => {
    const dir = tempFolder()
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    symlinkSync(lockOf(pid, 1), join(dir, 's.lock'))
    symlinkSync(
      lockOf(pid, 1).replace('0'.repeat(16), '1'.repeat(16)),
      join(dir, `s.lock.claim-${'0'.repeat(16)}`),
    )
    const began = performance.now()
    expect((await appendTo(dir)).seq).toBe(0)
    expect(performance.now() - began).toBeLessThan(1500)
    expect(readdirSync(dir).filter((name) => name.includes('lock'))).toEqual([])
  })

  test('an owner whose pid is used again by another process is dead', async () => {
    const dir = tempFolder()
    symlinkSync(lockOf(process.pid, 12345), join(dir, 's.lock'))
    expect((await appendTo(dir)).seq).toBe(0)
  })

  test('an owner of before the last start of the machine is dead', async () => {
    const dir = tempFolder()
    symlinkSync(ownerText({ ...ownLockOwner('0'.repeat(16)), boot: 'ffffffff' }), join(dir, 's.lock'))
    expect((await appendTo(dir)).seq).toBe(0)
  })

  const elsewhere = (change: Partial<ReturnType<typeof ownLockOwner>>): string =>
    ownerText({ ...ownLockOwner('0'.repeat(16)), pid: 1, ...change })
  test.each([
    ['another machine', elsewhere({ host: 'ffffffff' })],
    ['another container', elsewhere({ namespace: 'ffffffff' })],
    ['a living process', lockOf(process.pid, Number.parseInt(ownLockOwner('').start, 36))],
    ['nobody we know', 'not ours'],
  ])('the lock of %s is never robbed', async (_whose, owner) => {
    const dir = tempFolder()
    symlinkSync(owner, join(dir, 's.lock'))
    await expect(appendTo(dir, { lockTimeoutMs: 50, checkpointEvery: 0 })).rejects.toMatchObject({
      code: 'journal-locked',
    })
    expect(existsSync(join(dir, 's.jsonl'))).toBe(false)
  })
})

describe('rotation', () => {
  test('parts hold what was written, seqs run on, reading and following cross them', async () => {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's', rotateBytes: 300, chain: true })
    const stop = new AbortController()
    const followed: number[] = []
    const following = (async () => {
      for await (const { seq } of journal.follow({ signal: stop.signal })) {
        followed.push(seq)
        if (seq === 19) stop.abort()
      }
    })()
    for (let n = 0; n < 20; n += 1) await journal.append(gated(n))
    await following
    expect(readdirSync(dir).filter((name) => name.includes('.part-')).length).toBeGreaterThan(3)
    expect((await collect(journal.read())).map((entry) => entry.seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    )
    expect(followed).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  test('a crash between the rename and the new file loses nothing', async () => {
    const dir = tempFolder()
    const { renameSync } = await import('node:fs')
    await appendTo(dir)
    await appendTo(dir)
    renameSync(join(dir, 's.jsonl'), join(dir, 's.part-000001.jsonl'))
    expect((await appendTo(dir)).seq).toBe(2)
  })

  test('following goes on after a repair', async () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 's.jsonl'), `${line(0)}${line(1).trim()}${line(2)}`)
    await using journal = await openJournal({ dir, session: 's' })
    const stop = new AbortController()
    const followed: number[] = []
    for await (const { seq } of journal.follow({ signal: stop.signal })) {
      followed.push(seq)
      if (seq === 2) void journal.append(gated(3))
      if (seq === 3) stop.abort()
    }
    expect(followed).toEqual([0, 1, 2, 3])
  })

  test('a half line is not given out before it is whole', async () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 's.jsonl'), line(0) + line(1).slice(0, 20))
    await using journal = await openJournal({ dir, session: 's' })
    const stop = new AbortController()
    const followed: number[] = []
    for await (const { seq } of journal.follow({ signal: stop.signal })) {
      followed.push(seq)
      if (seq === 0) appendFileSync(join(dir, 's.jsonl'), line(1).slice(20))
      if (seq === 1) stop.abort()
    }
    expect(followed).toEqual([0, 1])
    truncateSync(join(dir, 's.jsonl'), 0)
  })
})

describe('durability', () => {
  async function syncsOf(durability: 'os' | 'fsync'): Promise<number> {
    const dir = tempFolder()
    await using journal = await openJournal({ dir, session: 's', durability, checkpointEvery: 0 })
    await journal.append(gated(0))
    const spy = vi.spyOn(fs, 'fsync')
    await Promise.all(Array.from({ length: 64 }, (_, n) => journal.append(gated(n))))
    const calls = spy.mock.calls.length
    spy.mockRestore()
    return calls
  }

  test('fsync: 64 appends under way share a sync; os: none', async () => {
    expect(await syncsOf('fsync')).toBe(1)
    expect(await syncsOf('os')).toBe(0)
  })

  test('an append whose sync fails is not acknowledged', async () => {
    await using journal = await openJournal({
      dir: tempFolder(),
      session: 's',
      durability: 'fsync',
      checkpointEvery: 0,
    })
    const spy = vi
      .spyOn(fs, 'fsync')
      .mockImplementation((_handle, done) => done(Object.assign(new Error('io'), { code: 'EIO' })))
    await expect(journal.append(gated(0))).rejects.toMatchObject({ code: 'io' })
    spy.mockRestore()
  })
})

test('a long journal is looked at from its last checkpoint on, and its end is still judged', async () => {
  const dir = tempFolder()
  await using journal = await openJournal({ dir, session: 's', checkpointEvery: 10 })
  for (let n = 0; n < 25; n += 1) await journal.append(gated(n))
  await journal.checkpoint()
  const read = vi.spyOn(fs, 'readSync')
  expect((await appendTo(dir)).seq).toBe(25)
  const bytes = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0)
  read.mockRestore()
  expect(bytes).toBeLessThan(500)
  const size = statSync(join(dir, 's.jsonl')).size
  truncateSync(join(dir, 's.jsonl'), size - 5)
  expect(await appendTo(dir)).toMatchObject({ seq: 25, repairs: [{ reason: 'torn' }] })
})

test('a reader and a follower miss nothing while the journal rotates under them', async () => {
  const dir = tempFolder()
  await using journal = await openJournal({ dir, session: 's', rotateBytes: 200 })
  const total = 200
  const stop = new AbortController()
  const followed: number[] = []
  const following = (async () => {
    for await (const { seq } of journal.follow({ signal: stop.signal })) {
      followed.push(seq)
      if (seq === total - 1) stop.abort()
    }
  })()
  for (let n = 0; n < total; n += 1) {
    await journal.append(gated(n))
    if (n % 10 === 0) {
      const reading = collect(journal.read())
      const more = journal.append(gated(++n))
      const seqs = (await reading).map((entry) => entry.seq)
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => at))
      expect(seqs.length).toBeGreaterThanOrEqual(n)
      await more
    }
  }
  await following
  expect(followed).toEqual(Array.from({ length: total }, (_, n) => n))
})

test('a checkpoint that cannot be written fails no append; closing says so', async () => {
  const dir = tempFolder()
  const journal = await openJournal({ dir, session: 's', checkpointEvery: 2 })
  {
    using _armed = armFaults((name) => {
      if (name === 'journal:checkpoint') throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    })
    for (let n = 0; n < 5; n += 1) expect(await journal.append(gated(n))).toBe(n)
    await expect(journal.checkpoint()).rejects.toThrow('no space')
  }
  expect(await journal.append(gated(5))).toBe(5)
  await journal.close()
  expect(JSON.parse(readFileSync(join(dir, 's.checkpoints.jsonl'), 'utf8'))).toMatchObject({
    count: 6,
    seq: 5,
  })
})

test('checkpoints, appends and rotations of several writers at once', async () => {
  const dir = tempFolder()
  const options = { dir, session: 's', rotateBytes: 400, checkpointEvery: 3, durability: 'fsync' as const }
  const journals = await Promise.all([openJournal(options), openJournal(options)])
  const work = journals.flatMap((journal, writer) => [
    ...Array.from({ length: 40 }, async (_, n) => journal.append(gated(writer * 100 + n))),
    ...Array.from({ length: 5 }, () => journal.checkpoint()),
  ])
  await Promise.all(work)
  await Promise.all(journals.map((journal) => journal.close()))
  await using reader = await openJournal({ dir, session: 's' })
  expect((await collect(reader.read())).map((entry) => entry.seq)).toEqual(
    Array.from({ length: 80 }, (_, n) => n),
  )
})
