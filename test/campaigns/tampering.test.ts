/**
 * Tapes that somebody changed: records edited, dropped, swapped, repeated and inserted, payload files, the seal; as they are, with a recomputed chain, and
 * with numbers and chain recomputed. What the tape itself shows is a finding of `verify`. What it cannot show, only a signed seal shows.
 */
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicKeyOf } from '../../src/real/signing.ts'
import { verifyTape } from '../../src/tape/verify.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { reseal } from '../support/reseal.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = `
  import fs from 'node:fs'
  import { spawnSync } from 'node:child_process'
  fs.writeFileSync('big.txt', 'x'.repeat(10000))
  for (let n = 0; n < 5; n += 1) console.log(Date.now(), Math.random(), fs.readFileSync('big.txt').length, process.env['N' + n])
  console.log(String(spawnSync('echo', ['hello']).stdout))
  await new Promise((resolve) => setTimeout(resolve, 2))`

type Edit = (records: readonly string[], at: number) => readonly string[]

const edits: Readonly<Record<string, Edit>> = {
  edited: (records, at) => records.map((line, index) => (index === at ? changed(line) : line)),
  dropped: (records, at) => records.filter((_line, index) => index !== at),
  swapped: (records, at) => swap(records, at),
  repeated: (records, at) => [...records.slice(0, at + 1), ...records.slice(at)],
  inserted: (records, at) => [...records.slice(0, at), gap(at), ...records.slice(at)],
}

/** Another last digit in the record itself. */
function changed(line: string): string {
  const at = line.search(/\d(?=[^\d]*$)/)
  return `${line.slice(0, at)}${(Number(line[at]) + 1) % 10}${line.slice(at + 1)}`
}

function swap(records: readonly string[], at: number): string[] {
  const next = at + 1 < records.length ? at + 1 : at - 1
  return records.map((line, index) =>
    index === at ? (records[next] ?? '') : index === next ? (records[at] ?? '') : line,
  )
}

function gap(seq: number): string {
  const kind = { kind: 'note', boundary: 'process', reason: 'inserted' }
  return JSON.stringify({
    type: 'record',
    seq,
    phase: 'user_script',
    virtual_time_ms: 0,
    monotonic_ms: 0,
    kind,
  })
}

function renumbered(records: readonly string[]): string[] {
  return records.map((line, seq) => line.replace(/"seq":\d+/, `"seq":${seq}`))
}

function copyOf(tape: string): string {
  const copy = join(tempFolder(), 'run.tape')
  cpSync(tape, copy)
  cpSync(`${tape}.cas`, `${copy}.cas`, { recursive: true })
  return copy
}

const pair = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const publicKey = publicKeyOf(pair.publicKey)

test('every change is found, by the tape itself or by its signed seal', { timeout: 3_600_000 }, async () => {
  const { tape, recorded } = await recordProgram(SOURCE)
  expect(recorded.code).toBe(0)
  reseal(tape, (lines) => lines, pair.privateKey)
  expect(await verifyTape(tape, { publicKey })).toMatchObject({ ok: true })
  const records = readFileSync(tape, 'utf8').split('\n').slice(1, -2)
  const next = seeded(campaignSeed)
  const tally: Record<string, number> = {}
  for (let round = 0; round < scaled(40, 1); round += 1) {
    const at = next(records.length)
    for (const [name, edit] of Object.entries(edits)) {
      const raw = copyOf(tape)
      const [header = '', ...rest] = readFileSync(raw, 'utf8').split('\n')
      writeFileSync(raw, [header, ...edit(rest.slice(0, -2), at), ...rest.slice(-2)].join('\n'))
      count(`${name}, chain as it was`, (await verifyTape(raw)).ok)

      const chained = copyOf(tape)
      reseal(chained, ([first = '', ...lines]) => [first, ...edit(lines, at)])
      const { ok } = await verifyTape(chained)
      tally[`${name}, chain recomputed: ${ok ? 'only a signed seal' : 'found'}`] =
        (tally[`${name}, chain recomputed: ${ok ? 'only a signed seal' : 'found'}`] ?? 0) + 1
      count(`${name}, chain recomputed, with the key`, (await verifyTape(chained, { publicKey })).ok)

      const renewed = copyOf(tape)
      reseal(renewed, ([first = '', ...lines]) => [first, ...renumbered(edit(lines, at))])
      count(
        `${name}, numbers and chain recomputed, with the key`,
        (await verifyTape(renewed, { publicKey })).ok,
      )
    }
  }
  console.log(tally)

  function count(what: string, ok: boolean): void {
    expect([what, ok]).toEqual([what, false])
    tally[what] = (tally[what] ?? 0) + 1
  }
})

test('a changed payload file and a changed seal are found', { timeout: 600_000 }, async () => {
  const { tape } = await recordProgram(SOURCE)
  const [file = ''] = readdirSync(`${tape}.cas`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const cas = copyOf(tape)
  writeFileSync(file.replace(`${tape}.cas`, `${cas}.cas`), 'changed')
  expect((await verifyTape(cas)).findings.map(({ code }) => code)).toContain('cas-mismatch')
  for (const [from, to] of [
    [/"records":\d+/, '"records":1'],
    [/"chain":"./, (found: string) => (found.endsWith('0') ? found.replace('0', '1') : '"chain":"0')],
    [/"code":0/, '"code":1'],
    [/"virtual_time_ms":\d/, '"virtual_time_ms":9'],
    [/"monotonic_ms":\d+/, '"monotonic_ms":99999'],
    [/"boundaries":/, '"unknown":1,"boundaries":'],
    [/}$/, ',"unknown":1}'],
    [/}$/, ',"scrubbed":7}'],
    [/"algorithm":/, '"unknown":1,"algorithm":'],
    [/"version":2,/, ''],
    [/"version":2/, '"version":3'],
    [/("value":"[^"]*")/, '$1,$1'],
  ] as const) {
    const seal = copyOf(tape)
    reseal(seal, (lines) => lines, pair.privateKey)
    writeFileSync(
      seal,
      readFileSync(seal, 'utf8').replace(/[^\n]*"tape_seal"[^\n]*/, (line) =>
        typeof to === 'string' ? line.replace(from, to) : line.replace(from, to),
      ),
    )
    expect([String(from), (await verifyTape(seal, { publicKey })).ok]).toEqual([String(from), false])
  }
})
