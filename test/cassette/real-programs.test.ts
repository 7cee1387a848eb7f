/**
 * Real programs, recorded, scrubbed and shown again: the screen at a chosen moment is that of a second,
 * independent emulator over the same bytes. With a resize in the middle, the alternate screen, wide and
 * combining characters.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CassetteReader,
  open,
  type RecordOptions,
  readScript,
  recordSession,
  screenAt,
  verifyCassette,
} from '../../src/cassette/index.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { needsPyte, partsUpTo, pyteScreen, tmuxScreen } from './second-emulator.ts'

async function record(
  argv: readonly string[],
  script: string,
  options: Partial<RecordOptions> = {},
): Promise<{ out: string; reader: CassetteReader }> {
  const out = join(tempFolder(), 'c')
  await recordSession({ out, argv, locale: 'C.UTF-8', script: readScript(script), ...options })
  expect((await verifyCassette(out)).findings).toEqual([])
  return { out, reader: await open(out) }
}

/** The moment just before the last thing was typed, where a full-screen program is still on the screen. */
function beforeLastInput(reader: CassetteReader): number {
  return (
    (reader
      .inputs()
      .filter((input) => !input.reply && input.kind === 'input')
      .at(-1)?.seq ?? 1) - 1
  )
}

async function expectTmuxAgrees(reader: CassetteReader, seq: number): Promise<readonly string[]> {
  const ours = await screenAt(reader, { seq })
  const { size, parts } = partsUpTo(reader, seq)
  const theirs = tmuxScreen(
    size,
    parts,
    (screen) => screen.rows.join('\n') === ours.text.join('\n') && screen.cursor.row === ours.cursor.row,
  )
  expect({ rows: ours.text, row: ours.cursor.row, col: ours.cursor.col }).toEqual({
    rows: theirs.rows,
    row: theirs.cursor.row,
    col: Math.min(theirs.cursor.col, ours.size.cols - 1),
  })
  return ours.text
}

async function expectPyteAgrees(reader: CassetteReader, seq: number): Promise<readonly string[]> {
  const ours = await screenAt(reader, { seq })
  const { size, parts } = partsUpTo(reader, seq)
  const theirs = pyteScreen(size, parts)
  // pyte composes characters.
  expect({
    rows: ours.text.map((row) => row.normalize('NFC')),
    cursor: { row: ours.cursor.row, col: ours.cursor.col },
  }).toEqual(theirs)
  return ours.text
}

describe('a second emulator agrees', () => {
  test('bash, at its end, with pyte and with tmux', async (context) => {
    needs(context, 'bash', 'tmux')
    needsPyte(context)
    const { reader } = await record(
      ['bash', '--norc', '-i'],
      'wait bash\ntype "printf \'%s\\\\n\' one two; ls --color=always /etc | head -5"\npress enter\nquiet 300\ntype "exit 0"\npress enter\nexit',
    )
    const last = reader.final().seq
    await expectPyteAgrees(reader, last)
    expect(await expectTmuxAgrees(reader, last)).toEqual(expect.arrayContaining(['one', 'two']))
  })

  test('wide, combining and wrapped characters', async (context) => {
    needs(context, 'tmux')
    needsPyte(context)
    const text = 'cafe\\xcc\\x81 日本語テキスト — ünïcödé ｗｉｄｅ 한국어 '.repeat(4)
    const { reader } = await record(
      ['bash', '-c', `printf '${text}\\n'; printf '\\033[5;38H日本'; printf '\\033[8;1Hend\\n'`],
      'exit',
      {
        size: { rows: 12, cols: 40 },
      },
    )
    expect(await expectTmuxAgrees(reader, reader.final().seq)).toContain('end')
    // pyte lets a wide character hang over the right edge: only lines that fit.
    const short = await record(
      ['bash', '-c', "printf 'cafe\\xcc\\x81 日本語 한국어\\n\\033[31m─┼─ ünïcödé\\n'"],
      'exit',
      {
        size: { rows: 6, cols: 40 },
      },
    )
    expect((await expectPyteAgrees(short.reader, short.reader.final().seq)).slice(0, 2)).toEqual(
      ['café 日本語 한국어', '─┼─ ünïcödé'].map((row) => row.replace('café', 'cafe\u0301')),
    )
  })

  test('vim: inserts, saves, the alternate screen comes and goes', async (context) => {
    needs(context, 'vim', 'tmux')
    const folder = tempFolder()
    const file = join(folder, 'file.txt')
    writeFileSync(file, Array.from({ length: 60 }, (_, at) => `line ${at + 1} 日本 text`).join('\n'))
    const { reader } = await record(
      ['vim', '-u', 'NONE', '-N', '-i', 'NONE', file],
      'wait "line 20"\ntype "ihello vim"\npress escape\nquiet 200\ntype "20j"\nquiet 200\nresize 30 100\nwait "line 28"\nquiet 300\ntype ":wq"\nquiet 200\npress enter\nexit',
    )
    const seq = beforeLastInput(reader)
    const shown = await expectTmuxAgrees(reader, seq)
    expect(shown.join('\n')).toContain(':wq')
    expect([(await screenAt(reader, { seq })).alternate, (await screenAt(reader, 'end')).alternate]).toEqual([
      true,
      false,
    ])
    expect((await screenAt(reader, { seq })).size).toEqual({ rows: 30, cols: 100 })
  })

  test('less: pages, searches, ends', async (context) => {
    needs(context, 'less', 'tmux')
    const file = join(tempFolder(), 'file.txt')
    writeFileSync(file, Array.from({ length: 200 }, (_, at) => `row ${at + 1}`).join('\n'))
    const { reader } = await record(
      ['less', file],
      'wait "row 10"\ntype " "\nwait "row 30"\ntype "/row 99"\npress enter\nwait "row 99"\nquiet 200\ntype q\nexit',
    )
    expect(await expectTmuxAgrees(reader, beforeLastInput(reader))).toContain('row 99')
  })

  test('top: paints and repaints', async (context) => {
    needs(context, 'top', 'tmux')
    const { reader } = await record(
      ['top', '-d', '0.3'],
      'wait "load average"\nwait PID\nquiet 100\nresize 20 90\nwait PID\nquiet 100\ntype q\nexit',
    )
    expect((await expectTmuxAgrees(reader, beforeLastInput(reader))).join('\n')).toContain('load average')
  })

  test('htop: colours, meters, function keys', async (context) => {
    needs(context, 'htop', 'tmux')
    const { reader } = await record(
      ['htop', '--delay=3'],
      'wait "F10"\nquiet 100\nresize 30 110\nwait "F10"\nquiet 100\ntype q\nexit',
    )
    expect((await expectTmuxAgrees(reader, beforeLastInput(reader))).join('\n')).toContain('F10')
  })

  test('tmux itself: panes, borders, a status line', async (context) => {
    needs(context, 'tmux')
    const socket = `reprise-recorded-${process.pid}`
    const { reader } = await record(
      ['tmux', '-L', socket, '-f', '/dev/null', 'new-session', 'bash --norc'],
      'wait bash\ntype tmux split-window -h \'bash --norc\'\npress enter\nwait "│"\nquiet 300\ntype "echo in the pane"\npress enter\nquiet 300\nresize 28 100\nquiet 400\ntype "tmux kill-server"\npress enter\nexit',
    )
    expect((await expectTmuxAgrees(reader, beforeLastInput(reader))).join('\n')).toContain('in the pane')
  })
})
