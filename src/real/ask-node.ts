/** Asks a Node for its version and for what it has, in a process of its own. */
import { spawnSync } from 'node:child_process'

/** `v22.1.0`; null if it is no Node, or does not answer. */
export function versionOfNode(program: string): string | null {
  const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return status === 0 && /^v\d+\.\d+\.\d+/.test(stdout) ? stdout.trim() : null
}

/** Null if it does not answer: it is no Node, or too old. `program` is print-node-names.js. */
export function namesOfNode(
  node: string,
  program: string,
  options: readonly string[] = [],
): Readonly<Record<string, readonly string[]>> | null {
  const { stdout, status } = spawnSync(node, ['--no-warnings', ...options, program], {
    encoding: 'utf8',
    env: {},
    timeout: 60_000,
  })
  return status === 0 ? JSON.parse(stdout) : null
}
