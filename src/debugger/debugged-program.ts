/**
 * A replayed program under Node's inspector: runs to a record, stops at the first statement of the user's
 * code after it, and describes where it is.
 *
 * The process pauses itself inside Reprise when the record is reached (`debug-watch.ts`). From there this
 * steps until the top frame is the user's.
 */
import { isObject, type JsonObject, objectsOf } from '../base/index.ts'
import { connectInspector, type InspectorClient } from './inspector-client.ts'
import { createSourceLines, type Position, type Script } from './source-lines.ts'
import { isUserCode, SKIPPED_PATTERNS } from './user-code.ts'

type Frame = Position & { readonly functionName: string; readonly isUser: boolean }

/** Where the program stands still. */
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
  let paused: readonly CallFrame[] | null = null
  let onStop: ((frames: readonly CallFrame[] | null) => void) | null = null
  let hooks: string | null = null

  client.onEvent((method, params) => {
    switch (method) {
      case 'Debugger.scriptParsed':
        scripts.set(String(params.scriptId), {
          url: String(params.url),
          sourceMapUrl: typeof params.sourceMapURL === 'string' ? params.sourceMapURL : '',
        })
        return
      case 'Debugger.paused':
        paused = callFrames(params.callFrames)
        onStop?.(paused)
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

  /** From the pause inside Reprise to the user's next statement. */
  const toUserCode = async (from: readonly CallFrame[]): Promise<readonly CallFrame[] | null> => {
    let frames: readonly CallFrame[] | null = from
    // A synchronous read returns to the user's frame in a few steps. Breakpoints in a function that is on the
    // stack have crashed Node 20.
    const isOnStack = from.some((frame) => isUserCode(urlOf(frame)))
    const breakpoints = isOnStack ? null : await breakEverywhere()
    if (breakpoints !== null) {
      frames = await go('Debugger.resume')
      const removed = breakpoints.map((breakpointId) =>
        client.send('Debugger.removeBreakpoint', { breakpointId }),
      )
      // None is left to remove when the program has ended.
      await Promise.allSettled(removed)
    }
    for (let step = 0; frames !== null && !isUserCode(urlOf(frames[0])); step += 1) {
      if (step > MAX_STEPS) return frames
      frames = await go('Debugger.stepInto')
    }
    return frames
  }

  /**
   * A breakpoint at every statement of the user's code; null if there are too many. Stepping would do too,
   * but V8 cannot skip the parts of Node that come from its snapshot, and takes thousands of steps through
   * them.
   */
  const breakEverywhere = async (): Promise<readonly string[] | null> => {
    const places: JsonObject[] = []
    for (const [scriptId, { url }] of scripts) {
      if (!isUserCode(url)) continue
      const start = { scriptId, lineNumber: 0, columnNumber: 0 }
      const { locations } = await client.send('Debugger.getPossibleBreakpoints', { start })
      for (const { lineNumber, columnNumber } of objectsOf(locations))
        places.push({ scriptId, lineNumber: Number(lineNumber), columnNumber: Number(columnNumber) })
      if (places.length > MAX_BREAKPOINTS) return null
    }
    const set = await Promise.allSettled(
      places.map((location) => client.send('Debugger.setBreakpoint', { location })),
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
      if (frames !== null) frames = await toUserCode(frames)
      return frames === null ? null : stopOf(frames)
    },
    stopAt: async (seq) => void (await hook(`this.stopAt = ${seq}`)),
    current: async () => (paused === null ? null : stopOf(paused)),
    setEvaluating: async (isEvaluating) => void (await hook(`this.isEvaluating = ${isEvaluating}`)),
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
