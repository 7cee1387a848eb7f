/**
 * What files cost: 10,000 small ones read, half of them at once and half of them later, in plain Node, recorded and replayed; then each way by itself.
 * Each candidate is a whole process, the candidates take turns, and the medians decide.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, verdict } from '../measure.ts'

const FILES = 10_000
const ROUNDS = 7
const register = new URL('../../dist/entry/register.js', import.meta.url).href

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
    for (let n = 0; n < FILES; n += 1) writeFileSync(join(folder, 'data', String(n % 100), `${n}.txt`), `${n} `.padEnd(100, 'x'))
    writeFileSync(join(folder, 'read.mjs'), PROGRAM)
    measure(folder, 'half and half', FILES / 2)
    measure(folder, 'at once', FILES)
    measure(folder, 'later', 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(folder: string, how: string, atOnce: number): void {
  const tape = join(folder, 'run.tape')
  const candidates: Readonly<Record<string, () => void>> = {
    plain: () => run(folder, atOnce, {}),
    recorded() {
      for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
      run(folder, atOnce, { REPRISE_MODE: 'record', REPRISE_TAPE: tape })
    },
    replayed: () => run(folder, atOnce, { REPRISE_MODE: 'replay', REPRISE_TAPE: tape }),
  }
  const times = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]))
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, candidate] of Object.entries(candidates)) {
      const start = performance.now()
      candidate()
      if (round >= 0) times.get(name)?.push(performance.now() - start)
    }
  }
  const ms = (name: string): number => median(times.get(name) ?? [])
  console.log(
    `${FILES} small files, ${how}: plain ${ms('plain').toFixed(0)} ms, recorded ${ms('recorded').toFixed(0)}, replayed ${ms('replayed').toFixed(0)}`,
  )
  verdict(`  recorded against plain, ${how}`, ms('recorded') / ms('plain'), 2.5, 'at most')
  verdict(`  replayed against plain, ${how}`, ms('replayed') / ms('plain'), 1, 'at most')
}

function run(cwd: string, atOnce: number, env: Readonly<Record<string, string>>): void {
  const preload = 'REPRISE_MODE' in env ? ['--import', register] : []
  const { status, stderr } = spawnSync(process.execPath, [...preload, 'read.mjs', String(atOnce)], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${env.REPRISE_MODE ?? 'plain'}: ${stderr}`)
}
