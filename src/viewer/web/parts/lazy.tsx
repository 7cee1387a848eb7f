/** Draws with code that is loaded when it is first needed. */
import type { ComponentChildren } from 'preact'
import { useResource } from '../model/resource.ts'
import { Fetched } from './states.tsx'

export type LazyPart<M> = { load(): Promise<M>; loaded(): M | null }

/** Code that is loaded once. Where it is needed again, it is drawn at once. */
export function lazyPart<M>(load: () => Promise<M>): LazyPart<M> {
  let module: M | null = null
  return {
    async load() {
      module ??= await load()
      return module
    },
    loaded: () => module,
  }
}

export function Lazy<M>(props: {
  readonly load: () => Promise<M>
  readonly loaded?: () => M | null
  readonly what: string
  readonly draw: (module: M) => ComponentChildren
}) {
  const module = useResource(async () => ({ loaded: await props.load() }), [])
  const known = props.loaded?.() ?? null
  if (known !== null) return <>{props.draw(known)}</>
  return (
    <Fetched of={module} what={props.what}>
      {({ loaded }) => props.draw(loaded)}
    </Fetched>
  )
}
