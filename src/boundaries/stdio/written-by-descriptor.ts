/**
 * What the program writes to stdout and stderr past their streams, by descriptor (`fs.writeSync(1, …)`): loggers do. Told to whoever watches these two,
 * who is told of what passes the streams as well: Node's own stream over a file writes by descriptor too, and must not count twice.
 */
export type DescriptorWatcher = (fd: 1 | 2, bytes: Uint8Array) => void

let watcher: DescriptorWatcher | null = null
let inStream = 0

export function watchDescriptors(heard: DescriptorWatcher): Disposable {
  watcher = heard
  return {
    [Symbol.dispose]() {
      watcher = null
    },
  }
}

export function noteDescriptorWrite(fd: unknown, bytes: Uint8Array): void {
  if (inStream === 0 && (fd === 1 || fd === 2)) watcher?.(fd, bytes)
}

/** Runs the write of a stream that is watched itself. */
export function throughStream<T>(write: () => T): T {
  inStream += 1
  try {
    return write()
  } finally {
    inStream -= 1
  }
}
