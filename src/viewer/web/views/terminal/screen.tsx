/**
 * The screen of a cassette: its bytes, played through xterm up to a moment. Going forward writes what is new;
 * going back starts from an empty screen. Answers of the emulator go nowhere, links do nothing, and the title
 * is not the page's: the bytes are hostile.
 */
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { useEffect, useRef } from 'preact/hooks'
import type { CassetteDocument } from '../../../protocol.ts'
import { source } from '../../data/source.ts'
import { installStrictStyles } from './strict-styles.ts'
import type { CassetteTrack } from './track.ts'

const PART_BYTES = 1024 * 1024
/** Programs choose their colours for a dark screen, so it is dark in either theme of the page. */
const THEME = { background: '#0c0e11', foreground: '#e7e9ec', cursor: '#93a8ff', cursorAccent: '#0c0e11' }

export type ScreenProps = {
  readonly item: string
  readonly cassette: CassetteDocument
  readonly track: CassetteTrack
  readonly atMs: number
  readonly onProblem: (error: unknown) => void
}

export function Screen({ item, cassette, track, atMs, onProblem }: ScreenProps) {
  const host = useRef<HTMLDivElement>(null)
  const player = useRef<ScreenPlayer | null>(null)
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const made = createScreenPlayer(item, track, element, onProblem)
    player.current = made
    return () => {
      player.current = null
      made.close()
    }
  }, [item, cassette, track])
  useEffect(() => player.current?.show(atMs), [atMs, item, cassette, track])
  return <div ref={host} class="screen" data-testid="screen" />
}

type ScreenPlayer = { show(atMs: number): void; close(): void }

function createScreenPlayer(
  item: string,
  track: CassetteTrack,
  element: HTMLElement,
  onProblem: (error: unknown) => void,
): ScreenPlayer {
  const restoreStyles = installStrictStyles()
  const start = track.sizeAt(0)
  const terminal = new Terminal({
    cols: start.cols,
    rows: start.rows,
    disableStdin: true,
    scrollback: 0,
    cursorInactiveStyle: 'block',
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    fontSize: fontSize(element, start.cols),
    theme: THEME,
    linkHandler: { activate: () => undefined, allowNonHttpProtocols: false },
  })
  terminal.open(element)
  let written = 0
  let wanted = -1
  let busy = false
  let closed = false

  const advance = async (): Promise<void> => {
    while (!closed && wanted >= 0) {
      const target = track.bytesAt(wanted)
      const size = track.sizeAt(wanted)
      if (target < written) {
        terminal.reset()
        written = 0
      }
      if (terminal.cols !== size.cols || terminal.rows !== size.rows) terminal.resize(size.cols, size.rows)
      if (target === written) break
      const end = Math.min(target, written + PART_BYTES)
      const bytes = await source().cassetteOutput(item, written, end)
      if (closed || bytes.length === 0) break
      await new Promise<void>((done) => terminal.write(bytes, done))
      written += bytes.length
    }
  }
  return {
    show(atMs) {
      wanted = atMs
      if (busy) return
      busy = true
      advance()
        .catch(onProblem)
        .finally(() => {
          busy = false
        })
    },
    close() {
      closed = true
      terminal.dispose()
      restoreStyles()
    },
  }
}

/** The largest size between 9 and 16 pixels at which a line fits. */
function fontSize(element: HTMLElement, cols: number): number {
  return Math.max(7, Math.min(15, Math.floor(((element.clientWidth - 16) / cols / 0.61) * 2) / 2))
}
