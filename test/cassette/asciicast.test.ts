/**
 * Asciicast out and in: the round trip keeps screens and times; the players of the format play what we write,
 * and show the same screen.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  castFrom,
  createRecorder,
  importCast,
  open,
  readCast,
  readScript,
  recordSession,
  screenAt,
  startSession,
  writeCast,
} from '../../src/cassette/index.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { playToTheEnd } from './asciinema-player.ts'

async function cassette() {
  let elapsed = 0
  const recorder = createRecorder(
    join(tempFolder(), 'c'),
    {
      harness: { name: 'demo' },
      command: { argv: ['demo', '-x'] },
      terminal: { initialRows: 5, initialCols: 20, term: 'xterm-256color' },
      provenance: { recordedAt: '2026-01-02T03:04:05Z' },
    },
    { clock: { now: () => 0, elapsed: () => elapsed } },
  )
  recorder.recordOutput(Buffer.from('caf\xc3', 'latin1'))
  elapsed = 1000
  recorder.recordOutput(Buffer.from('\xa9\x1b[31m!\x1b[0m\r\n', 'latin1'))
  recorder.recordInput({ bytes: Buffer.from('q') })
  recorder.recordInput({ bytes: Buffer.from('\x1b[1;1R'), reply: true })
  elapsed = 1500
  recorder.recordInput({ kind: 'resize', size: { rows: 6, cols: 30 } })
  recorder.markFrame()
  recorder.recordFinal({ exit: { code: 3, signal: '', exited: true, signaled: false } })
  return open(await recorder.close())
}

const V2 = `{"version":2,"width":20,"height":5,"timestamp":1767323045,"command":"demo -x","title":"demo","env":{"TERM":"xterm-256color"}}
[0.000, "o", "caf"]
[1.000, "o", "é\\u001b[31m!\\u001b[0m\\r\\n"]
[1.000, "i", "q"]
[1.500, "r", "30x6"]
`
const V3 = `{"version":3,"term":{"cols":20,"rows":5,"type":"xterm-256color"},"timestamp":1767323045,"command":"demo -x","title":"demo","env":{"TERM":"xterm-256color"}}
[0.000, "o", "caf"]
[1.000, "o", "é\\u001b[31m!\\u001b[0m\\r\\n"]
[0.000, "i", "q"]
[0.500, "r", "30x6"]
[0.000, "x", "3"]
`

test('writes version 2 and version 3', async () => {
  const cast = castFrom(await cassette())
  expect(writeCast(cast, 2)).toBe(V2)
  expect(writeCast(cast, 3)).toBe(V3)
})

test.each([
  ['2', V2],
  ['3', V3],
])('version %s comes back as it went', async (version, text) => {
  const out = await importCast(readCast(text), {
    out: join(tempFolder(), 'c'),
    force: false,
    scrubber: createScrubber({}),
  })
  const reader = await open(out)
  expect(writeCast(castFrom(reader), version === '2' ? 2 : 3)).toBe(text)
  expect((await screenAt(reader, 'end')).text[0]).toBe('café!')
  expect(reader.final().exit?.code ?? null).toBe(version === '2' ? null : 3)
})

test('comments, unknown codes and markers of version 3', () => {
  const cast = readCast(
    '{"version":3,"term":{"cols":80,"rows":24}}\n# a comment\n[0.25, "m", "here"]\n[0.25, "z", "?"]\n[0.5, "o", "x"]\n',
  )
  expect(cast.events).toEqual([
    { kind: 'marker', tMs: 250, text: 'here' },
    { kind: 'output', tMs: 1000, text: 'x' },
  ])
})

describe('refuses', () => {
  test.each([
    ['', 'line 1: not JSON'],
    ['[]', 'the header is not an object'],
    ['{"version":1,"width":80,"height":24}', 'version 1 is not read here'],
    ['{"version":2,"width":0,"height":24}', 'the size of the terminal'],
    ['{"version":2,"width":100000,"height":100000}', 'the size of the terminal'],
    ['{"version":3,"term":{}}', 'the size of the terminal'],
    ['{"version":2,"width":80,"height":24}\n{}', 'line 2: an event is a list'],
    ['{"version":2,"width":80,"height":24}\n[-1,"o","x"]', 'line 2: the time'],
    ['{"version":2,"width":80,"height":24}\n[1,"r","axb"]', 'line 2: the size'],
    ['{"version":2,"width":80,"height":24}\n[1,"o",5]', 'line 2: an event is a list'],
  ])('%j', (text, says) => {
    expect(() => readCast(text)).toThrow(
      expect.objectContaining({ code: 'asciicast-invalid', message: expect.stringContaining(says) }),
    )
  })
})

test("Debian's asciinema plays what we export", async (context) => {
  needs(context, 'asciinema')
  expect(execFileSync('asciinema', ['--version'], { encoding: 'utf8' })).toContain('asciinema 2')
  const file = join(tempFolder(), 'a.cast')
  writeFileSync(file, writeCast(castFrom(await cassette()), 2))
  // It insists on a terminal of its own.
  await using session = startSession({
    argv: ['asciinema', 'play', '--speed', '100', file],
    locale: 'C.UTF-8',
  })
  let said = ''
  let code: number | null = null
  for await (const event of session.events()) {
    if (event.kind === 'output') said += Buffer.from(event.bytes).toString()
    if (event.kind === 'exit') code = event.exit.code
  }
  expect([said.includes('café\x1b[31m!'), code]).toEqual([true, 0])
})

describe('asciinema-player plays version 3', () => {
  test('what we wrote, with a resize', async () => {
    const cast = castFrom(await cassette())
    const played = await playToTheEnd(writeCast(cast, 3))
    const screen = await screenAt(await cassette(), 'end')
    expect(played).toMatchObject({ cols: screen.size.cols, rows: screen.size.rows, text: screen.text })
  })

  test.each([
    [
      'bash with colours, wide and combining characters',
      [
        'bash',
        '-c',
        'for n in 1 2 3; do printf "\\033[3"$n"mline $n\\033[0m\\n"; done; printf "caf\\303\\251 \\346\\227\\245\\346\\234\\254 e\\314\\201\\n"; exit 3',
      ],
    ],
    ['more lines than the screen has', ['seq', '1', '200']],
    [
      'painted out of order',
      [
        'bash',
        '-c',
        'printf "\\033[2J\\033[5;10Hfive\\033[1;1Hone\\033[10;3Hten"; sleep 0.2; printf "\\033[5;10HFIVE\\r\\n"',
      ],
    ],
  ])('%s', async (_what, argv) => {
    const out = join(tempFolder(), 'c')
    await recordSession({ out, argv, size: { rows: 12, cols: 60 }, locale: 'C.UTF-8' })
    const reader = await open(out)
    const screen = await screenAt(reader, 'end')
    const played = await playToTheEnd(writeCast(castFrom(reader), 3))
    expect(played.text).toEqual(screen.text)
    expect(played).toMatchObject({ cols: 60, rows: 12 })
  })

  test('vim on the alternate screen, resized', async (context) => {
    needs(context, 'vim')
    const out = join(tempFolder(), 'c')
    const script = readScript(
      'wait ~\ntype ihello there\nwait there\nresize 20 70\nquiet 200\npress escape\nquiet 200\nsignal kill\nexit\n',
    )
    await recordSession({
      out,
      argv: ['vim', '-u', 'NONE', '-n', '-i', 'NONE'],
      size: { rows: 12, cols: 60 },
      script,
    })
    const reader = await open(out)
    const screen = await screenAt(reader, 'end')
    expect(screen.alternate).toBe(true)
    expect((await playToTheEnd(writeCast(castFrom(reader), 3))).text).toEqual(screen.text)
  })
})
