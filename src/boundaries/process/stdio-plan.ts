/**
 * What becomes of each of a child's streams, derived from Node's reading of the `stdio` option. Pure.
 *
 * `pipe`: a stand-in before the program. `copied`: the child writes to our stdout or stderr; its bytes are
 * taken in and written there, so that a replay prints them too. `passed`: the child has it for itself (a
 * file, the terminal, nothing at all) and no byte of it reaches the program.
 */

export type StdioEntry = {
  readonly type: string
  readonly ipc?: boolean
  readonly fd?: number
  handle?: unknown
}

export type StreamPlan =
  | { readonly use: 'pipe' | 'channel' | 'passed' }
  | { readonly use: 'copied'; readonly to: 'stdout' | 'stderr' }

/** `terminal` says whether one of our own descriptors is a terminal. */
export function planStdio(
  entries: readonly StdioEntry[],
  terminal: (fd: number) => boolean,
): readonly StreamPlan[] {
  const shares = sharesTerminal(entries, terminal)
  return entries.map((entry, at): StreamPlan => {
    if (entry.ipc === true) return { use: 'channel' }
    if (entry.type === 'pipe' || entry.type === 'overlapped') return { use: 'pipe' }
    const fd = ownFd(entry)
    if (at > 0 && !shares && fd === 1) return { use: 'copied', to: 'stdout' }
    if (at > 0 && !shares && fd === 2) return { use: 'copied', to: 'stderr' }
    return PASSED
  })
}

/**
 * A child that has our terminal for its input and its output (an editor, a shell) needs both to be one: what
 * it prints cannot be taken in.
 */
export function sharesTerminal(entries: readonly StdioEntry[], terminal: (fd: number) => boolean): boolean {
  const [input, ...outputs] = entries
  const isTerminal = (entry: StdioEntry): boolean => {
    const fd = ownFd(entry)
    return fd !== null && fd <= 2 && terminal(fd)
  }
  return input !== undefined && isTerminal(input) && outputs.some(isTerminal)
}

/** Descriptors of the program's own that the child is given. */
export function givenDescriptors(entries: readonly StdioEntry[]): readonly number[] {
  return entries.flatMap((entry) => {
    const fd = ownFd(entry)
    return fd !== null && fd > 2 ? [fd] : []
  })
}

/** The name of a stream on the tape. */
export function streamName(at: number, use: StreamPlan['use']): string {
  return use === 'channel' ? 'ipc' : (['stdin', 'stdout', 'stderr'][at] ?? `fd${at}`)
}

/**
 * What a stream that the child is simply given is called: `ignore`, `inherit`, `fd` for a file of the
 * program's, …
 */
export function passedAs(entry: StdioEntry | undefined): string {
  const fd = entry === undefined ? null : ownFd(entry)
  return fd !== null && fd <= 2 ? 'inherit' : (entry?.type ?? '')
}

const PASSED: StreamPlan = { use: 'passed' }

function ownFd({ type, fd }: StdioEntry): number | null {
  return (type === 'inherit' || type === 'fd') && fd !== undefined ? fd : null
}
