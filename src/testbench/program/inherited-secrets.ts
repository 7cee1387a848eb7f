/**
 * The secrets that the parent of a recorded child knows: over the pipe that it opened for this, and by their
 * positions in the environment.
 */
import { isObject } from '../../base/index.ts'
import { fs } from '../../real/fs.ts'
import { realEnv } from '../../real/process.ts'
import { realProcess } from '../../real/program.ts'
import type { ChildSettings, KnownSecret } from '../children/child-settings.ts'

/** Call it before the program begins. Closes the pipe. */
export function inheritedSecrets({ pipe, parentPid, secretEnv }: ChildSettings): KnownSecret[] {
  const inEnv = secretEnv.flatMap(([name, kind, start, end]) => {
    const value = realEnv[name]?.slice(start, end) ?? ''
    return value === '' ? [] : [{ kind, value }]
  })
  // A process further below has the same variables, but that number is another file or none.
  const isDirect = realProcess.ppid === parentPid
  return [...inEnv, ...(pipe === null || !isDirect ? [] : secretsFrom(pipe))]
}

function secretsFrom(pipe: number): KnownSecret[] {
  try {
    const list: unknown = JSON.parse(fs.readFileSync(pipe, 'utf8'))
    fs.closeSync(pipe)
    return Array.isArray(list) ? list.filter(isKnownSecret) : []
  } catch {
    // The parent was killed while it wrote.
    return []
  }
}

function isKnownSecret(value: unknown): value is KnownSecret {
  return isObject(value) && typeof value.kind === 'string' && typeof value.value === 'string'
}
