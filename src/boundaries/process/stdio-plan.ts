/**
 * Decides how each of a child's streams is treated, from Node's interpretation of the `stdio` option. Pure.
 *
 * `pipe`: the program gets a stand-in. `copied`: the child writes to our stdout or stderr; its bytes are
 * captured and written there, so that a replay prints them too. `passed`: only the child uses it (a file, the
 * terminal, nothing at all), and none of its bytes reach the program.
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

/** `terminal` returns whether one of our own descriptors is a terminal. */
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
 * A child that uses our terminal for input and output (an editor, a shell) needs both to be terminals: its
 * output cannot be captured.
 */
export function sharesTerminal(entries: readonly StdioEntry[], terminal: (fd: number) => boolean): boolean {
  const [input, ...outputs] = entries
  const isTerminal = (entry: StdioEntry): boolean => {
    const fd = ownFd(entry)
    return fd !== null && fd <= 2 && terminal(fd)
  }
  return input !== undefined && isTerminal(input) && outputs.some(isTerminal)
}

/** Descriptors of the program that the child gets. */
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
 * The name on the tape of a stream that the child simply gets: `ignore`, `inherit`, `fd` for a file of the
 * program, …
 */
export function passedAs(entry: StdioEntry | undefined): string {
  const fd = entry === undefined ? null : ownFd(entry)
  return fd !== null && fd <= 2 ? 'inherit' : (entry?.type ?? '')
}

const PASSED: StreamPlan = { use: 'passed' }

function ownFd({ type, fd }: StdioEntry): number | null {
  return (type === 'inherit' || type === 'fd') && fd !== undefined ? fd : null
}
