/**
 * A handle on one session's state: what a program holds, and what `initState` and `resumeState` give.
 *
 * Every write is atomic and durable when its promise resolves. The handle remembers which version of each key
 * it has read or written; under `warn` and `error` that is what it may write over. Serialised (`toJSON`) it
 * is upstream's `state_handle`.
 */
import { RepriseError } from '../errors/index.ts'
import { contentBytes, contentText, jsonContent, type Schema } from './content.ts'
import type {
  Conflict,
  ConflictPolicy,
  DeleteRequest,
  Entry,
  PastVersion,
  StateDriver,
  WriteOutcome,
  WriteRequest,
} from './contract.ts'
import { unifiedDiff } from './diff.ts'
import { createExclusiveAccess } from './exclusive-access.ts'
import { decodeHandoff, encodeHandoff, type Handoff, type HandoffEnvelope, typedHandoff } from './handoff.ts'
import type { HandoffArtifact } from './handoff-artifact.ts'
import { clashError, HANDOFF_KEY, normaliseKey, type Scalar } from './keys.ts'
import { readerOn, type StateReader } from './reader.ts'
import type { Staging } from './staging.ts'
import type { StateTape } from './state-tape.ts'
import { isVersion, type Version } from './version.ts'
import { type Watch, watchSession } from './watch.ts'
import { type Writer, writerToWire } from './writer.ts'

export type WriteOptions = {
  /** Compare-and-swap: write only over this version; null: only if there is no such key. */
  readonly ifVersion?: string | null | undefined
}

export type HandleParts = {
  readonly driver: StateDriver
  readonly sessionId: string
  readonly writer: Writer
  readonly policy: ConflictPolicy
  readonly onConflict: (conflict: Conflict) => void
  readonly tape: StateTape
  /** Epoch milliseconds. */
  readonly now: () => number
  /** What `resume` has seen. */
  readonly seen: ReadonlyMap<string, Version>
}

export type StateWriter = {
  write(key: Scalar, content: Scalar | Uint8Array, options?: WriteOptions): Promise<WriteOutcome>
  writeJson<T>(
    key: Scalar,
    value: T,
    options?: WriteOptions & { readonly schema?: Schema<T> },
  ): Promise<WriteOutcome>
  /** False if there was nothing to delete, which is no error. */
  delete(key: Scalar, options?: WriteOptions): Promise<boolean>
}

export type StateTransaction = StateReader & StateWriter

export type StateHandle = StateReader &
  StateWriter &
  AsyncDisposable & {
    readonly backend: StateDriver['backend']
    readonly root: string
    readonly sessionId: string
    readonly conflictPolicy: ConflictPolicy
    readonly writer: Writer
    /**
     * Read-modify-write without a lost update: `change` runs again on the newer value when another writer was
     * faster.
     */
    update(key: Scalar, change: (current: string | null) => string | Promise<string>): Promise<WriteOutcome>
    /**
     * All changes of `work` or none. It may run more than once, so it must change nothing but the state it is
     * given.
     */
    transaction<T>(work: (state: StateTransaction) => Promise<T>): Promise<T>
    handoff(
      summary: Readonly<Record<string, unknown>>,
      options?: WriteOptions & { readonly handoff?: Partial<Handoff> | HandoffArtifact | undefined },
    ): Promise<WriteOutcome>
    readHandoff(): Promise<HandoffEnvelope | null>
    /** Every version that is still kept, oldest first, the present one last. */
    history(key: Scalar): Promise<readonly PastVersion[]>
    readVersion(key: Scalar, version: string): Promise<Uint8Array>
    /** A unified diff from one version to another, or to what the key holds now. */
    diff(key: Scalar, from: string, to?: string): Promise<string>
    watch(key?: Scalar): Promise<Watch>
    close(): Promise<void>
    toJSON(): Readonly<Record<string, unknown>>
  }

