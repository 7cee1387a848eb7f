/**
 * Something that is fetched: waiting, here, or failed. While it is fetched again the old value stays on the
 * screen.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ViewerProblem } from '../../protocol.ts'
import { problemFrom } from '../data/problem.ts'

export type Resource<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T; readonly stale: boolean }
  | { readonly state: 'failed'; readonly problem: ViewerProblem }

/** Calls `load` whenever one of `keys` changes. An answer that comes after the next change is dropped. */
export function useResource<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
  options: { readonly keepOld?: boolean } = {},
): Resource<T> {
  const [resource, setResource] = useState<Resource<T>>({ state: 'loading' })
  useEffect(() => {
    let current = true
    setResource((old) =>
      old.state === 'ready' && options.keepOld === true ? { ...old, stale: true } : { state: 'loading' },
    )
    load().then(
      (value) => current && setResource({ state: 'ready', value, stale: false }),
      (error: unknown) => current && setResource({ state: 'failed', problem: problemFrom(error) }),
    )
    return () => {
      current = false
    }
  }, keys)
  return resource
}
