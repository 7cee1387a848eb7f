/** Asks a Node for its version. */
import { spawnSync } from 'node:child_process'

/** `v22.1.0`; null if it is no Node, or does not answer. */
export function versionOfNode(program: string): string | null {
  const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return status === 0 && /^v\d+\.\d+\.\d+/.test(stdout) ? stdout.trim() : null
}
