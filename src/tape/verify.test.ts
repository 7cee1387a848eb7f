import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { label } from '../base/index.ts'
import { fromDisk, fromReprise } from '../scrub/scrubbed.ts'
import { createHeader } from './header.ts'
import { inspectTape, selectRecords } from './inspect.ts'
import { createStreamingRecorder } from './recorder.ts'
import { repairTape } from './repair.ts'
import { verifyTape } from './verify.ts'
import { TapeWriter } from './writer.ts'

describe('verify', () => {
  test('finds nothing against a whole tape', async () => {
    expect(await verifyTape(wholeTape())).toEqual({
      ok: true,
      findings: [],
      more: 0,
      records: 6,
      sealed: true,
    })
  })

  test.each([
    [
      'a changed character',
      (text: string) => text.replace('"duration_ms":3', '"duration_ms":4'),
      ['seal-chain'],
    ],
    [
      'a changed payload in the line',
      (text: string) => text.replace('small answer', 'other answer'),
      ['payload-hash', 'seal-chain'],
    ],
    ['a removed line', (text: string) => withoutLine(text, 3), ['seq-jump', 'seal-count', 'seal-chain']],
    [
      'a doubled line',
      (text: string) => text.replace(/^(.*"seq":2.*\n)/m, '$1$1'),
      ['seq-repeat', 'seal-count', 'seal-chain'],
    ],
    ['a cut tail', (text: string) => withoutLine(text, 7), ['unsealed']],
    ['a torn line', (text: string) => `${withoutLine(text, 7).trimEnd().slice(0, -9)}`, ['torn', 'unsealed']],
    ['a line after the seal', (text: string) => `${text}${text.split('\n')[1]}\n`, ['damage']],
    ['bytes after the seal', (text: string) => `${text}{"ty`, ['damage']],
    [
      'a changed count in the seal',
      (text: string) => text.replace('"records":6', '"records":5'),
      ['seal-count'],
    ],
    [
      'rubbish in the middle',
      (text: string) => text.replace(/^(.*"seq":2.*)$/m, '$1 oops'),
      ['damage', 'seq-jump', 'seal-count', 'seal-chain'],
    ],
  ])('finds %s', async (_what, change, codes) => {
    const path = wholeTape()
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    const verdict = await verifyTape(path)
    expect(verdict.findings.map(({ code }) => code)).toEqual(codes)
    expect(verdict.ok).toBe(false)
  })

  test.each([
    ['boundaries', 7],
    ['boundaries', []],
    ['boundaries', { network: 1 }],
    ['exit', 'ok'],
    ['exit', { code: '0', signal: null }],
    ['exit', { code: 0 }],
    ['exit', { code: 0.5, signal: null }],
    ['exit', { code: 0, signal: 9 }],
    ['stdout', 'none'],
    ['stdout', { bytes: -1, hash: 'blake3:00' }],
    ['stdout', { bytes: 3, hash: null }],
    ['stderr', [3]],
    ['children', 'x'],
    ['children', { '1.tape': 5 }],
    ['children', { '1.tape': { hash: [] } }],
    ['places', []],
    ['places', { root: 5 }],
    ['records', '6'],
    ['chain', null],
  ])('finds a seal whose %s is %j', async (name, value) => {
    const path = wholeTape()
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    const seal = JSON.parse(lines.at(-1) ?? '')
    seal.kind[name] = value
    writeFileSync(path, `${[...lines.slice(0, -1), JSON.stringify(seal)].join('\n')}\n`)
    const verdict = await verifyTape(path)
    expect(verdict.findings.map(({ code }) => code)).toEqual(['damage', 'unsealed'])
    expect(verdict.findings[0]?.message).toContain(`kind.${name}: `)
    expect(verdict.ok).toBe(false)
  })

  test('takes members that a newer writer added to the parts of a seal', async () => {
    const path = wholeTape()
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/"exit":null/, '"exit":{"code":0,"signal":null,"core":true}'))
    expect((await verifyTape(path)).ok).toBe(true)
  })

  test('finds a payload that is missing, and one that is not what it is named for', async () => {
    const path = wholeTape()
    const [entry = ''] = readdirSync(`${path}.cas`)
    writeFileSync(join(`${path}.cas`, entry), 'x')
    expect((await verifyTape(path)).findings.map(({ code }) => code)).toEqual(['cas-mismatch'])
    rmSync(join(`${path}.cas`, entry))
    expect((await verifyTape(path)).findings.map(({ code }) => code)).toEqual(['cas-missing'])
  })

  test('counts a gap in capture as a finding', async () => {
    const path = join(tempFolder(), 'run.tape')
    const writer = TapeWriter.open(path, fromReprise(createHeader()))
    createStreamingRecorder(writer).record({
      kind: 'gap',
      boundary: label('network'),
      reason: fromDisk('a WebSocket was opened'),
    })
    writer.close()
    expect((await verifyTape(path)).findings).toMatchObject([
      { code: 'gap', seq: 0, message: 'network: a WebSocket was opened' },
    ])
    expect(inspectTape(path).gaps).toEqual([
      { seq: 0, boundary: 'network', reason: 'a WebSocket was opened' },
    ])
  })

  test('lists a bounded number of findings and counts the rest', async () => {
    const path = wholeTape()
    const [header = '', first = ''] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, `${header}\n${`${first}\n`.repeat(3000)}`)
    const verdict = await verifyTape(path)
    expect(verdict.findings).toHaveLength(1000)
    expect(verdict.more).toBe(2000)
  })
})

