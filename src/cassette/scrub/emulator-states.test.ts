/** The parser of terminal streams and that of the emulator read every stream alike. */
import { createRequire } from 'node:module'
import type * as Headless from '@xterm/headless'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVtParser } from './vt-parser.ts'

type EmulatorParser = {
  _executeHandlers: object
  _csiHandlers: object
  _escHandlers: object
  setPrintHandler(handler: (codes: Uint32Array, start: number, end: number) => void): void
  setExecuteHandlerFallback(handler: (code: number) => void): void
  setCsiHandlerFallback(handler: (ident: number) => void): void
  setEscHandlerFallback(handler: (ident: number) => void): void
  identToString(ident: number): string
  reset(): void
}

const { Terminal }: typeof Headless = createRequire(import.meta.url)('@xterm/headless')

/** Only the last three of the intermediates are in an identifier of the emulator. */
const named = (kind: string, identifier: string): string =>
  `${kind} ${identifier.length > 4 ? identifier.slice(-1) : identifier}`

const core = Reflect.get(new Terminal({ logLevel: 'off' }), '_core')
const parser: EmulatorParser = core._inputHandler._parser

function readByEmulator(bytes: Uint8Array): string[] {
  const seen: string[] = []
  core._inputHandler._utf8Decoder.clear()
  parser.reset()
  Object.assign(parser, { _executeHandlers: {}, _csiHandlers: {}, _escHandlers: {} })
  parser.setPrintHandler((codes, start, end) => {
    for (const code of codes.subarray(start, end)) seen.push(`print ${code.toString(16)}`)
  })
  // What breaks a sequence off does nothing else.
  parser.setExecuteHandlerFallback((code) => {
    if (code !== 0x18 && code !== 0x1a) seen.push(`control ${code.toString(16)}`)
  })
  parser.setCsiHandlerFallback((ident) => void seen.push(named('csi', parser.identToString(ident))))
  parser.setEscHandlerFallback((ident) => void seen.push(named('escape', parser.identToString(ident))))
  core.writeSync(bytes)
  return seen
}

function readByUs(chunks: readonly Uint8Array[]): string[] {
  const seen: string[] = []
  const ours = createVtParser({
    plain(bytes, start, end) {
      for (const byte of bytes.subarray(start, end))
        seen.push(`${byte < 0x20 ? 'control' : 'print'} ${byte.toString(16)}`)
    },
    glyph: (codePoint) => void seen.push(`print ${codePoint.toString(16)}`),
    control(code) {
      if (code !== 0x7f) seen.push(`control ${code.toString(16)}`)
    },
    escape: (intermediates, final) => void seen.push(named('escape', intermediates + final)),
    csi: (prefix, _params, intermediates, final) =>
      void seen.push(named('csi', prefix + intermediates + final)),
    string: () => undefined,
    broken: () => undefined,
  })
  for (const chunk of chunks) ours.parse(chunk)
  ours.end()
  return seen
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

test.each([
  ['a character beyond ASCII ends a private message', latin1('\x1b^text\xc3\xa9 shown\x1b\\')],
  ['also one that C1 begins', latin1('\xc2\x9etext\xc3\xa9 shown\x1b\\')],
  ['and the head of a device control string', latin1('\x1bP1;2\xc3\xa9 shown\x1b\\')],
  ['but not its text', latin1('\x1bP1qtext\xc3\xa9 hidden\x1b\\')],
  ['nor a head that is not valid', latin1('\x1bP1?1\xc3\xa9 hidden\x1b\\')],
  ['nor a command of the operating system', latin1('\x1b]2;t\xc3\xa9 hidden\x07')],
  ['it does not end a CSI sequence that is not valid', latin1('\x1b[1?\xc3\xa9123mshown')],
  ['it ends one that is', latin1('\x1b[1\xc3\xa9123mshown')],
  ['a long CSI sequence', latin1(`\x1b[${'1;'.repeat(300)}mshown`)],
  ['a very long CSI sequence', latin1(`\x1b[${'1;'.repeat(3000)}mshown`)],
  ['a byte order mark', latin1('se\xef\xbb\xbfcret')],
  ['a second introducer', latin1('\x1b[?\xc2\x9b1mshown\x1b]\x1b[mshown')],
  ['a control character inside a sequence', latin1('\x1b[3\r1\nmshown\x1b\t(Bshown')],
])('%s', (_what, bytes) => {
  const seen = readByEmulator(bytes)
  if (!seen.some((one) => one.startsWith('csi'))) expect(readByUs([bytes])).toEqual(seen)
  // A sequence of more than 4,096 bytes does nothing here.
  else
    expect(readByUs([bytes]).filter((one) => one !== 'csi m')).toEqual(seen.filter((one) => one !== 'csi m'))
})

const part = fc.oneof(
  fc.constantFrom(
    ...['\x1b', '\x1b[', '\x1b]', '\x1bP', '\x1b^', '\x1b_', '\x1bX', '\x1b\\', '\x1b(', '\x1b#', '\x07'],
    ...['?', '>', ';', ':', '1', '38;2', ' ', '!', '$', '@', 'A', 'm', 'h', 'q', '~', '\x7f', '\0', '\x05'],
    ...[
      '\r',
      '\n',
      '\t',
      '\b',
      '\x0e',
      '\x18',
      '\x1a',
      '\x1c',
      '\xc2',
      '\xe3\x81',
      '\xf0\x9f\x98',
      '\xc3\xa9',
    ],
    ...['\xe2\x94\x80', '\xf0\x9f\x98\x80', '\xef\xbb\xbf', '\xed\xa0\x80', '\xc0\x80', '\xff', '\xcc\x81'],
  ),
  fc.integer({ min: 0x80, max: 0x9f }).map((code) => `\xc2${String.fromCharCode(code)}`),
  fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
)

test('any parts of sequences, in one chunk', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
      const bytes = latin1(parts.join(''))
      expect(readByUs([bytes])).toEqual(readByEmulator(bytes))
    }),
    { numRuns: 3000 },
  )
})

test('any parts of sequences, cut anywhere', () => {
  const cutParts = fc.array(part, { maxLength: 24 })
  fc.assert(
    fc.property(cutParts, (parts) => {
      const whole = latin1(parts.join(''))
      const chunks = [...whole].map((byte) => Uint8Array.of(byte))
      expect(readByUs(chunks)).toEqual(readByUs([whole]))
    }),
    { numRuns: 1000 },
  )
})
