/**
 * The same bytes on two terminals that are not ours: tmux (a pane, captured) and pyte (Python). Rows without
 * trailing spaces.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import type { CassetteReader, Size } from '../../src/cassette/index.ts'

/** Bytes, or the size that the terminal has from here on. */
export type Part = Uint8Array | Size

/** Everything that reached the screen up to and with this event. */
export function partsUpTo(reader: CassetteReader, seq: number): { size: Size; parts: Part[] } {
  const { initialRows: rows, initialCols: cols } = reader.manifest().terminal
  const parts = reader.events().flatMap((event): Part[] => {
    if (event.seq > seq) return []
    if (event.kind === 'output') return [reader.outputBytes(event.output)]
    return event.kind === 'input' && event.input.size !== null ? [event.input.size] : []
  })
  return { size: { rows, cols }, parts }
}

export type SecondScreen = {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly col: number }
}

let sockets = 0

/** Captures until `isExpected`, or for five seconds: tmux reads its panes when it likes. */
export function tmuxScreen(
  size: Size,
  parts: readonly Part[],
  isExpected: (screen: SecondScreen) => boolean,
): SecondScreen {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-tmux-'))
  sockets += 1
  const socket = `reprise-${process.pid}-${sockets}`
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...process.env, TMUX: '', LC_ALL: 'C.UTF-8' },
    })
  try {
    const steps = grouped(parts).map((step, at) => {
      if (!(step instanceof Uint8Array))
        return `tmux -L ${socket} wait-for -S done${at}; tmux -L ${socket} wait-for go${at}`
      writeFileSync(join(folder, String(at)), step)
      return `cat ${join(folder, String(at))}`
    })
    writeFileSync(join(folder, 'run.sh'), `stty raw -echo\n${steps.join('\n')}\nexec sleep 1000\n`)
    tmux(
      'new-session',
      '-d',
      '-x',
      String(size.cols),
      '-y',
      String(size.rows),
      `sh ${join(folder, 'run.sh')}`,
    )
    tmux('set-option', '-g', 'status', 'off')
    tmux('set-option', '-g', 'window-size', 'manual')
    tmux('resize-window', '-x', String(size.cols), '-y', String(size.rows))
    grouped(parts).forEach((step, at) => {
      if (step instanceof Uint8Array) return
      tmux('wait-for', `done${at}`)
      tmux('resize-window', '-x', String(step.cols), '-y', String(step.rows))
      tmux('wait-for', '-S', `go${at}`)
    })
    const deadline = Date.now() + 5000
    for (;;) {
      const rows = tmux('capture-pane', '-p')
        .replace(/\n$/, '')
        .split('\n')
        .map((row) => row.trimEnd())
      const [col = 0, row = 0] = tmux('display-message', '-p', '#{cursor_x} #{cursor_y}')
        .trim()
        .split(' ')
        .map(Number)
      const screen = { rows, cursor: { row, col } }
      if (isExpected(screen) || Date.now() > deadline) return screen
    }
  } finally {
    spawnSync('tmux', ['-L', socket, 'kill-server'])
    rmSync(folder, { recursive: true, force: true })
  }
}

function grouped(parts: readonly Part[]): Part[] {
  const out: Part[] = []
  for (const part of parts) {
    const last = out[out.length - 1]
    if (part instanceof Uint8Array && last instanceof Uint8Array)
      out[out.length - 1] = Buffer.concat([last, part])
    else out.push(part)
  }
  return out
}

const PYTE = `
import base64, json, sys, pyte
given = json.load(sys.stdin)
screen = pyte.Screen(given["cols"], given["rows"])
stream = pyte.ByteStream(screen)
for part in given["parts"]:
    if "bytes" in part: stream.feed(base64.b64decode(part["bytes"]))
    else: screen.resize(part["rows"], part["cols"])
print(json.dumps({"rows": screen.display, "row": screen.cursor.y, "col": screen.cursor.x}))
`

export function pyteScreen(size: Size, parts: readonly Part[]): SecondScreen {
  const given = {
    ...size,
    parts: parts.map((part) =>
      part instanceof Uint8Array ? { bytes: Buffer.from(part).toString('base64') } : part,
    ),
  }
  const { rows, row, col } = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', PYTE], { input: JSON.stringify(given), encoding: 'utf8' }),
  )
  return {
    rows: rows.map((text: string) => text.trimEnd()),
    cursor: { row, col: Math.min(col, size.cols - 1) },
  }
}

/** pyte is a module, not a program. */
export function needsPyte(context: TestContext): void {
  if (spawnSync('/usr/bin/python3', ['-c', 'import pyte']).status !== 0) context.skip('python3-pyte')
}
