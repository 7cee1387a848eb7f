/**
 * Reads from the environment whether this process is to be recorded or replayed, and starts it. Does nothing
 * without `REPRISE_MODE`.
 *
 * Our own variables are taken out of the environment first: the program must not see them, nor its children.
 */
import { passCallsOf } from '../../boundaries/caller.ts'
import { markOwnWork } from '../../boundaries/context.ts'
import { RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'
import { type ChildSettings, ownStart } from '../children/child-settings.ts'
import type { RecordSources } from '../children/record-sources.ts'
import type { ReplayMode } from '../verdict/verdict.ts'
import type { DebugSettings } from './debug-watch.ts'
import { startedLoaders } from './loaders.ts'
import { isReprise, isWrapper } from './program-facts.ts'
import { recordProcess, startedCommand } from './record-process.ts'
import { replayProcess } from './replay-process.ts'
import type { TravelSettings } from './travel-settings.ts'
import { NO_WALLS, type Walls } from './walls.ts'

export function registerProcess(): void {
  const mode = realEnv.REPRISE_MODE
  const tape = realEnv.REPRISE_TAPE
  if (mode === undefined || mode === 'off' || isWrapper(realScript())) return
  if (tape === undefined || tape === '')
    throw new RepriseError('usage', 'REPRISE_MODE is set, but REPRISE_TAPE names no tape', {
      hint: 'set both, or neither',
    })
  const settings = readSettings(realEnv.REPRISE_SETTINGS)
  const start = ownStart()
  hideOurselves()
  const loaders = startedLoaders()
  passCallsOf(loaders.packages)
  // A loader settles promises of the program from its thread (decision 0420).
  if (loaders.names.length === 0) markOwnWork()
  switch (mode) {
    case 'record': {
      const { command = startedCommand(), child = null, sources = {} } = settings
      // Another command of Reprise is not part of the program.
      if (child !== null && isReprise(realScript())) return
      recordProcess({
        tape,
        command,
        sources: child === null ? sources : withOwnRoot(sources),
        loaders: loaders.names,
        start,
        child,
      })
      return
    }
    case 'replay':
      replayProcess({
        tape,
        result: settings.result === undefined ? { report: `${tape}.report.json` } : { file: settings.result },
        mode: settings.mode ?? 'semantic',
        strict: settings.strict ?? false,
        debug: settings.debug ?? false,
        speed: settings.speed ?? 0,
        emit: settings.emit ?? (settings.result === undefined ? `${tape}.second.tape` : null),
        // Without the command line the name is ours, and a replay can be repeated.
        force: settings.result === undefined,
        diff: settings.diff ?? null,
        addons: settings.addons ?? [],
        debugger: settings.debugger ?? null,
        travel: settings.travel ?? null,
        walls: settings.walls ?? NO_WALLS,
      })
      return
    default:
      throw new RepriseError(
        'usage',
        `REPRISE_MODE is ${JSON.stringify(mode)}; it takes record, replay or off`,
        { hint: 'see reprise --help' },
      )
  }
}

/** What `reprise record` and `reprise replay` pass to the process that they start. */
export type ProcessSettings = {
  readonly command?: readonly string[]
  readonly sources?: RecordSources
  /** A child of a recorded process. */
  readonly child?: ChildSettings
  /** Where `reprise replay` reads the result. */
  readonly result?: string
  readonly mode?: ReplayMode
  readonly strict?: boolean
  /** Shows the stack of an uncaught refusal. */
  readonly debug?: boolean
  readonly speed?: number
  /** Where the second recording goes. */
  readonly emit?: string
  /** Where the diff of the replay goes, as JSON. */
  readonly diff?: string
  /** Native addons that the user vouches for in this replay. */
  readonly addons?: readonly string[]
  /** What Node denies to this process. */
  readonly walls?: Walls
  /** What NODE_OPTIONS was before we added to it; null if it was not set. */
  readonly nodeOptions?: string | null
  /** The process runs in `reprise debug`. */
  readonly debugger?: DebugSettings
  /** The process runs in `reprise what-if` or `reprise fork`. */
  readonly travel?: TravelSettings
}

/** A replay runs the program in the first root: that of a child is its own folder. */
function withOwnRoot(sources: RecordSources): RecordSources {
  const { files } = sources
  const roots = files?.roots ?? []
  if (roots.length === 0) return sources
  return { ...sources, files: { ...files, roots: [...new Set([realCwd(), ...roots])] } }
}

function readSettings(text: string | undefined): ProcessSettings {
  return text === undefined ? {} : JSON.parse(text)
}

function hideOurselves(): void {
  const { nodeOptions } = readSettings(realEnv.REPRISE_SETTINGS)
  for (const name of ['REPRISE_MODE', 'REPRISE_TAPE', 'REPRISE_SETTINGS']) delete realEnv[name]
  if (nodeOptions === undefined) return
  if (nodeOptions === null) delete realEnv.NODE_OPTIONS
  else realEnv.NODE_OPTIONS = nodeOptions
}

/** Links resolved: `/usr/bin/npm` is one. */
function realScript(): string {
  const script = startedAs.argv[1] ?? ''
  try {
    return fs.realpathSync(script)
  } catch {
    // No script (`node -e`), or one that is gone: taken as it is.
    return script
  }
}
