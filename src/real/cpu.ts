/** The processor time of this process, captured before anything is patched. */
const cpuUsage = process.cpuUsage.bind(process)

/** Milliseconds of all its threads, in user and system code. */
export function cpuMs(): number {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}
