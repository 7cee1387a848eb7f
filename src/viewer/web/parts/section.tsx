/** A part of a page that can be folded. What is inside is drawn only while it is open. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

export type SectionProps = {
  readonly title: string
  readonly note?: string
  readonly open?: boolean
  readonly children: ComponentChildren
}

export function Section({ title, note, open: openFirst = true, children }: SectionProps) {
  const [open, setOpen] = useState(openFirst)
  return (
    <section class="section">
      <h3 class="section-title">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          {title}
          {note === undefined ? null : <span class="faint section-note">{note}</span>}
        </button>
      </h3>
      {open ? <div class="section-body">{children}</div> : null}
    </section>
  )
}

export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Chip({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'ok' | 'warn' | 'bad' | 'accent'
  readonly children: ComponentChildren
}) {
  return <span class={`chip chip-${tone}`}>{children}</span>
}
