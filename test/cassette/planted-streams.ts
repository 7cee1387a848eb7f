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

const C1 = (random: Random): string => `\xc2${String.fromCharCode(0x80 + random(0x20))}`
const BOM = '\xef\xbb\xbf'

/** Nothing of these is on a screen, so text goes on after them; not all parsers agree about where they end. */
const INVISIBLE: readonly string[] = [
  ...['\0', '\x7f', '\xff', '\xc0\x80', '\xed\xa0\x80', '\xe3\x81', BOM, '\x18', '\x1b[3\x18', '\x1b\x1b[m'],
  ...[
    '\x1b]0;a\x07',
    '\x1b_p\x1b\\',
    '\x1b^p\xc2\x9c',
    '\x1bXp\xc2\x80',
    '\x1b]0;a\xc2\x8a',
    '\x1bP1q1\xc2\x9c',
  ],
  ...[
    '\x1b^p\xc3\xa9',
    '\xc2\x9ep\xc3\xa9',
    '\x1b_\xe2\x94\x80',
    '\x1bP1;2\xc3\xa9',
    '\x1b[1\xc3\xa9',
    '\x1b\xc3\xa9',
  ],
  ...['\x1b[1?\xc3\xa9m', '\x1b[1 1m', '\x1b[??25h', '\x1b[>4;2m', '\x1b[=0u', `\x1b[${'0'.repeat(300)}m`],
  ...[
    '\x1b[?7h',
    '\x1b[007h',
    '\x1b[20l',
    '\x1b[!p',
    '\x1b[22;0t',
    '\x1b[1"q',
    '\x1b(B',
    '\x1b)0',
    '\x0f',
    '\x1b ((B',
  ],
]

/** These move, wrap, insert, delete, repeat, or change what text looks like. */
const MOVING: readonly string[] = [
  ...[
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\n\r',
    '\b',
    'x\b',
    '\x0b',
    '\x0c',
    '\x1bD',
    '\x1bE',
    '\x1bM',
    '\x1bH',
    '\x1bc',
  ],
  ...[
    '\x1b[\r1m',
    '\x1b[\n1m',
    '\x1b[1\t;1m',
    '\x1b[2\bC',
    '\x1b\r(B',
    '\xc2\x84',
    '\xc2\x85',
    '\xc2\x88',
    '\xc2\x8d',
  ],
  ...[
    '\x1b[3b',
    '\x1b[m\x1b[2b',
    '\x1b[2b\b\b',
    '\x1b#8',
    '\x1b[4h',
    '\x1b[04h',
    '\x1b[?7l',
    '\x1b[?07l',
    '\x1b[20h',
  ],
  ...[
    '\x1b[g',
    '\x1b[3g',
    '\x1b[I',
    '\x1b[2Z',
    '\x1b[3@',
    '\x1b[2P',
    '\x1b[2X',
    '\x1b[L',
    '\x1b[M',
    '\x1b[1K',
    '\x1b[?1K',
  ],
  ...[
    '\x1b[ @',
    '\x1b[ A',
    "\x1b['}",
    "\x1b['~",
    '\x1b[3;6r',
    '\x1b[?6h',
    '\x1b[?6l',
    '\x1b[S',
    '\x1b[T',
    '\x1b[D',
    '\x1b[C',
  ],
  ...[
    '\x1b[?1049h',
    '\x1b[?1047l',
    '\x1b[s',
    '\x1b[u',
    '\x1b7',
    '\x1b8',
    '\x1b(0',
    '\x1b(4',
    '\x1b(B',
    '\x0e',
    '\x1bn',
  ],
  ...[
    '\xe6\x97\xa5',
    '\xf0\x9f\x98\x80',
    '\xcc\x81',
    'e\xcc\x81',
    '\x1b[m\xcc\x81',
    '\xe2\x80\x8b',
    '\xe2\x80\x99',
  ],
]

const LONG_BLANKS = ' '.repeat(COLS)

function hardPiece(random: Random): string {
  switch (random(6)) {
    case 0:
      return C1(random)
    case 1:
      return pick(random, MOVING)
    case 2:
      return pick(random, [
        'the ',
        'a=b ',
        '# ',
        LONG_BLANKS.slice(random(COLS)),
        'x'.repeat(random(COLS)),
        '\r\n',
      ])
    case 3:
      return sgr(random)
    default:
      return pick(random, INVISIBLE)
  }
}

/** With the column of the last row in which each ends. */
const LINE_STARTS: readonly (readonly [string, number])[] = [
  ['', 0],
  ['\t', 8],
  ['a\t', 8],
  ['\x1b[m\xcc\x81', 1],
  ['abc\n', 3],
  ['abc\x1b[\r1m', 0],
  [`${LONG_BLANKS.slice(1)}\xe6\x97\xa5`, 2],
  [`${LONG_BLANKS}\n`, COLS - 1],
  ['\x1b[4h', 0],
]

const HARD = ['split', 'wrapped', 'hand-wrapped', 'title', 'moved'] as const

function hardPlant(random: Random, disguise: (typeof HARD)[number], secret: string): string {
  const split = (one: () => string): string =>
    [...secret].map((char) => (random(6) === 0 ? one() + char : char)).join('')
  const cut = 1 + random(secret.length - 1)
  switch (disguise) {
    case 'split':
      return ` ${split(() => pick(random, INVISIBLE))} `
    case 'wrapped':
      return `${LONG_BLANKS.slice(random(COLS))}${secret.slice(0, cut)}${hardPiece(random)}${secret.slice(cut)} `
    case 'hand-wrapped': {
      const [before, columns] = pick(random, LINE_STARTS)
      const blanks = ' '.repeat(Math.max(0, COLS - Math.min(cut, COLS) - columns))
      return `\r\n${before}${blanks}${secret.slice(0, Math.min(cut, COLS))}${sgr(random)}\r\n${secret.slice(Math.min(cut, COLS))} `
    }
    case 'title':
      return `\x1b]2;${split(() => pick(random, ['\n', '\0', '\x1c', '\xff', '\xe3\x81', BOM, '\xc0\x80']))}${pick(random, ['\x07', '\x1b\\', '\xc2\x9c'])}`
    case 'moved':
      return ` ${split(() => (random(3) === 0 ? pick(random, MOVING) : pick(random, INVISIBLE)))} `
  }
}

/** The same with whatever parsers of terminal streams disagree about; without a cursor that jumps first. */
export function hardStream(random: Random): Omit<PlantedStream, 'disguise'> & { readonly disguise: string } {
  const disguise = pick(random, HARD)
  const secret = KNOWN
  const before = Array.from({ length: random(6) }, () => hardPiece(random))
  const after = Array.from({ length: random(4) }, () => hardPiece(random))
  const bytes = Buffer.from([...before, hardPlant(random, disguise, secret), ...after].join(''), 'latin1')
  return { bytes, secret, disguise: `hard ${disguise}` }
}
