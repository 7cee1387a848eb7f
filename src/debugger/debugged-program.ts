/**
 * A replayed program under Node's inspector: runs to a record, stops at the first statement of the user's
 * code after it, and describes where it is.
 *
 * The process pauses itself inside Reprise when the record is reached (`debug-watch.ts`). From there this
 * goes on until the top frame is the user's.
 */
import { isObject, type JsonObject, objectsOf } from '../base/index.ts'
import { PAUSE_URL } from '../real/debugger-pause.ts'
import { connectInspector, type InspectorClient } from './inspector-client.ts'
import { createSourceLines, type Position, type Script } from './source-lines.ts'
import { isUserCode, SKIPPED_PATTERNS, USER_CODE_PATTERN } from './user-code.ts'

type Frame = Position & { readonly functionName: string; readonly isUser: boolean }

/** Where the program is paused. */
export type Stop = {
  /** The record that was reached last. */
  readonly record: number
  readonly frames: readonly Frame[]
}

export type DebuggedProgram = {
  readonly client: InspectorClient
  /** Lets the program run until it stops or ends; null at its end. */
  resume(): Promise<Stop | null>
  /** Stops after the first record from `seq` on. */
  stopAt(seq: number): Promise<void>
  /** Whether a pause in this script is a step on the way from a record to the user's code, not for people. */
  isOwnStep(scriptId: string): boolean
  /** The stop at which the program is paused now; null while it runs. */
  current(): Promise<Stop | null>
  /** Marks the start or the end of code that a person evaluates. */
  setEvaluating(isEvaluating: boolean): Promise<void>
  /** An evaluation changed a variable. */
  markChanged(): Promise<void>
}

type CallFrame = {
  readonly functionName: string
  readonly scriptId: string
  readonly line: number
  readonly column: number
  readonly id: string
}

/** More steps than any way from our pause back to the program. */
const MAX_STEPS = 5000
/** Setting one takes some 50 µs. */
const MAX_BREAKPOINTS = 20_000

