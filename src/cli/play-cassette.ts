/** Plays a cassette on the user's terminal and leaves the terminal as it was, also when it is interrupted. */
import { unreachable } from '../base/index.ts'
import type { CassetteReader, ReplayMode } from '../cassette/index.ts'
import { sleepOrAbort } from '../cassette/reader/replay.ts'
import { isRepriseError } from '../errors/index.ts'
import { monotonicMs } from '../real/clock.ts'
import { attachKeyboard, onTermination, stdinIsTerminal, writeStdout } from '../real/terminal-io.ts'
import { type PlayedChunk, playWithKeys } from './cassette-player.ts'
import { createTerminalModes } from './terminal-modes.ts'

const CLEAR = '\u001b[H\u001b[2J'

export async function playOnTerminal(reader: CassetteReader, mode: ReplayMode, scale: number): Promise<void> {
  const chunks = reader.events().flatMap((event): PlayedChunk[] => {
    if (event.kind !== 'output') return []
    return [{ tMs: event.tMs, bytes: reader.outputBytes(event.output) }]
  })
  let modes = createTerminalModes()
  const write = async (bytes: Uint8Array): Promise<void> => {
    modes.feed(bytes)
    await writeStdout(bytes)
  }
  const rewind = async (): Promise<void> => {
    await writeStdout(Buffer.from(modes.restore() + CLEAR))
    modes = createTerminalModes()
  }
  try {
    await playWithKeys(chunks, factorOf(mode, scale), {
      write,
      rewind,
      sleep,
      nowMs: monotonicMs,
      onKeys,
    })
  } finally {
    await writeStdout(Buffer.from(`${modes.restore()}\r\n`))
  }
}

async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepOrAbort(delayMs, signal)
  } catch (error) {
    // A key was pressed: the player decides what follows.
    if (!isRepriseError(error)) throw error
  }
}

/** Keys of a terminal; Ctrl-C and the like as a key, also where stdin is something else. */
function onKeys(listener: (keys: string) => void): Disposable {
  const end = onTermination(() => listener('\u0003'))
  if (!stdinIsTerminal()) return end
  const keyboard = attachKeyboard(
    (bytes) => listener(Buffer.from(bytes).toString('latin1')),
    () => undefined,
  )
  return {
    [Symbol.dispose]() {
      keyboard[Symbol.dispose]()
      end[Symbol.dispose]()
    },
  }
}

function factorOf(mode: ReplayMode, scale: number): number {
  switch (mode) {
    case 'collapsed':
      return 0
    case 'realtime':
      return 1
    case 'scaled':
      return scale
    default:
      return unreachable(mode)
  }
}
