import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDelta, blankGrid, deltaOf } from './delta.ts'
import { DEFAULT_BG, DEFAULT_FG, MODE } from './frame.ts'
import { createTerminal, emulator } from './terminal.ts'

const size = { rows: 4, cols: 10 }

async function fed(...feeds: readonly (string | Uint8Array)[]) {
  const terminal = createTerminal(size)
  for (const feed of feeds) await terminal.feed(typeof feed === 'string' ? Buffer.from(feed) : feed)
  return terminal
}

describe('a frame', () => {
  test('has text, colours, modes, cursor, title and the alternate screen', async () => {
    const terminal = await fed(
      '\x1b]0;my title\x07\x1b[1;31mAB\x1b[0m\x1b[48;2;0;0;5m \x1b[7m日\x1b[0me\u0301\x1b[?25l',
    )
    const frame = terminal.snapshot()
    expect(frame.text[0]).toBe('AB 日e\u0301')
    expect([frame.title, frame.cursor, frame.alternate]).toEqual([
      'my title',
      { row: 0, col: 6, visible: false },
      false,
    ])
    expect(frame.cells[0]?.slice(0, 7)).toEqual([
      { char: 65, mode: MODE.bold, fg: 1, bg: DEFAULT_BG, combining: '' },
      { char: 66, mode: MODE.bold, fg: 1, bg: DEFAULT_BG, combining: '' },
      { char: 32, mode: MODE.bgRgb, fg: DEFAULT_FG, bg: 5, combining: '' },
      { char: 0x65e5, mode: MODE.bgRgb | MODE.reverse, fg: DEFAULT_FG, bg: 5, combining: '' },
      { char: 0, mode: MODE.bgRgb | MODE.reverse, fg: DEFAULT_FG, bg: 5, combining: '' },
      { char: 101, mode: 0, fg: DEFAULT_FG, bg: DEFAULT_BG, combining: '\u0301' },
      { char: 32, mode: 0, fg: DEFAULT_FG, bg: DEFAULT_BG, combining: '' },
    ])
    await terminal.feed(Buffer.from('\x1b[?1049h\x1b[?25h'))
    expect([terminal.snapshot().alternate, terminal.snapshot().cursor.visible]).toEqual([true, true])
  })

  test('knows the range of its last feed, and what the parser has not taken', async () => {
    const terminal = await fed('abc', Buffer.from('日').subarray(0, 2))
    expect(terminal.snapshot()).toMatchObject({ rawStart: 3, rawEnd: 5, parserOffset: 3 })
    await terminal.feed(Buffer.from('日').subarray(2))
    expect(terminal.snapshot()).toMatchObject({ rawStart: 5, rawEnd: 6, parserOffset: 6 })
    await terminal.feed(Buffer.from('\x1b[3'))
    expect(terminal.snapshot()).toMatchObject({ rawEnd: 9, parserOffset: 9 })
  })

  test('marks a row that goes on', async () => {
    const terminal = await fed('0123456789ab')
    expect([terminal.snapshot().cells[0]?.at(-1)?.mode, terminal.rows()[0]]).toEqual([
      MODE.wrap,
      { text: '0123456789', wraps: true },
    ])
  })

  test.each([
    ['a sequence that is open', '\x1b]2;title'],
    ['the mode of line feeds', '\x1b[20h'],
    ['half a character', Buffer.from('\u65e5').subarray(0, 2)],
  ])('%s does not outlive a reset', async (_what, before) => {
    const terminal = await fed(before)
    terminal.reset(size)
    await terminal.feed(Buffer.from('ab\ncd'))
    expect(terminal.snapshot()).toMatchObject({ text: ['ab', '  cd', '', ''], title: '', rawStart: 0 })
  })

  test.each(['\u2019', '\u3000', '\u2500', '\u{1f000}', '\u0080', '\u00e9'])(
    'shows %j cut anywhere',
    async (char) => {
      const bytes = Buffer.from(`a${char}b`)
      const whole = (await fed(bytes)).snapshot().text
      expect((await fed(...[...bytes].map((byte) => Uint8Array.of(byte)))).snapshot().text).toEqual(whole)
    },
  )

  test('emoji are two columns wide', async () => {
    expect((await fed('😀x')).snapshot().cursor.col).toBe(3)
  })

  test('sizes that cannot be are refused', () => {
    for (const bad of [
      { rows: 0, cols: 80 },
      { rows: 24, cols: -1 },
      { rows: 1.5, cols: 80 },
      { rows: 10_000, cols: 10_000 },
    ]) {
      expect(() => createTerminal(bad)).toThrow(expect.objectContaining({ code: 'cassette-terminal-size' }))
    }
  })

  test('the emulator has a name and a version', () => {
    expect(emulator()).toEqual({
      name: '@xterm/headless',
      version: expect.stringMatching(/^6\.\d+\.\d+\+unicode14$/),
    })
  })
})

const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(
    '\x1b[31m',
    '\x1b[0m',
    '\r\n',
    '\x1b[2;3H',
    '\x1b[K',
    '日本',
    '😀',
    'e\u0301',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b]0;t\x07',
    '\x1b[3b',
  ),
)

test('chunking never changes a frame', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 30 }),
      fc.array(fc.nat(200), { maxLength: 20 }),
      async (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''))
        const points = [
          0,
          ...[...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b),
          bytes.length,
        ]
        const chunks = points.slice(1).map((point, at) => bytes.subarray(points[at], point))
        const [whole, cut] = [(await fed(bytes)).snapshot(), (await fed(...chunks)).snapshot()]
        expect({ ...cut, rawStart: 0 }).toEqual({ ...whole, rawStart: 0 })
      },
    ),
    { numRuns: 300 },
  )
})

test('a delta and the frame before give the frame back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }),
      fc.array(piece, { maxLength: 10 }),
      async (first, second) => {
        const terminal = await fed(first.join(''))
        const before = terminal.snapshot().cells
        await terminal.feed(Buffer.from(second.join('')))
        const { cells } = terminal.snapshot()
        expect(applyDelta(before, deltaOf({ seq: 1, cells: before }, cells))).toEqual(cells)
        expect(applyDelta(blankGrid(size), deltaOf(null, cells))).toEqual(cells)
      },
    ),
    { numRuns: 200 },
  )
})

test('a delta that leaves the screen is refused', () => {
  const run = { row: 0, col: 9, mode: 0, fg: 0, bg: 0, chars: ['a', 'b'] }
  expect(() => applyDelta(blankGrid(size), { base: 0, runs: [run] })).toThrow(
    expect.objectContaining({ code: 'cassette-file-invalid' }),
  )
  expect(() => applyDelta(blankGrid(size), { base: 0, runs: [{ ...run, row: -1 }] })).toThrow(
    /leaves the screen/,
  )
})
