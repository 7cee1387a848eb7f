/**
 * What the program writes to stdout and stderr by descriptor (`fs.writeSync(1, …)`), without their streams,
 * as loggers do. It is reported to the watcher of these two, which also receives what the streams write.
 * Node's own stream over a file writes by descriptor too, and must not count twice.
 */
export type DescriptorWatcher = (fd: 1 | 2, bytes: Uint8Array) => void

let watcher: DescriptorWatcher | null = null
let inStream = 0
/** Descriptors that the program has opened by the names of the two. */
const opened = new Map<number, 1 | 2>()
const reported = new Set<number>()

export function watchDescriptors(added: DescriptorWatcher): Disposable {
  watcher = added
  return {
    [Symbol.dispose]() {
      watcher = null
    },
  }
}

/** Which of the two a descriptor is; null for any other. */
export function outputOf(fd: unknown): 1 | 2 | null {
  return fd === 1 || fd === 2
    ? fd
    : opened.size > 0 && typeof fd === 'number'
      ? (opened.get(fd) ?? null)
      : null
}

export function noteOutputOpened(fd: number, output: 1 | 2): void {
  opened.set(fd, output)
}

/** The descriptor of a call that was reported whole: its writes are not reported again. */
export function noteReportedOpened(fd: number): void {
  reported.add(fd)
}

export function isOutputDescriptor(fd: unknown): boolean {
  return outputOf(fd) !== null || reported.has(fd as number)
}

export function noteOutputClosed(fd: number): void {
  opened.delete(fd)
  reported.delete(fd)
}

export function noteDescriptorWrite(fd: unknown, bytes: Uint8Array): void {
  const output = inStream === 0 ? outputOf(fd) : null
  if (output !== null) watcher?.(output, bytes)
}

/** Whether the current call writes what has been reported already. */
export function isOutputRecordedWhole(): boolean {
  return inStream > 0
}

/** Runs the write of a stream that is watched itself, or of a call that was reported whole. */
export function throughStream<T>(write: () => T): T {
  inStream += 1
  try {
    return write()
  } finally {
    inStream -= 1
  }
}