describe('repair', () => {
  test('of a whole tape gives the same bytes', async () => {
    const path = wholeTape()
    const report = await repairTape(path, `${path}.new`)
    expect(report).toMatchObject({ records: 6, recovered: 0, lost: [], lostPayloads: [], sealKept: true })
    expect(readFileSync(`${path}.new`)).toEqual(readFileSync(path))
    expect(await verifyTape(`${path}.new`)).toMatchObject({ ok: true })
  })

  test.each([
    ['a torn end', (text: string) => text.slice(0, text.lastIndexOf('"chain"')), 6, 0, 1],
    ['glued lines', (text: string) => text.replace(/(.*"seq":2.*)\n(.*"seq":3.*)/, '$1$2'), 6, 2, 0],
    ['NUL bytes before a line', (text: string) => text.replace(/^(.*"seq":2.*)$/m, '\0\0\0$1'), 6, 1, 0],
    ['a line of rubbish', (text: string) => text.replace(/^.*"seq":2.*$/m, 'rubbish'), 5, 0, 1],
    [
      'a torn line glued to a whole one',
      (text: string) => text.replace(/^(.*"seq":2.*)\n(.*"seq":3.*)$/m, (_, a, b) => a.slice(0, 60) + b),
      5,
      1,
      1,
    ],
  ])('of %s saves what is whole and drops the seal', async (_what, change, records, recovered, lost) => {
    const path = wholeTape()
    const damaged = change(readFileSync(path, 'utf8'))
    writeFileSync(path, damaged)
    const report = await repairTape(path, `${path}.new`)
    expect(report).toMatchObject({ records, recovered, sealKept: false })
    expect(report.lost).toHaveLength(lost)
    expect(readFileSync(path, 'utf8')).toBe(damaged)
    const codes = (await verifyTape(`${path}.new`)).findings.map(({ code }) => code)
    expect(codes).toContain('unsealed')
    expect(codes).not.toContain('damage')
  })

  test('never writes over a file, nor where a CAS entry does not hold', async () => {
    const path = wholeTape()
    const [entry = ''] = readdirSync(`${path}.cas`)
    writeFileSync(join(`${path}.cas`, entry), 'x')
    await expect(repairTape(path, path)).rejects.toMatchObject({ code: 'out-exists' })
    const report = await repairTape(path, `${path}.new`)
    expect(report.lostPayloads).toEqual([{ hash: entry, reason: 'cas-mismatch' }])
  })
})

describe('inspect', () => {
  test('counts what is whole and steps over damage', () => {
    const path = wholeTape()
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*"seq":2.*$/m, 'rubbish'))
    expect(inspectTape(path)).toMatchObject({
      records: 5,
      kinds: { clock_sleep: 3, llm_call: 2 },
      cas: { entries: 1, bytes: 5000 },
      sealed: true,
      torn: null,
      gaps: [],
      damage: [{ line: 4, code: 'tape-line-damaged' }],
    })
  })

  test('selects by kind and by number', () => {
    const path = wholeTape()
    expect([...selectRecords(path, { kind: 'llm_call' })].map(({ record }) => record.seq)).toEqual([4, 5])
    expect([...selectRecords(path, { seq: 3 })].map(({ record }) => record.seq)).toEqual([3])
    expect([...selectRecords(path, { kind: 'llm_call', seq: 3 })]).toEqual([])
  })
})

function wholeTape(): string {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader()))
  const recorder = createStreamingRecorder(writer, { now: () => 0, monotonicMs: () => 0 })
  for (let at = 0; at < 4; at += 1) recorder.record({ kind: 'clock_sleep', durationMs: at })
  for (const answer of [Buffer.from('small answer'), Buffer.alloc(5000, 'x')]) {
    const response = recorder.payloadFromBytes(fromDisk<Uint8Array>(answer))
    recorder.record({ kind: 'llm_call', requestDigest: response.contentHash, response })
  }
  writer.close()
  return path
}

function withoutLine(text: string, number: number): string {
  return text
    .split('\n')
    .filter((_, at) => at !== number)
    .join('\n')
}
