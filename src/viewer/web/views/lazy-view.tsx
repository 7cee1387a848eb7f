/** A view whose code is loaded when it is first opened. */
import type { ComponentType } from 'preact'
import { Lazy } from '../parts/lazy.tsx'

export function lazyView<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  what: string,
): ComponentType<P> {
  return function LazyView(props: P) {
    return <Lazy load={load} what={what} draw={({ default: View }) => <View {...props} />} />
  }
}
