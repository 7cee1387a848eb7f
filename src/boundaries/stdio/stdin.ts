/**
 * `process.stdin`: a stand-in stream in both modes, fed through the gate. Its chunks and its end are outcomes
 * of one effect, which starts when the program first reads. A replay never uses the real stdin.
 *
 * Node's own `Readable` implements everything that a program does with it: flowing or paused, `data` or
 * `readable`, encodings, iteration, readline.
 *
 * Decision 0087.
 */
import { Readable } from 'node:stream'
import { label } from '../../base/index.ts'
import { lateBase } from '../../real/late-base.ts'
import { type RealStdin, realStdin, stdinIsTty, stdinOwner } from '../../real/stdin.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import type { Patch } from '../patches.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

const STDIO = label('stdio')
const STDIN = label('process.stdin')

const standIn = sessionField((session) => new StandardInput(session))

export function stdinPatches(): Patch[] {
  return [
    {
      owner: stdinOwner,
      property: 'stdin',
      replace: (original) => ({
        ...original,
        get(this: unknown) {
          const session = activeSession('stdio') ?? named
          return session === null ? original.get?.call(this) : standIn.get(session)
        },
      }),
    },
  ]
}

let named: Session | null = null

/**
 * Installing patches sets the values of named imports of built-in modules. For a whole process that happens
 * before its session begins; its `import { stdin } from 'node:process'` must still be the session's.
 */
export function namedStdinOf<T>(session: Session, install: () => T): T {
  named = session
  try {
    return install()
  } finally {
    named = null
  }
}

class StandardInput extends lateBase(() => Readable) {
  readonly fd = 0
  readonly #session: Session
  #effect: Effect | null = null
  #live: LiveInput | null = null
  #ref = true
  #isTty: boolean | null = null
  isRaw: boolean | undefined

  constructor(session: Session) {
    super()
    this.#session = session
    // A program that has paused it is no longer kept alive by it, as in plain Node.
    this.on('pause', () => this.#live?.pause())
    this.on('resume', () => this.#live?.resume())
  }

  override _read(): void {
    if (this.#effect === null) {
      this.#effect = this.#session.start(STDIO, 'process.stdin', (outcome) => this.#receive(outcome), {
        ref: this.#ref,
      })
      if (this.#effect.isLive) this.#live = startLive(this.#effect, this.#ref)
    }
    this.#live?.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#effect?.close()
    this.#live?.close()
    done(error)
  }

  ref(): this {
    return this.#setRef(true)
  }

  unref(): this {
    return this.#setRef(false)
  }

  /** True or missing, as in Node. Read when the program reads it. */
  get isTTY(): true | undefined {
    this.#isTty ??= this.#session.readFact(STDIN, 'isTTY', () => String(stdinIsTty())) === 'true'
    return this.#isTty ? true : undefined
  }

  /** Only a terminal has it. */
  get setRawMode(): ((mode: boolean) => this) | undefined {
    if (this.isTTY !== true) return undefined
    return (mode) => {
      if (this.#session.isLive(STDIO)) outside(() => realStdin().setRawMode(Boolean(mode)))
      this.isRaw = Boolean(mode)
      return this
    }
  }

  #setRef(ref: boolean): this {
    this.#ref = ref
    this.#effect?.setRef(ref)
    this.#live?.setRef(ref)
    return this
  }

  #receive(outcome: Outcome): void {
    switch (outcome.type) {
      case 'chunk':
        this.push(Buffer.from(outcome.bytes))
        return
      case 'end':
        this.push(null)
        return
      case 'error':
        this.destroy(errorFromFacts(outcome.error))
        return
      default:
        throw new Error(`stdin cannot receive ${outcome.type}`)
    }
  }
}

type LiveInput = { pause(): void; resume(): void; setRef(ref: boolean): void; close(): void }

/** Reads the real stdin, one chunk for each time that the program's stream wants one. */
function startLive(effect: Effect, ref: boolean): LiveInput {
  const real: RealStdin = outside(realStdin)
  const setRef = (wanted: boolean): void => {
    // A file has neither: it does not keep the process alive.
    if (wanted) real.ref?.()
    else real.unref?.()
  }
  outside(() => {
    real.on('data', (chunk: Uint8Array) => {
      real.pause()
      effect.arrive({ type: 'chunk', bytes: new Uint8Array(chunk) })
    })
    real.on('end', () => effect.arrive({ type: 'end', trailers: [] }))
    real.on('error', (error) => effect.arrive({ type: 'error', error: errorFacts(error) }))
    if (!ref) setRef(false)
  })
  return {
    pause: () => outside(() => void real.pause()),
    resume: () => outside(() => void real.resume()),
    setRef: (wanted) => outside(() => setRef(wanted)),
    close: () => outside(() => void real.destroy()),
  }
}
