/**
 * A request body that the program produces while it is being sent. Its bytes are sent as they arrive, so the
 * server gets the first byte as early as without us. The effect starts when the body is whole: it is part of
 * the match key.
 *
 * The program's source is read as fast as it produces, up to a limit: then it waits until the connection has
 * accepted its bytes. That moment is an outcome, so a replay waits at the same place. If the response arrives
 * before the body is whole, that is an outcome of the upload, and the effect starts with the part so far.
 */
import { type HttpRequest, MAX_WAITING_BYTES } from '../session.ts'
import type { BodySource } from './dispatched-request.ts'
import type { PendingBody } from './pending-body.ts'

export type Upload = {
  /** For the real side, from the first chunk on. Fails as the program's source does. */
  passedOn(): AsyncIterable<Uint8Array>
  /** Settles when the program's source has ended. */
  readonly whole: Promise<void>
  soFar(): Pick<HttpRequest, 'body' | 'collected'>
  /** The request has ended: later bytes are dropped, and nothing waits. */
  stop(): void
}

/** `wait` resolves when the connection has accepted everything; `taken` calls back at that moment. */
export type UploadFlow = { wait(taken: (callback: () => void) => void): Promise<void> }

export function startUpload(source: BodySource, body: PendingBody, flow: UploadFlow): Upload {
  const queue: Uint8Array[] = []
  let end: { readonly error: unknown } | 'whole' | null = null
  let more = signal()
  let emptied: (() => void) | null = null
  let isPassedOn = false
  let isStopped = false
  let stopped: () => void = () => undefined
  const whenStopped = new Promise<void>((resolve) => {
    stopped = resolve
  })

  const taken = (callback: () => void): void => {
    if (queue.length === 0) callback()
    else emptied = callback
  }

  const read = async (): Promise<void> => {
    let waitingBytes = 0
    try {
      for await (const chunk of source as AsyncIterable<unknown>) {
        const given = typeof chunk === 'string' ? Buffer.from(chunk) : bytesOf(chunk as Uint8Array)
        waitingBytes += given.byteLength
        const waits = waitingBytes >= MAX_WAITING_BYTES && !isStopped
        // A source that waits cannot change its bytes before the connection has accepted them.
        const bytes = given === chunk && isPassedOn && !waits ? new Uint8Array(given) : given
        if (!isStopped) body.add(bytes, bytes === chunk)
        if (isPassedOn) queue.push(bytes)
        more.give()
        if (!waits) continue
        waitingBytes = 0
        await Promise.race([flow.wait(taken), whenStopped])
      }
      end = 'whole'
    } catch (error) {
      end = { error }
      throw error
    } finally {
      more.give()
    }
  }

  async function* passOn(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = queue.shift()
      if (chunk !== undefined) {
        yield chunk
        continue
      }
      emptied?.()
      emptied = null
      if (end === 'whole') return
      if (end !== null) throw end.error
      more = signal()
      await more.given
    }
  }

  return {
    passedOn() {
      isPassedOn = true
      return passOn()
    },
    whole: read(),
    soFar: () => body.take(),
    stop() {
      isStopped = true
      // The source goes on before the connection has accepted these.
      for (const [at, bytes] of queue.entries()) queue[at] = new Uint8Array(bytes)
      stopped()
    },
  }
}

/** Without a copy if it is bytes. */
function bytesOf(chunk: Uint8Array): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : new Uint8Array(chunk)
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}
