/** What is on the screen while there is nothing else: waiting, nothing, something wrong. */
import type { ComponentChildren } from 'preact'
import type { ViewerProblem } from '../../protocol.ts'
import type { Resource } from '../model/resource.ts'
import { Icon } from './icons.tsx'

export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="state" role="status">
      <span class="spinner" />
      <p class="muted">Loading {what}…</p>
    </div>
  )
}

export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children === undefined ? null : <div class="muted">{children}</div>}
    </div>
  )
}

export function ProblemNote({ problem }: { readonly problem: ViewerProblem }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="problem-message">{problem.message}</p>
        {problem.hint === null ? null : <p class="muted">{problem.hint}</p>}
        <p class="faint mono">{problem.code}</p>
      </div>
    </div>
  )
}

/** Draws a resource: its value, or why there is none. */
export function Fetched<T>(props: {
  readonly of: Resource<T>
  readonly what: string
  readonly children: (value: T, stale: boolean) => ComponentChildren
}) {
  switch (props.of.state) {
    case 'loading':
      return <Loading what={props.what} />
    case 'failed':
      return <ProblemNote problem={props.of.problem} />
    case 'ready':
      return <>{props.children(props.of.value, props.of.stale)}</>
  }
}
