/** The request that a recording sends: the real side of an exchange. */
import { outside } from '../context.ts'
import { errorFacts } from '../errors.ts'
import { type HeaderList, MAX_WAITING_BYTES, type Outcome } from '../session.ts'
import type { DispatchOptions } from './dispatched-request.ts'
import { type Handler, handlerFor, type RawHeaders } from './handlers.ts'

export type LiveRequest = {
  abort(reason: unknown): void
  resume(): void
  taken(bytes: number): void
  /** Headers that were received, as undici's parser gave them; null for any other headers. */
  rawOf(headers: HeaderList): RawHeaders | null
}

/**
 * Calls the real dispatcher. Its whole response arrives at the gate; nothing reaches the program from here.
 */
export function startLive(
  real: { dispatch(options: DispatchOptions, handler: Handler): boolean },
  options: DispatchOptions,
  arrive: (outcome: Outcome) => void,
  isPaused: () => boolean,
  dialect: 'old' | 'new',
): LiveRequest {
  let waitingBytes = 0
  let abortReal: ((reason: unknown) => void) | null = null
  let abortedWith: { readonly reason: unknown } | null = null
  let resumeReal: () => void = () => undefined
  /** Whether the real dispatcher had to stop. Resuming one that runs costs a call per chunk and does nothing. */
  let isStopped = false
  /** The last head that was received. */
  let known: { readonly headers: HeaderList; readonly raw: RawHeaders } | null = null
  const mayFlow = (): boolean => !isPaused() && waitingBytes < MAX_WAITING_BYTES
  const stopUnlessFlowing = (): boolean => {
    const flows = mayFlow()
    if (!flows) isStopped = true
    return flows
  }
  const handler = handlerFor(
    {
      connected(abort) {
        abortReal = abort
        if (abortedWith !== null) abort(abortedWith.reason)
      },
      resumable(resume) {
        resumeReal = resume
      },
      head(status, headers, statusText, raw) {
        known = raw === undefined || typeof raw[0] === 'string' ? null : { headers, raw }
        arrive({ type: 'head', status, headers, statusText })
        return stopUnlessFlowing()
      },
      data(bytes) {
        // Copied: undici reuses its buffer, and this one waits for its turn.
        const copy = new Uint8Array(bytes)
        waitingBytes += copy.byteLength
        arrive({ type: 'chunk', bytes: copy })
        return stopUnlessFlowing()
      },
      end: (trailers) => arrive({ type: 'end', trailers }),
      error: (error) => arrive({ type: 'error', error: errorFacts(error) }),
    },
    dialect,
  )
  outside(() => real.dispatch(options, handler))
  return {
    abort(reason) {
      abortedWith = { reason }
      outside(() => abortReal?.(reason))
    },
    resume() {
      if (!isStopped || !mayFlow()) return
      isStopped = false
      outside(resumeReal)
    },
    taken(bytes) {
      waitingBytes -= bytes
    },
    rawOf: (headers) => (known !== null && known.headers === headers ? known.raw : null),
  }
}
