/**
 * `reprise cassette record --out DIR -- <cmd…>`: runs a program on a terminal of its own and records it. Your
 * terminal is passed through, resizes too; or a script drives it; or what is piped in is typed. Ends with the
 * program's exit code, 125 if Reprise itself could not.
 */

import type { RecordOptions, Session } from '../../cassette/index.ts'
import { isRepriseError, RepriseError } from '../../errors/index.ts'
import { newCassetteOptions, numberOption } from '../cassette-options.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { EXIT, errorLine } from '../output.ts'
import { writeReport } from '../write-report.ts'

export const cassetteRecord: Command = {
  name: 'cassette record',
  arguments: '<cmd...>',
  help: 'run a program on a terminal and record it: cassette record --out DIR -- <cmd…>',
  options: [
    ...newCassetteOptions,
    { flags: '--rows <n>', help: 'rows of the terminal (default: yours, else 24)' },
    { flags: '--cols <n>', help: 'columns of the terminal (default: yours, else 80)' },
    { flags: '--env <name...>', help: 'let these variables through too, or set NAME=value' },
    { flags: '--scrub <name...>', help: 'variables whose values are secrets, whatever their names' },
    {
      flags: '--script <file>',
      help: 'drive the program by a script: wait, type, press, paste, resize, quiet, signal, exit',
    },
    { flags: '--timeout <ms>', help: 'kill the program after this long' },
    { flags: '--idle-limit <ms>', help: 'record longer pauses as this long' },
    {
      flags: '--resolution <ms>',
      help: 'steps of recorded time, and the least distance of frames (default 100)',
    },
    { flags: '--cwd <dir>', help: 'working folder of the program' },
    { flags: '--locale <name>', help: 'LANG and LC_ALL of the program' },
    { flags: '--permission-mode <label>', help: 'a label for the manifest' },
    { flags: '--lock <account>', help: 'hold the record lock of this account while recording' },
    { flags: '--no-frames', help: 'render no frames; any screen can be shown later all the same' },
    { flags: '--full-cells', help: 'full cells in every frame instead of differences' },
    { flags: '--quiet', help: 'do not show the output of the program' },
    { flags: '--report <file>', help: 'write what was recorded as JSON' },
  ],
  async run(input) {
    try {
      return await record(input)
    } catch (error) {
      if (isRepriseError(error) && error.code === 'usage') throw error
      process.stderr.write(`${errorLine(error, input.options.debug === true)}\n`)
      return EXIT.reprise
    }
  },
}

async function record(input: CommandInput): Promise<number> {
  const { acquireRecordLock, recordSession, shellCode } = await import('../../cassette/index.ts')
  const io = await import('../../real/terminal-io.ts')
  const { terminalSize, stdinIsTerminal, stdoutIsTerminal, writeStdout } = io
  const { signalNumber } = await import('../../real/signals.ts')
  const out = textOption(input, 'out') ?? ''
  const own = terminalSize()
  const script = await readScriptFile(textOption(input, 'script'))
  const isInteractive = script === null && stdinIsTerminal() && stdoutIsTerminal()
  const account = textOption(input, 'lock')
  const { dirname, resolve } = await import('node:path')
  using _lock = account === undefined ? null : acquireRecordLock(dirname(resolve(out)), account)
  using guard = createGuard()
  const options: RecordOptions = {
    out,
    argv: input.arguments,
    force: flagOption(input, 'force'),
    size: {
      rows: numberOption(input, 'rows', 1) ?? own?.rows ?? 24,
      cols: numberOption(input, 'cols', 1) ?? own?.cols ?? 80,
    },
    env: listOption(input, 'env'),
    frames: input.options.frames !== false,
    fullCells: flagOption(input, 'fullCells'),
    answerQueries: !isInteractive,
    permissionMode: textOption(input, 'permissionMode') ?? '',
    ...given('timeoutMs', numberOption(input, 'timeout', 1)),
    ...given('idleLimitMs', numberOption(input, 'idleLimit', 1)),
    ...given('resolutionMs', numberOption(input, 'resolution', 1)),
    ...given('cwd', textOption(input, 'cwd')),
    ...given('locale', textOption(input, 'locale')),
    ...(script === null ? {} : { script }),
    ...(await scrubberFor(listOption(input, 'scrub'), listOption(input, 'env'))),
    ...(flagOption(input, 'quiet') ? {} : { onOutput: writeStdout }),
    onStart: (session) => connect(session, io, guard, { keyboard: script === null, follow: isInteractive }),
  }
  const recorded = await recordSession(options)
  const report = textOption(input, 'report')
  const code = shellCode(recorded.exit, signalNumber)
  if (report !== undefined) {
    const { folder: cassette, exit, timedOut: timed_out, bytes } = recorded
    const document = { cassette, exit_code: code, exit, timed_out, bytes }
    await writeReport(report, `${JSON.stringify(document, null, 2)}\n`, [])
  }
  return code
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}

type Guard = Disposable & { use(held: Disposable): void }

/** Lets go of everything in the end, the last taken first. */
function createGuard(): Guard {
  const held: Disposable[] = []
  return {
    use: (one) => void held.push(one),
    [Symbol.dispose]() {
      for (const one of held.reverse()) one[Symbol.dispose]()
    },
  }
}

/** Keys and resizes of the user's own terminal go to the program; a signal to us ends it. */
function connect(
  session: Session,
  io: typeof import('../../real/terminal-io.ts'),
  guard: Guard,
  how: { readonly keyboard: boolean; readonly follow: boolean },
): void {
  const { attachKeyboard, onTerminalResize, onTermination, terminalSize } = io
  guard.use(onTermination(() => void session.kill()))
  if (how.follow) {
    guard.use(
      onTerminalResize(() => {
        const size = terminalSize()
        if (size !== null && size.rows > 0 && size.cols > 0) session.resize(size)
      }),
    )
  }
  if (!how.keyboard) return
  let typed = false
  const type = (bytes: Uint8Array): void => void session.write(bytes).catch(ignoreEnded)
  guard.use(
    attachKeyboard(
      (bytes) => {
        typed = true
        type(bytes)
      },
      // The end of what was piped in is Ctrl-D to the program. An empty stdin (a daemon, a test runner) types
      // nothing at all.
      () => typed && type(Buffer.from([4])),
    ),
  )
}

function ignoreEnded(error: unknown): void {
  // A key pressed in the very moment in which the program ended.
  if (!isRepriseError(error) || error.code !== 'cassette-session-closed') throw error
}

async function readScriptFile(path: string | undefined) {
  if (path === undefined) return null
  const { readScript } = await import('../../cassette/index.ts')
  const { readTextFile } = await import('../read-text-file.ts')
  return readScript(await readTextFile(path))
}

async function scrubberFor(names: readonly string[], env: readonly string[]) {
  const { createScrubber } = await import('../../scrub/index.ts')
  const { realEnv } = await import('../../real/process.ts')
  const set = Object.fromEntries(
    env
      .filter((entry) => entry.includes('='))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
  const known = { ...realEnv, ...set }
  const scrubber = createScrubber({ env: known })
  for (const name of names) {
    const value = known[name]
    if (value === undefined || value === '')
      throw new RepriseError('usage', `--scrub ${name}: no such variable`, {
        hint: 'name a variable that is set',
      })
    scrubber.learn(`env:${name}`, value)
  }
  return { scrubber }
}
