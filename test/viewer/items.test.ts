/** Cassettes, journals, state folders, and the text of stored payloads, as the page gets them. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { contentHash } from '../../src/base/index.ts'
import { initState } from '../../src/state/index.ts'
import { openViewer } from '../../src/viewer/items/open-viewer.ts'
import type { ViewerSource } from '../../src/viewer/protocol.ts'
import { tempFolder } from '../support/temp-folder.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))

async function opened(path: string): Promise<ViewerSource> {
  const viewer = await openViewer([path])
  onTestFinished(() => viewer.close())
  return viewer.source
}

test('a cassette has its chunks, frames and output; a search finds each place where a text appears', async () => {
  const source = await opened(fixture('cassette/agents/claude'))
  const document = await source.cassette('0')
  expect(document).toMatchObject({
    command: ['claude'],
    rows: 30,
    cols: 100,
    tape: null,
    findings: { findings: [] },
  })
  const { chunks } = await source.cassetteChunks('0', 0)
  expect(chunks.length).toBe(document.chunks)
  const [, offset = 0, length = 0] = chunks.at(-1) ?? []
  expect(offset + length).toBe(document.outputBytes)
  expect((await source.cassetteOutput('0', 0, 1e9)).length).toBe(document.outputBytes)
  const [hit] = await source.cassetteSearch('0', 'claude CODE')
  expect(hit?.text).toContain('Claude Code')
  const { frames } = await source.cassetteFrames('0', hit?.frame ?? 0, 1)
  expect(frames[0]?.text[hit?.line ?? 0]).toContain('Claude Code')
})

test('a cassette that was changed opens with a finding', async () => {
  const folder = join(tempFolder(), 'changed')
  mkdirSync(folder)
  const { readdirSync, appendFileSync } = await import('node:fs')
  for (const name of readdirSync(fixture('cassette/agents/claude')))
    copyFileSync(fixture(`cassette/agents/claude/${name}`), join(folder, name))
  appendFileSync(join(folder, 'output.raw'), 'x')
  const { findings } = (await (await opened(folder)).cassette('0')).findings
  expect(findings.length).toBeGreaterThan(0)
  expect(findings[0]).toMatchObject({ severity: 'fault' })
})

test('the time cursor of a journal shows what was known at that entry, forward and back', async () => {
  const source = await opened(fixture('journal/golden/every-kind.jsonl'))
  const { entries, lastSeq } = await source.audit('0')
  expect(entries).toBe(31)
  const last = await source.auditAt('0', entries - 1)
  expect(last.seq).toBe(lastSeq)
  const first = await source.auditAt('0', 0)
  expect(first.runs).toMatchObject([{ goal: 'Fix the login test', endedAtSeq: null }])
  expect(first.gates).toEqual([])
  expect(await source.auditAt('0', entries - 1)).toEqual(last)
  const kinds = await source.auditEntries('0', { from: 0, count: 10, kinds: ['run_started'] })
  expect(kinds).toMatchObject({ total: 1, entries: [{ index: 0, kind: 'run_started' }] })
})

test('a state folder shows keys with owners, every version, and the handoff', async () => {
  const root = tempFolder()
  const state = await initState(root, { sessionId: 's1', writerId: 'planner' })
  await state.write('notes/plan.md', 'one')
  await state.write('notes/plan.md', 'two')
  await state.handoff(
    { done: 1 },
    {
      handoff: {
        source: 'planner',
        target: 'writer',
        task: 'write',
        reason: 'planned',
        openQuestions: ['when?'],
      },
    },
  )
  await state.close()
  const source = await opened(root)
  expect(await source.state('0')).toMatchObject({ backend: 'filesystem', sessions: ['s1'] })
  const session = await source.stateSession('0', 's1')
  expect(session.keys).toMatchObject([
    { key: '__handoff.json' },
    { key: 'notes/plan.md', versions: 2, sizeBytes: 3, owner: { name: 'planner' } },
  ])
  expect(session.handoff).toMatchObject({
    target: 'writer',
    openQuestions: ['when?'],
    owner: { name: 'planner' },
  })
  const versions = await source.stateHistory('0', 's1', 'notes/plan.md')
  expect(versions.map(({ content }) => content)).toEqual([
    { form: 'text', text: 'one' },
    { form: 'text', text: 'two' },
  ])
})

test('text in a stored payload is found and fetched in ranges', async () => {
  const path = join(tempFolder(), 'run.tape')
  const bytes = Buffer.from(`${'x'.repeat(5000)} the Needle ${'y'.repeat(100)}`)
  const hash = contentHash(bytes)
  const header =
    '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'
  const kind = `{"kind":"file_write","path":"a","content_hash":"${hash}","len_bytes":${bytes.length},"payload":{"content_hash":"${hash}","len_bytes":${bytes.length}}}`
  writeFileSync(
    path,
    `${header}\n{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":1,"monotonic_ms":1,"kind":${kind}}\n`,
  )
  mkdirSync(`${path}.cas`)
  writeFileSync(`${path}.cas/${hash}`, bytes)
  const source = await opened(path)
  const found = await source.search('0', { text: 'THE NEEDLE', from: 0, count: 5 })
  expect(found).toMatchObject({ total: 1, hits: [{ where: 'payload', match: 'the Needle' }] })
  const { view } = await source.details('0', 0)
  expect(view).toMatchObject({
    type: 'file',
    content: { form: 'stored', ref: `cas:${hash}`, missing: false },
  })
  expect(new TextDecoder().decode(await source.payload('0', `cas:${hash}`, 5001, 5011))).toBe('the Needle')
})
