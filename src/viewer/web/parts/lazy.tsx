/** Draws with code that is loaded when it is first needed. */
import type { ComponentChildren } from 'preact'
import { useResource } from '../model/resource.ts'
import { Fetched } from './states.tsx'

export function Lazy<M>(props: {
  readonly load: () => Promise<M>
  readonly what: string
  readonly draw: (module: M) => ComponentChildren
}) {
  const module = useResource(async () => ({ loaded: await props.load() }), [])
  return (
    <Fetched of={module} what={props.what}>
      {({ loaded }) => props.draw(loaded)}
    </Fetched>
  )
}
