import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionFiles } from '../../src/journal/file/session-files.ts'
import { type JournalVerdict, verifyJournal } from '../../src/journal/file/verify-journal.ts'
import { openJournal } from '../../src/journal/index.ts'
import { publicKeyOf } from '../../src/real/signing.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { gated } from './journal-contract.ts'

const pair = (): { privatePem: string; publicKey: string } => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { privatePem, publicKey: publicKeyOf(privatePem) }
}

async function written(
  records: number,
  options: Partial<Parameters<typeof openJournal>[0]> = {},
): Promise<string> {
  const dir = tempFolder()
  await using journal = await openJournal({ dir, session: 's', checkpointEvery: 4, ...options })
  for (let n = 0; n < records; n += 1) await journal.append(gated(n))
  return dir
}

const verify = (dir: string, key: string | null = null): Promise<JournalVerdict> =>
  verifyJournal(sessionFiles(dir, 's'), key)
const codes = async (dir: string, key: string | null = null): Promise<string[]> =>
  (await verify(dir, key)).findings.map((finding) => finding.code)
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')))

test('a whole journal has no findings', async () => {
  expect(await verify(await written(10))).toMatchObject({
    ok: true,
    records: 10,
    checkpoints: 3,
    unsealedLines: 0,
    signed: 0,
    repairs: 0,
  })
  expect(await verify(await written(50, { rotateBytes: 400, chain: true, at: true }))).toMatchObject({
    ok: true,
    records: 50,
  })
})

test('a cut tail shows, at a line end and within a line, and when the whole file is gone', async () => {
  const dir = await written(10)
  const size = readFileSync(join(dir, 's.jsonl')).length
  truncateSync(join(dir, 's.jsonl'), readFileSync(join(dir, 's.jsonl')).lastIndexOf(0x0a, size - 2) + 1)
  expect(await codes(dir)).toEqual(['cut-tail'])
  truncateSync(join(dir, 's.jsonl'), 100)
  expect(await codes(dir)).toContain('cut-tail')
  rmSync(join(dir, 's.jsonl'))
  expect(await codes(dir)).toEqual(['cut-tail'])
})

test('a changed byte breaks the chain of the checkpoint that covers it', async () => {
  const dir = await written(10)
  edit(join(dir, 's.jsonl'), (text) => text.replace('"c5"', '"c6"'))
  expect((await verify(dir)).findings).toMatchObject([{ code: 'checkpoint-chain', line: 2, seq: 7 }])
})

test('a removed line breaks numbers and chain', async () => {
  const dir = await written(10)
  edit(join(dir, 's.jsonl'), (text) => text.split('\n').toSpliced(2, 1).join('\n'))
  expect(await codes(dir)).toEqual(expect.arrayContaining(['seq-gap', 'checkpoint-chain']))
})

test('doubled, disordered and damaged lines are named', async () => {
  const dir = tempFolder()
  const line = (seq: number): string => `${JSON.stringify({ seq, event: gated(seq) })}\n`
  writeFileSync(
    join(dir, 's.jsonl'),
    `${line(0)}${line(1)}${line(1)}${line(5)}${line(2)}{"seq":6,"ev\n{"seq":7,"event":{"kind":"tool_gated"}}\n`,
  )
  expect(await codes(dir)).toEqual(['seq-repeated', 'seq-gap', 'seq-order', 'line-damaged', 'line-damaged'])
})

test('the chain on each line shows a change even where no checkpoint is', async () => {
  const dir = await written(6, { chain: true, checkpointEvery: 0 })
  expect(await codes(dir)).toEqual([])
  edit(join(dir, 's.jsonl'), (text) => text.replace('"c3"', '"cX"'))
  expect((await verify(dir)).findings).toMatchObject([{ code: 'line-chain', line: 4 }])
})

test('signatures: good, forged, by another key, missing', async () => {
  const mine = pair()
  const other = pair()
  const dir = await written(10, { signingKey: mine.privatePem })
  expect(await verify(dir, mine.publicKey)).toMatchObject({ ok: true, signed: 3 })
  expect(await codes(dir, other.publicKey)).toEqual([
    'signature-other-key',
    'signature-other-key',
    'signature-other-key',
  ])
  edit(join(dir, 's.checkpoints.jsonl'), (text) => text.replace('"count":4', '"count":5'))
  expect(await codes(dir, mine.publicKey)).toEqual(['signature-invalid', 'checkpoint-count'])
  expect(await codes(await written(4), mine.publicKey)).toEqual(['signature-missing'])
})

test('tail cut and checkpoints rewritten: only a signature tells', async () => {
  const mine = pair()
  const dir = await written(8, { signingKey: mine.privatePem })
  truncateSync(
    join(dir, 's.jsonl'),
    readFileSync(join(dir, 's.jsonl'), 'utf8').split('\n').slice(0, 3).join('\n').length + 1,
  )
  rmSync(join(dir, 's.checkpoints.jsonl'))
  {
    await using forger = await openJournal({ dir, session: 's' })
    await forger.append(gated(3))
  }
  expect(await codes(dir)).toEqual([])
  expect(await codes(dir, mine.publicKey)).toEqual(['signature-missing'])
})

test('a checkpoint of another session is not this one’s', async () => {
  const mine = pair()
  const dir = await written(4, { signingKey: mine.privatePem })
  {
    await using journal = await openJournal({ dir, session: 't', signingKey: mine.privatePem })
    for (let n = 0; n < 4; n += 1) await journal.append(gated(n))
  }
  writeFileSync(join(dir, 't.checkpoints.jsonl'), readFileSync(join(dir, 's.checkpoints.jsonl')))
  expect(
    (await verifyJournal(sessionFiles(dir, 't'), mine.publicKey)).findings.map((finding) => finding.code),
  ).toEqual(['signature-invalid'])
})

test('torn and foreign checkpoint lines are named, and the next checkpoint mends the end', async () => {
  const dir = await written(5)
  edit(join(dir, 's.checkpoints.jsonl'), (text) => `${text}{"count":9,"se`)
  expect(await codes(dir)).toEqual(['checkpoint-damaged'])
  {
    await using journal = await openJournal({ dir, session: 's' })
    await journal.append(gated(5))
  }
  expect(await codes(dir)).toEqual([])
})

test('a part that is gone is named', async () => {
  const dir = await written(30, { rotateBytes: 400 })
  rmSync(join(dir, 's.part-000002.jsonl'))
  expect(await codes(dir)).toContain('part-missing')
})

test('a key that cannot be used', async () => {
  await expect(
    openJournal({ dir: tempFolder(), session: 's', signingKey: 'nonsense' }),
  ).rejects.toMatchObject({ code: 'journal-key-invalid' })
})

test('of very many findings the first 10,000 are listed, and all are counted', async () => {
  const dir = await written(2)
  edit(join(dir, 's.jsonl'), (text) => `${text}${'x\n'.repeat(12_000)}`)
  const { ok, found, findings, records } = await verify(dir)
  expect({ ok, found, listed: findings.length, records }).toEqual({
    ok: false,
    found: 12_000,
    listed: 10_000,
    records: 2,
  })
})
