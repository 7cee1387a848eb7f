import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { armFaults, canonicalJson, utf8 } from '../base/index.ts'
import { ed25519Signer, publicKeyOf } from '../real/signing.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { fromDisk, fromReprise } from '../scrub/scrubbed.ts'
import { EventTape } from './event-tape.ts'
import { createHeader } from './header.ts'
import type { TapeRecord } from './record.ts'
import { verifyTape } from './verify.ts'
import { TapeWriter } from './writer.ts'

const header = fromReprise(createHeader({ startedAtUnixMs: 5 }))

describe('a tape writer', () => {
  test('has every record with the operating system when its tick ends', async () => {
    const path = newPath()
    using writer = TapeWriter.open(path, header)
    writer.append(sleep(0))
    writer.append(sleep(1))
    await null
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4)
  })

  test('writes what was appended in a tick that process.exit ends', () => {
    const path = newPath()
    execFileSync(process.execPath, ['--import', 'tsx', '-e', exitingProgram(path)], {
      cwd: new URL('../..', import.meta.url),
    })
    expect(EventTape.loadSync(path).records).toHaveLength(3)
  })

  test('seals at close: count, chain and what is known of the end', async () => {
    const path = newPath()
    const writer = TapeWriter.open(path, header)
    writer.append(sleep(0))
    const receipt = writer.close(
      fromReprise({ exit: { code: 0, signal: null }, boundaries: { clock: 'captured' as const } }),
    )
    expect(receipt).toMatchObject({ path, records: 1, bytes: statSync(path).size })
    const seal = EventTape.loadSync(path).records.at(-1)
    expect(seal).toMatchObject({
      seq: 1,
      kind: {
        kind: 'tape_seal',
        records: 1,
        chain: receipt.chain,
        exit: { code: 0, signal: null },
        boundaries: { clock: 'captured' },
        stdout: null,
      },
    })
    expect(await verifyTape(path)).toMatchObject({ ok: true, sealed: true, findings: [] })
  })

  test('does not seal when it is abandoned', async () => {
    const path = newPath()
    {
      using writer = TapeWriter.open(path, header)
      writer.append(sleep(0))
    }
    expect((await verifyTape(path)).findings.map((finding) => finding.code)).toEqual(['unsealed'])
  })

  test('keeps lines longer than its buffer, and characters of every width', async () => {
    const path = newPath()
    const writer = TapeWriter.open(path, header)
    const paths = ['é'.repeat(200_000), '😀'.repeat(100_000), 'short', 'x'.repeat(262_000)]
    paths.forEach((name, seq) => {
      writer.append(
        fromDisk<TapeRecord>({
          seq,
          phase: 'user_script',
          virtualTimeMs: 0,
          monotonicMs: 0,
          kind: { kind: 'file_delete', path: name },
        }),
      )
    })
    writer.close()
    const tape = EventTape.loadSync(path)
    expect(
      tape.records.slice(0, 4).map(({ kind }) => (kind.kind === 'file_delete' ? kind.path : '')),
    ).toEqual(paths)
    expect(await verifyTape(path)).toMatchObject({ ok: true })
  })

  test('refuses an existing file, also a dangling link, and replaces it only by force', () => {
    const path = newPath()
    writeFileSync(path, 'mine')
    writeFileSync(`${path}.keep`, 'other')
    expect(() => TapeWriter.open(path, header)).toThrow(expect.objectContaining({ code: 'out-exists' }))
    expect(readFileSync(path, 'utf8')).toBe('mine')
    TapeWriter.open(path, header, { force: true }).close()
    expect(EventTape.loadSync(path).records).toHaveLength(1)
    const link = newPath()
    symlinkSync('/nowhere/else', link)
    expect(() => TapeWriter.open(link, header)).toThrow(expect.objectContaining({ code: 'out-exists' }))
  })

  test('by force removes the old CAS, but nothing in it that is not ours', () => {
    const path = newPath()
    const old = TapeWriter.open(path, header)
    old.payload(fromDisk<Uint8Array>(Buffer.alloc(5000, 'x')))
    old.close()
    writeFileSync(join(`${path}.cas`, 'notes.txt'), 'mine')
    TapeWriter.open(path, header, { force: true }).close()
    expect(readdirSync(`${path}.cas`)).toEqual(['notes.txt'])
  })

  test('refuses to write where a folder is', () => {
    expect(() => TapeWriter.open(tempFolder(), header, { force: true })).toThrow(
      expect.objectContaining({ code: 'out-exists' }),
    )
  })

  test('refuses to go on after close', () => {
    const writer = TapeWriter.open(newPath(), header)
    writer.close()
    expect(() => writer.append(sleep(0))).toThrow(expect.objectContaining({ code: 'tape-closed' }))
    expect(() => writer.close()).toThrow(expect.objectContaining({ code: 'tape-closed' }))
  })

  test('puts a payload in place before the line that names it', () => {
    const path = newPath()
    using writer = TapeWriter.open(path, header)
    const payload = writer.payload(fromDisk<Uint8Array>(Buffer.alloc(5000, 'x')))
    expect(existsSync(join(`${path}.cas`, payload.contentHash))).toBe(true)
    expect(readFileSync(path, 'utf8')).not.toContain(payload.contentHash)
  })

  test('with fsync asks the disk, at every tick', async () => {
    const points: string[] = []
    using _armed = armFaults((point) => void points.push(point))
    const writer = TapeWriter.open(newPath(), header, { durability: 'fsync' })
    writer.append(sleep(0))
    await null
    writer.close()
    expect(points.filter((point) => point === 'tape.sync')).toHaveLength(3)
  })
})

