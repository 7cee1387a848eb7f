/** Asks a Node what it has, in a process of its own. */
import { spawnSync } from 'node:child_process'

/** Null if it does not answer: it is no Node, or too old. `program` is print-node-names.js. */
export function namesOfNode(node: string, program: string, options: readonly string[] = []): Readonly<Record<string, readonly string[]>> | null {
  const { stdout, status } = spawnSync(node, ['--no-warnings', ...options, program], { encoding: 'utf8', env: {}, timeout: 60_000 })
  return status === 0 ? JSON.parse(stdout) : null
}
