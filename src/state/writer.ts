/**
 * Who writes. The four ids and their defaults are upstream's; `instance` is ours: one per handle, so that two
 * handles of one session, which share every other id by default, can still be distinguished.
 */
export type Writer = {
  readonly writerId: string | null
  readonly stageId: string | null
  readonly sessionId: string | null
  readonly workerId: string | null
  readonly instance: string | null
}

export type WriterOptions = {
  readonly writerId?: string | undefined
  readonly stageId?: string | undefined
  readonly workerId?: string | undefined
}

export function writerIdentity(options: WriterOptions, sessionId: string, instance: string): Writer {
  const workerId = nonBlank(options.workerId)
  const stageId = nonBlank(options.stageId) ?? workerId
  const writerId = nonBlank(options.writerId) ?? workerId ?? stageId ?? sessionId
  return { writerId, stageId, sessionId, workerId, instance }
}

export function writerName(writer: Writer | null): string {
  return writer?.writerId ?? writer?.workerId ?? writer?.stageId ?? writer?.sessionId ?? 'unknown'
}

/** The names of two writers, distinguished by instance where the ids are equal. */
export function writerNames(previous: Writer | null, current: Writer): readonly [string, string] {
  const names: [string, string] = [writerName(previous), writerName(current)]
  if (names[0] !== names[1]) return names
  return [
    `${names[0]} (instance ${shortInstance(previous)})`,
    `${names[1]} (instance ${shortInstance(current)})`,
  ]
}

/** The end of a UUIDv7 is its random part; its start is the time, and equal for handles made together. */
function shortInstance(writer: Writer | null): string {
  return writer?.instance?.slice(-12) ?? 'unknown'
}

export type WriterWire = {
  readonly writer_id?: string | null
  readonly stage_id?: string | null
  readonly session_id?: string | null
  readonly worker_id?: string | null
}

/** With every id, null where unset: the form of handles and handoffs. */
export function writerToWire(writer: Writer): Required<WriterWire> {
  return {
    writer_id: writer.writerId,
    stage_id: writer.stageId,
    session_id: writer.sessionId,
    worker_id: writer.workerId,
  }
}

/** For a JSON document of the command line: the ids and the instance, or null. */
export function writerDocument(writer: unknown): Readonly<Record<string, unknown>> | null {
  return isWriter(writer) ? { ...writerToWire(writer), instance: writer.instance } : null
}

function isWriter(value: unknown): value is Writer {
  return typeof value === 'object' && value !== null && 'writerId' in value && 'instance' in value
}

/** Only the ids that are set: the form of metadata files. */
export function setIdsToWire(writer: Writer): WriterWire {
  return Object.fromEntries(Object.entries(writerToWire(writer)).filter(([, id]) => id !== null))
}

export function writerFromWire(wire: unknown, instance: unknown): Writer | null {
  if (typeof wire !== 'object' || wire === null) return null
  const id = (name: string): string | null => {
    const value: unknown = Reflect.get(wire, name)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const writer = {
    writerId: id('writer_id'),
    stageId: id('stage_id'),
    sessionId: id('session_id'),
    workerId: id('worker_id'),
  }
  return { ...writer, instance: typeof instance === 'string' ? instance : null }
}

function nonBlank(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text
}