describe('a signed seal', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer = ed25519Signer(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const key = publicKeyOf(publicKey.export({ type: 'spki', format: 'pem' }).toString())
  const otherKey = publicKeyOf(
    generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  )

  test('holds for its key and no other', async () => {
    const path = signedTape()
    expect(await verifyTape(path, { publicKey: key })).toMatchObject({ ok: true })
    expect((await verifyTape(path, { publicKey: otherKey })).findings.map(({ code }) => code)).toEqual([
      'signature-other-key',
    ])
  })

  test('covers the end of the run too', async () => {
    const path = signedTape()
    writeFileSync(path, readFileSync(path, 'utf8').replace('"code":0', '"code":1'))
    expect((await verifyTape(path)).findings.map(({ code }) => code)).toEqual(['signature-bad'])
  })

  test.each([
    ['a time', '"monotonic_ms":0', '"monotonic_ms":5'],
    ['an unknown field', '"records":0', '"unknown":1,"records":0'],
    ['an unknown field of the signature', '"algorithm"', '"unknown":1,"algorithm"'],
    ['its version', '"version":2,', ''],
  ])('covers %s', async (_name, from, to) => {
    const path = signedTape()
    const text = readFileSync(path, 'utf8')
    const changed = text.slice(0, text.indexOf('\n')) + text.slice(text.indexOf('\n')).replace(from, to)
    expect(changed).not.toBe(text)
    writeFileSync(path, changed)
    expect((await verifyTape(path)).findings.map(({ code }) => code)).toEqual(['signature-bad'])
  })

  test('holds without a version, as older tapes have it', async () => {
    const path = newPath()
    TapeWriter.open(path, header).close(fromReprise({ exit: { code: 0, signal: null } }))
    const text = readFileSync(path, 'utf8')
    const line = text.trimEnd().split('\n').at(-1) ?? ''
    const { kind: _kind, ...facts } = JSON.parse(line).kind
    const value = signer.sign(utf8(canonicalJson({ seal: 'reprise-tape-v1', ...facts })))
    const signature = JSON.stringify({ algorithm: 'ed25519', public_key: key, value })
    writeFileSync(path, text.replace(line, `${line.slice(0, -2)},"signature":${signature}}}`))
    expect(await verifyTape(path, { publicKey: key })).toMatchObject({ ok: true })
    writeFileSync(path, readFileSync(path, 'utf8').replace('"code":0', '"code":1'))
    expect((await verifyTape(path)).findings.map(({ code }) => code)).toEqual(['signature-bad'])
  })

  test('is missed where one is asked for', async () => {
    const path = newPath()
    TapeWriter.open(path, header).close()
    expect((await verifyTape(path, { publicKey: key })).findings.map(({ code }) => code)).toEqual([
      'signature-missing',
    ])
  })

  function signedTape(): string {
    const path = newPath()
    TapeWriter.open(path, header, { signer }).close(fromReprise({ exit: { code: 0, signal: null } }))
    return path
  }
})

function sleep(seq: number): Scrubbed<TapeRecord> {
  return {
    seq,
    phase: 'user_script',
    virtualTimeMs: 0,
    monotonicMs: 0,
    kind: { kind: 'clock_sleep', durationMs: seq },
  }
}

function newPath(): string {
  return join(tempFolder(), 'run.tape')
}

function exitingProgram(path: string): string {
  return `
    const { TapeWriter } = require('./src/tape/writer.ts')
    const { createHeader } = require('./src/tape/header.ts')
    const writer = TapeWriter.open(${JSON.stringify(path)}, createHeader())
    for (let seq = 0; seq < 3; seq += 1) writer.append({ seq, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, kind: { kind: 'clock_sleep', durationMs: 1 } })
    process.exit(0)
  `
}
