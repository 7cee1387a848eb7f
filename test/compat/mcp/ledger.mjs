/**
 * What a client saw, line by line, in the order in which it saw it: printed at the end, so that two runs can
 * be compared byte by byte.
 */
export function createLedger() {
  const lines = []
  return {
    note: (what, value) => lines.push(`${what} ${JSON.stringify(value)}`),
    async step(what, run) {
      try {
        lines.push(`${what} -> ${JSON.stringify(await run())}`)
      } catch (error) {
        lines.push(`${what} failed ${error.name} ${error.code} ${error.message}`)
      }
    },
    print: () => process.stdout.write(`${lines.join('\n')}\n`),
  }
}
