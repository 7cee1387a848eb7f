/**
 * Random terminal streams with a secret planted in one of the disguises that a terminal gives it. Seeded: a
 * failing stream can be made again.
 */
import type { Random } from '../support/seeded.ts'

export const ROWS = 10
export const COLS = 40
export const KNOWN = 'Zq7-known.value_of/an+env=variable'
const SHAPES = [
  'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'AKIAIOSFODNN7EXAMPLE',
  'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AAAA',
]

const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T
const sgr = (random: Random): string =>
  pick(random, [
    '\x1b[0m',
    '\x1b[1;31m',
    '\x1b[38;5;246m',
    '\x1b[48;2;1;2;3m',
    '\x1b[m',
    '\x1b[?25l',
    '\x1b]8;;\x07',
    '\x1b(B',
  ])

function noise(random: Random): string {
  switch (random(14)) {
    case 0:
      return `\x1b[${1 + random(ROWS)};${1 + random(COLS)}H`
    case 1:
      return `\x1b[${random(5)}${pick(random, ['A', 'B', 'C', 'D', 'K', 'J', 'P', '@', 'X', 'L', 'M', 'G'])}`
    case 2:
      return '\r\n'
    case 3:
      return `\x1b]0;title ${random(100)}\x07`
    case 4:
      return pick(random, ['日本', 'é', 'e\u0301', '😀', '─┼─', 'ß'])
    case 5:
      return Buffer.from(Array.from({ length: 1 + random(4) }, () => random(256))).toString('latin1')
    case 6:
      return pick(random, [
        '\b',
        '\r',
        '\t',
        '\x1b7',
        '\x1b8',
        '\x1bM',
        '\x1b[2J',
        '\x1b[?1049h',
        '\x1b[?1049l',
        '\x1b[3;8r',
        '\x1b[r',
        '\x1b[4h',
        '\x1b[4l',
      ])
    case 7:
    case 8:
      return sgr(random)
    default:
      return pick(random, ['the ', 'quick ', 'brown ', 'fox ', '0123 ', 'a=b; ', '$ ', '# '])
  }
}

type Disguise =
  | 'plain'
  | 'coloured'
  | 'at-the-edge'
  | 'hand-wrapped'
  | 'backwards'
  | 'in-two-halves'
  | 'repainted'
  | 'title'
  | 'over-itself'
const DISGUISES: readonly Disguise[] = [
  'plain',
  'coloured',
  'at-the-edge',
  'hand-wrapped',
  'backwards',
  'in-two-halves',
  'repainted',
  'title',
  'over-itself',
]

function plant(random: Random, disguise: Disguise, secret: string): string {
  const cut = 1 + random(secret.length - 1)
  const [head, tail] = [secret.slice(0, cut), secret.slice(cut)]
  const row = 1 + random(ROWS - 2)
  const start = `\x1b[0m\x1b[4l\x1b[r\x1b[${row};1H`
  switch (disguise) {
    case 'plain':
      return ` ${secret} `
    case 'coloured':
      return ` ${[...secret].map((char) => (random(4) === 0 ? sgr(random) + char : char)).join('')} `
    case 'at-the-edge':
      return `\x1b[${row};${COLS - Math.min(cut, COLS - 2)}H ${secret} `
    case 'hand-wrapped':
      return `${start}${' '.repeat(COLS - Math.min(cut, COLS))}${secret.slice(0, Math.min(cut, COLS))}\r\n${secret.slice(Math.min(cut, COLS))} `
    case 'backwards':
      return `${start}${[...secret.slice(0, COLS)]
        .map((char, at) => `\x1b[${row};${at + 1}H${char}`)
        .reverse()
        .join('')}`
    case 'in-two-halves':
      return `\x1b[${row};${2 + (cut % (COLS - 2))}H${tail.slice(0, COLS)}\x1b[${row};${2 + (cut % (COLS - 2)) - Math.min(head.length, 1 + (cut % (COLS - 2)))}H${head}`
    case 'repainted':
      return `${start}${secret.slice(0, COLS)}\r${secret.slice(0, 4)}\x1b[4C${secret.slice(8, COLS)}`
    case 'title':
      return `\x1b]2;${secret}\x1b\\`
    case 'over-itself':
      return `${start}${'x'.repeat(Math.min(secret.length, COLS))}\r${secret.slice(0, COLS)}`
  }
}

export type PlantedStream = {
  readonly bytes: Uint8Array
  readonly secret: string
  readonly disguise: Disguise
}

export function plantedStream(random: Random): PlantedStream {
  const disguise = pick(random, DISGUISES)
  // A shape needs a word's boundary before it; where the cursor jumps, only a known value is certain to be
  // told.
  const secret =
    ['plain', 'coloured', 'title'].includes(disguise) && random(2) === 0 ? pick(random, SHAPES) : KNOWN
  const before = Array.from({ length: random(8) }, () => noise(random))
  const after = Array.from({ length: random(8) }, () => noise(random))
  const parts = [...before, plant(random, disguise, secret), ...after]
  // Noise is made of Latin-1 characters where it stands for raw bytes, so those below 0x100 go out as one
  // byte each.
  const bytes = Buffer.concat(
    parts.map((part) =>
      /^[\u0000-\u00ff]*$/.test(part) && !/[éß]/.test(part) ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  )
  return { bytes, secret, disguise }
}

export function cutAnywhere(random: Random, bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.byteLength; ) {
    const size = 1 + random(random(3) === 0 ? 4 : 60)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}
