/**
 * What files cost: 10,000 small ones read, half of them at once and half of them later, in plain Node,
 * recorded and replayed; then each way by itself.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verdict } from '../measure.ts'
import { sideBySide } from './side-by-side.ts'

const FILES = 10_000
const WHY =
  'Plain Node takes 9 µs of processor time for a cached file. Ours adds 26: 6 are the start, the rest is to read, check and compare a line of the tape.'

const PROGRAM = `
import fs from 'node:fs'
import promises from 'node:fs/promises'
const share = Number(process.argv[2])
const names = Array.from({ length: ${FILES} }, (_, n) => 'data/' + (n % 100) + '/' + n + '.txt')
const atOnce = names.splice(0, share)
let bytes = 0
for (const name of atOnce) bytes += fs.readFileSync(name, 'utf8').length
for (let at = 0; at < names.length; at += 50) {
  const texts = await Promise.all(names.slice(at, at + 50).map((name) => promises.readFile(name, 'utf8')))
  for (const text of texts) bytes += text.length
}
if (bytes !== ${FILES} * 100) throw new Error('read ' + bytes)
`

export function benchFiles(): void {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    for (let n = 0; n < 100; n += 1) mkdirSync(join(folder, 'data', String(n)), { recursive: true })
    for (let n = 0; n < FILES; n += 1)
      writeFileSync(join(folder, 'data', String(n % 100), `${n}.txt`), `${n} `.padEnd(100, 'x'))
    writeFileSync(join(folder, 'read.mjs'), PROGRAM)
    measure(folder, 'half and half', FILES / 2)
    measure(folder, 'at once', FILES)
    measure(folder, 'later', 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(folder: string, how: string, atOnce: number): void {
  const { plain, record, replay } = sideBySide(`${FILES} small files, ${how}`, folder, 'read.mjs', [
    String(atOnce),
  ])
  const facts = { ours: record, floor: plain, unit: 'ms', why: WHY }
  verdict(`  recorded against plain, ${how}`, record / plain, 2.5, 'at most', facts)
  verdict(`  replayed against plain, ${how}`, replay / plain, 1, 'at most', { ...facts, ours: replay })
}