export async function attachTo(url: string): Promise<DebuggedProgram> {
  const client = await connectInspector(url)
  const scripts = new Map<string, Script>()
  const positionOf = createSourceLines()
  const places = new Map<string, Promise<readonly JsonObject[]>>()
  let paused: readonly CallFrame[] | null = null
  let onStop: ((frames: readonly CallFrame[] | null) => void) | null = null
  let hooks: string | null = null
  let isMoving = false

  /** Where the statements of a script are. */
  const placesIn = async (scriptId: string): Promise<readonly JsonObject[]> => {
    const start = { scriptId, lineNumber: 0, columnNumber: 0 }
    // The program may have ended.
    const found = await client.send('Debugger.getPossibleBreakpoints', { start }).catch(() => null)
    return objectsOf(found?.locations).map(({ lineNumber, columnNumber }) => ({
      scriptId,
      lineNumber: Number(lineNumber),
      columnNumber: Number(columnNumber),
    }))
  }

  client.onEvent((method, params) => {
    switch (method) {
      case 'Debugger.scriptParsed': {
        const [scriptId, url] = [String(params.scriptId), String(params.url)]
        const { sourceMapURL } = params
        scripts.set(scriptId, { url, sourceMapUrl: typeof sourceMapURL === 'string' ? sourceMapURL : '' })
        // Now: V8 finds no places in a CommonJS module whose own function was collected.
        if (isUserCode(url)) places.set(scriptId, placesIn(scriptId))
        return
      }
      case 'Debugger.paused':
        paused = callFrames(params.callFrames)
        if (onStop !== null) onStop(paused)
        // A front end let the program go on, and it has reached a record or a divergence.
        else if (isOwnPause(paused)) void toUserCode(paused)
        return
      case 'Debugger.resumed':
        paused = null
        return
      case 'Runtime.executionContextDestroyed':
        // Node waits for its debuggers before it exits.
        onStop?.(null)
        client.close()
        return
    }
  })
  void client.closed.then(() => onStop?.(null))

  const stopped = (): Promise<readonly CallFrame[] | null> =>
    new Promise((resolve) => {
      onStop = (frames) => {
        onStop = null
        resolve(frames)
      }
    })
  const go = async (method: string): Promise<readonly CallFrame[] | null> => {
    const next = stopped()
    // The answer may not come: the program can end in this step.
    client.send(method).catch(() => undefined)
    return next
  }
  const urlOf = (frame: CallFrame | undefined): string =>
    frame === undefined ? '' : (scripts.get(frame.scriptId)?.url ?? '')

  const isUser = (frame: CallFrame | undefined): boolean => isUserCode(urlOf(frame))
  const isOwnPause = (frames: readonly CallFrame[]): boolean => urlOf(frames[0]) === PAUSE_URL

  /** From the pause inside Reprise to the user's next statement. */
  const toUserCode = async (from: readonly CallFrame[]): Promise<readonly CallFrame[] | null> => {
    isMoving = true
    let frames: readonly CallFrame[] | null = from
    for (let step = 0; frames !== null && !isUser(frames[0]) && step < MAX_STEPS; step += 1)
      frames = await toNextStatement()
    isMoving = false
    return frames
  }

  const toNextStatement = async (): Promise<readonly CallFrame[] | null> => {
    const breakpoints = await breakEverywhere()
    if (breakpoints === null) return go('Debugger.stepInto')
    const frames = await go('Debugger.resume')
    const removed = breakpoints.map((breakpointId) =>
      client.send('Debugger.removeBreakpoint', { breakpointId }),
    )
    // None is left to remove when the program has ended.
    await Promise.allSettled(removed)
    return frames
  }

  /**
   * A breakpoint at every statement of the user's code, and at the first one of scripts that are loaded from now
   * on; null if there are too many. Stepping would do too, but V8 cannot skip the parts of Node that come from
   * its snapshot: stepping into takes thousands of steps through them, and stepping out loses its way.
   */
  const breakEverywhere = async (): Promise<readonly string[] | null> => {
    const all = (await Promise.all(places.values())).flat()
    if (all.length > MAX_BREAKPOINTS) return null
    const set = await Promise.allSettled(
      all.map((location) => client.send('Debugger.setBreakpoint', { location })),
    )
    set.push(
      ...(await Promise.allSettled([
        client.send('Debugger.setBreakpointByUrl', { urlRegex: USER_CODE_PATTERN, lineNumber: 0 }),
      ])),
    )
    return set.flatMap((each) => (each.status === 'fulfilled' ? [String(each.value.breakpointId)] : []))
  }

  const hook = async (change: string): Promise<unknown> => {
    if (hooks === null) return null
    const { result } = await client.send('Runtime.callFunctionOn', {
      objectId: hooks,
      functionDeclaration: `function () { ${change} }`,
      returnByValue: true,
    })
    return isObject(result) ? result.value : null
  }

  const stopOf = async (frames: readonly CallFrame[]): Promise<Stop> => ({
    record: Number(await hook('return this.last')),
    frames: frames.map((frame) => {
      const script = scripts.get(frame.scriptId) ?? { url: '', sourceMapUrl: '' }
      return {
        ...positionOf(script, frame.line, frame.column),
        functionName: frame.functionName,
        isUser: isUserCode(script.url),
      }
    }),
  })

  await client.send('Runtime.enable')
  await client.send('Debugger.enable')
  await client.send('Debugger.setBlackboxPatterns', { patterns: [...SKIPPED_PATTERNS] })
  // The first pause is before the program: it passes the hooks.
  const first = stopped()
  await client.send('Runtime.runIfWaitingForDebugger')
  const [frame] = (await first) ?? []
  if (frame !== undefined) {
    const { result } = await client.send('Debugger.evaluateOnCallFrame', {
      callFrameId: frame.id,
      expression: 'hooks',
    })
    hooks = isObject(result) && typeof result.objectId === 'string' ? result.objectId : null
  }

  return {
    client,
    async resume() {
      let frames = await go('Debugger.resume')
      if (frames !== null && isOwnPause(frames)) frames = await toUserCode(frames)
      return frames === null ? null : stopOf(frames)
    },
    stopAt: async (seq) => void (await hook(`this.stopAt = ${seq}`)),
    isOwnStep(scriptId) {
      const url = scripts.get(scriptId)?.url ?? ''
      return url === PAUSE_URL || (isMoving && !isUserCode(url))
    },
    current: async () => (paused === null ? null : stopOf(paused)),
    setEvaluating: async (isEvaluating) => void (await hook(`this.setEvaluating(${isEvaluating})`)),
    markChanged: async () => void (await hook('this.isChanged = true')),
  }
}

function callFrames(value: unknown): CallFrame[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((frame: unknown) => {
    if (!isObject(frame) || !isObject(frame.location)) return []
    const { location } = frame
    return [
      {
        functionName: String(frame.functionName ?? ''),
        scriptId: String(location.scriptId),
        line: Number(location.lineNumber),
        column: Number(location.columnNumber ?? 0),
        id: String(frame.callFrameId),
      },
    ]
  })
}
