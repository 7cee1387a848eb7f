/**
 * What every journal promises, whatever holds it. Run by file-journal.test.ts and postgres-journal.test.ts.
 */
import { describe, expect, test } from 'vitest'
import type { Journal, JournalEntry } from '../../src/journal/index.ts'

export type OpenJournal = (session: string) => Promise<Journal>

export const gated = (
  n: number,
): { kind: string; turn: number; call_id: string; tool: string; reason: string } => ({
  kind: 'tool_gated',
  turn: n,
  call_id: `c${n}`,
  tool: 'shell',
  reason: 'ask_user',
})

export async function collect(entries: AsyncIterable<JournalEntry>): Promise<JournalEntry[]> {
  const all: JournalEntry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

export function journalContract(name: string, open: OpenJournal, newSession: () => string): void {
  describe(`${name}: contract`, () => {
    test('an empty session has no entries and latest seq -1', async () => {
      await using journal = await open(newSession())
      expect(await collect(journal.read())).toEqual([])
      expect(await journal.latestSeq()).toBe(-1)
    })

    test('seqs run from 0 and what is read is what was written', async () => {
      await using journal = await open(newSession())
      expect([await journal.append(gated(1)), await journal.append(gated(2))]).toEqual([0, 1])
      expect(await collect(journal.read())).toEqual([
        { seq: 0, event: gated(1) },
        { seq: 1, event: gated(2) },
      ])
      expect(await journal.latestSeq()).toBe(1)
    })

    test('appends made at once get distinct seqs in the order of the calls', async () => {
      await using journal = await open(newSession())
      const seqs = await Promise.all(Array.from({ length: 64 }, (_, n) => journal.append(gated(n))))
      expect(seqs).toEqual(Array.from({ length: 64 }, (_, n) => n))
      expect((await collect(journal.read())).map((entry) => entry.event)).toEqual(
        Array.from({ length: 64 }, (_, n) => gated(n)),
      )
    })

    test('two writers of one session take turns', async () => {
      const session = newSession()
      await using first = await open(session)
      await using second = await open(session)
      const seqs = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? first : second).append(gated(n))),
      )
      expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n))
      const entries = await collect(first.read())
      for (const [n, seq] of seqs.entries()) expect(entries[seq]?.event).toEqual(gated(n))
    })

    test('appendAll is one contiguous block', async () => {
      await using journal = await open(newSession())
      const [block] = await Promise.all([
        journal.appendAll([gated(0), gated(1), gated(2)]),
        journal.append(gated(3)),
      ])
      expect(block).toEqual([0, 1, 2])
      expect(await journal.appendAll([])).toEqual([])
    })

    test('what is no event is refused with path and reason, and nothing is written', async () => {
      await using journal = await open(newSession())
      await expect(journal.append({ kind: 'tool_gated', turn: 'x' })).rejects.toMatchObject({
        code: 'event-invalid',
      })
      await expect(journal.appendAll([gated(0), null])).rejects.toMatchObject({ code: 'event-invalid' })
      let deep: unknown = 1
      for (let level = 0; level < 200; level += 1) deep = [deep]
      await expect(journal.append({ kind: 'note', deep })).rejects.toMatchObject({ code: 'event-too-deep' })
      expect(await journal.latestSeq()).toBe(-1)
    })

    test('reading begins at fromSeq and filters by primitive, by kind and not by the embedded field', async () => {
      await using journal = await open(newSession())
      await journal.appendAll([
        gated(0),
        { kind: 'page_in', turn: 1, category: 'sched', primitive: 'sched', entry_count: 1 },
        { kind: 'note' },
        gated(3),
      ])
      expect((await collect(journal.read({ fromSeq: 2 }))).map((entry) => entry.seq)).toEqual([2, 3])
      expect((await collect(journal.read({ primitive: 'mm' }))).map((entry) => entry.seq)).toEqual([1])
      expect((await collect(journal.read({ primitive: 'sched' }))).map((entry) => entry.seq)).toEqual([2])
    })

    test('unknown kinds, hostile text and foreign shapes go through', async () => {
      await using journal = await open(newSession())
      const event = {
        kind: 'ünknown',
        text: 'a\u0000b\n\u2028\ud83d\ude00',
        nested: { list: [1, null, 'x'] },
      }
      await journal.append(event)
      await journal.append({
        kind: 'memory_retrieval_result',
        selected_memory_ids: ['m'],
        selection_rationale: 'w',
      })
      expect((await collect(journal.read())).map((entry) => entry.event)).toEqual([
        event,
        {
          kind: 'memory_retrieval_result',
          retrieval: { selected_memory_ids: ['m'], selection_rationale: 'w' },
        },
      ])
    })

    test('secrets do not reach the journal', async () => {
      await using journal = await open(newSession())
      const key = `sk-ant-api03-${'Ab3dE5gH'.repeat(11)}-AAAAAA`
      await journal.append({ kind: 'run_started', run_id: 'r', goal: `use ${key} please` })
      const [entry] = await collect(journal.read())
      expect(JSON.stringify(entry)).not.toContain(key)
      expect(JSON.stringify(entry)).toContain('<redacted:')
    })

    test('following gives what is there, then what comes, until it is told to stop', async () => {
      const session = newSession()
      await using writer = await open(session)
      await using reader = await open(session)
      await writer.appendAll([gated(0), gated(1)])
      const stop = new AbortController()
      const seen: number[] = []
      for await (const { seq } of reader.follow({ fromSeq: 1, signal: stop.signal })) {
        seen.push(seq)
        if (seq === 1) void writer.append(gated(2))
        if (seq === 2) void writer.appendAll([gated(3), gated(4)])
        if (seq === 4) stop.abort()
      }
      expect(seen).toEqual([1, 2, 3, 4])
    })

    test.each([
      '../x',
      '..',
      '.',
      '',
      'a/b',
      'a\\b',
      '.hidden',
      'a\u0000b',
      'x'.repeat(300),
      's.checkpoints',
      's.part-000001',
      'a\nb',
    ])('the session id %j is refused', async (session) => {
      await expect(open(session)).rejects.toMatchObject({ code: 'session-id-invalid' })
    })

    test('a closed journal refuses', async () => {
      const journal = await open(newSession())
      await journal.append(gated(0))
      await journal.close()
      await journal.close()
      await expect(journal.append(gated(1))).rejects.toMatchObject({ code: 'journal-closed' })
    })
  })
}
