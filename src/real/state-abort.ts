/**
 * The crash hook of agent state: with `REPRISE_STATE_ABORT_AFTER_TMP_WRITE=1`, or upstream's name for it, the
 * process aborts between the flush of a new file and its rename.
 */
const { env } = process
const abort = process.abort.bind(process)

export function abortIfRequested(): void {
  if (env.REPRISE_STATE_ABORT_AFTER_TMP_WRITE === '1' || env.HARN_AGENT_STATE_ABORT_AFTER_TMP_WRITE === '1')
    abort()
}