export function createHandle(parts: HandleParts): StateHandle {
  const { driver, sessionId, writer, tape } = parts
  const seen = new Map(parts.seen)
  let closed = false

  const alive = (): void => {
    if (closed)
      throw new RepriseError('state-closed', 'agent_state: the handle is closed', {
        hint: 'resume the session for a new handle',
      })
  }
  const seconds = (): number => Math.floor(parts.now() / 1000)
  const writeRequest = (
    key: string,
    content: Uint8Array,
    options: WriteOptions,
    known: ReadonlyMap<string, Version>,
  ): WriteRequest => ({
    key,
    writer,
    updatedAt: seconds(),
    ifVersion: checkVersion(options.ifVersion),
    content,
    policy: parts.policy,
    seen: known.get(key),
  })
  const deleteRequest = (key: string, options: WriteOptions): DeleteRequest => ({
    key,
    writer,
    updatedAt: seconds(),
    ifVersion: checkVersion(options.ifVersion),
  })
  const { refuseNested, exclusively } = createExclusiveAccess(driver, sessionId)

  const entry = async (input: Scalar): Promise<Entry | null> => {
    alive()
    const key = normaliseKey(input)
    const found = await driver.read(sessionId, key)
    // A miss may be a folder of keys, which is an error; looking closer costs only the miss.
    if (found === null) await refuseFolder(driver, sessionId, key)
    remember(seen, key, found?.version)
    await tape((records) => records.read(sessionId, key, found))
    return found
  }
  const write: StateHandle['write'] = async (input, content, options = {}) => {
    alive()
    const request = writeRequest(normaliseKey(input), contentBytes(content), options, seen)
    refuseNested()
    const outcome =
      (await driver.writeOnce?.(sessionId, request)) ??
      (await exclusively((staging) => staging.write(request)))
    remember(seen, request.key, outcome.version)
    await tape((records) => records.write(sessionId, request.key, request.content))
    if (outcome.conflict !== null) parts.onConflict(outcome.conflict)
    return outcome
  }
  const list = async (): Promise<readonly string[]> => {
    alive()
    const keys = await driver.list(sessionId)
    await tape((records) => records.list(sessionId, keys))
    return keys
  }
  const reader = readerOn(entry, list)

  const handle: StateHandle = {
    backend: driver.backend,
    root: driver.root,
    sessionId,
    conflictPolicy: parts.policy,
    writer,
    ...reader,
    write,
    async writeJson(key, value, options = {}) {
      return write(key, await jsonContent(value, String(key), options.schema), options)
    },
    async delete(input, options = {}) {
      const request = deleteRequest(normaliseKey(input), options)
      alive()
      const found = await exclusively((staging) => staging.delete(request))
      seen.delete(request.key)
      await tape((records) => records.remove(sessionId, request.key))
      return found
    },
    async update(key, change) {
      for (;;) {
        const current = await entry(key)
        const next = await change(current === null ? null : contentText(current.content, String(key)))
        try {
          return await write(key, next, { ifVersion: current?.version ?? null })
        } catch (error) {
          if (!(error instanceof RepriseError && error.code === 'state-version-mismatch')) throw error
        }
      }
    },
    async transaction(work) {
      alive()
      let afterCommit: (() => Promise<void>)[] = []
      const result = await exclusively(async (staging) => {
        afterCommit = []
        return work(transactionOn(staging, afterCommit))
      })
      for (const emit of afterCommit) await emit()
      return result
    },
    async handoff(summary, options = {}) {
      const handoff = typedHandoff(options.handoff, summary)
      const text = encodeHandoff({
        sessionId,
        root: driver.root,
        summary,
        handoff,
        writer,
        writtenAt: seconds(),
      })
      return write(HANDOFF_KEY, text, options)
    },
    async readHandoff() {
      const text = await reader.read(HANDOFF_KEY)
      return text === null ? null : decodeHandoff(text)
    },
    async history(input) {
      alive()
      return driver.history(sessionId, normaliseKey(input))
    },
    readVersion: async (input, version) => {
      alive()
      return contentOf(driver, sessionId, normaliseKey(input), version)
    },
    async diff(input, from, to) {
      alive()
      const key = normaliseKey(input)
      const before = contentText(await contentOf(driver, sessionId, key, from), key)
      const latest = to === undefined ? await entry(key) : null
      const after =
        to === undefined ? (latest?.content ?? new Uint8Array()) : await contentOf(driver, sessionId, key, to)
      return unifiedDiff(
        before,
        contentText(after, key),
        `${key} ${from}`,
        `${key} ${to ?? latest?.version ?? 'absent'}`,
      )
    },
    async watch(input) {
      alive()
      const key = input === undefined ? null : normaliseKey(input)
      return watchSession(driver, sessionId, (changed) => key === null || changed === key)
    },
    async close() {
      if (closed) return
      closed = true
      await driver.close()
    },
    [Symbol.asyncDispose]: () => handle.close(),
    toJSON: () => ({
      _type: 'state_handle',
      backend: driver.backend,
      root: driver.root,
      session_id: sessionId,
      handoff_key: HANDOFF_KEY,
      conflict_policy: parts.policy,
      writer: writerToWire(writer),
      instance: writer.instance,
    }),
  }
  return handle

  /** What a transaction saw and did becomes the handle's own only when it is committed. */
  function transactionOn(staging: Staging, afterCommit: (() => Promise<void>)[]): StateTransaction {
    const known = new Map(seen)
    const note = (key: string, version: Version | undefined, emit: () => Promise<void>): void => {
      remember(known, key, version)
      afterCommit.push(() => {
        remember(seen, key, version)
        return emit()
      })
    }
    const txEntry = async (input: Scalar): Promise<Entry | null> => {
      const key = normaliseKey(input)
      const found = await staging.read(key)
      note(key, found?.version, () => tape((records) => records.read(sessionId, key, found)))
      return found
    }
    const txWrite: StateWriter['write'] = async (input, content, options = {}) => {
      const request = writeRequest(normaliseKey(input), contentBytes(content), options, known)
      const outcome = await staging.write(request)
      note(request.key, outcome.version, () => {
        if (outcome.conflict !== null) parts.onConflict(outcome.conflict)
        return tape((records) => records.write(sessionId, request.key, request.content))
      })
      return outcome
    }
    return {
      ...readerOn(txEntry, () => staging.list()),
      write: txWrite,
      async writeJson(key, value, options = {}) {
        return txWrite(key, await jsonContent(value, String(key), options.schema), options)
      },
      async delete(input, options = {}) {
        const request = deleteRequest(normaliseKey(input), options)
        const found = await staging.delete(request)
        note(request.key, undefined, () => tape((records) => records.remove(sessionId, request.key)))
        return found
      },
    }
  }
}

async function refuseFolder(driver: StateDriver, sessionId: string, key: string): Promise<void> {
  const other = await driver.clash(sessionId, key)
  if (other !== null) throw clashError(key, other)
}

async function contentOf(
  driver: StateDriver,
  sessionId: string,
  key: string,
  version: string,
): Promise<Uint8Array> {
  const content = isVersion(version) ? await driver.readVersion(sessionId, key, version) : null
  if (content !== null) return content
  throw new RepriseError(
    'state-version-missing',
    `agent_state: key '${key}' has no version '${version}' to read`,
    {
      details: { key, version },
      hint: 'history lists the versions that are kept',
    },
  )
}

function remember(seen: Map<string, Version>, key: string, version: Version | undefined): void {
  if (version === undefined) seen.delete(key)
  else seen.set(key, version)
}

function checkVersion(version: string | null | undefined): Version | null | undefined {
  if (version === undefined || version === null || isVersion(version)) return version
  throw new RepriseError('usage', `agent_state: '${version}' is not a version`, {
    hint: "a version looks like '3-9f86d081884c7d65'; read and history return it",
  })
}
